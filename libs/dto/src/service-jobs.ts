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
import { OffsetPageQuery } from './pages.js';

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

/** Query of GET /v1/services/jobs. */
export class JobListQuery extends OffsetPageQuery {
  @IsOptional() @IsIn(JOB_STATUSES) status?: JobStatus;
  @IsOptional() @IsString() @IsNotEmpty() service?: string;
  @IsOptional() @IsString() @IsNotEmpty() batch_id?: string;
}
