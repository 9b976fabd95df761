import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
} from 'class-validator';
import { CursorPageQuery, OffsetPageQuery } from './pages.js';

export const JOB_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Body of POST /v1/services/jobs/batch. The inputs are judged by the service's own schema. */
export class CreateBatchRequest {
  @IsString() @IsNotEmpty() service!: string;
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsObject({ each: true, message: 'each of $property must be an object' })
  inputs!: Array<Record<string, unknown>>;
}

/** Body of POST /credits/estimate. */
export class EstimateRequest extends CreateBatchRequest {}

/** Query of GET /credits/ledger. */
export class LedgerQuery extends CursorPageQuery {
  @IsOptional() @IsString() @IsNotEmpty() service?: string;
  @IsOptional() @IsString() @IsNotEmpty() batch_id?: string;
  @IsOptional() @IsString() @IsNotEmpty() run_id?: string;
}

/** Query of GET /v1/services/jobs. */
export class JobListQuery extends OffsetPageQuery {
  @IsOptional() @IsIn(JOB_STATUSES) status?: JobStatus;
  @IsOptional() @IsString() @IsNotEmpty() service?: string;
  @IsOptional() @IsString() @IsNotEmpty() batch_id?: string;
}
