import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsNotEmpty, IsObject, IsString } from 'class-validator';
import { Optional } from './optional.js';
import { CursorPageQuery, DigitsInt, OffsetPageQuery } from './pages.js';

export const JOB_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Body of POST /v1/services/jobs/batch. The inputs are validated by the service's own schema. */
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
  @Optional() @IsString() @IsNotEmpty() service?: string;
  @Optional() @IsString() @IsNotEmpty() batch_id?: string;
  @Optional() @IsString() @IsNotEmpty() run_id?: string;
}

/** Groupings of spent credits. */
export const USAGE_PARTS = ['day', 'service', 'run', 'key'] as const;
export type UsagePart = (typeof USAGE_PARTS)[number];

/** Query of GET /credits/usage. */
export class CreditUsageQuery {
  @IsIn(USAGE_PARTS) by: UsagePart = 'day';
  @DigitsInt(1, 90) days: number = 30;
}

/** Query of GET /v1/services/jobs. */
export class JobListQuery extends OffsetPageQuery {
  @Optional() @IsIn(JOB_STATUSES) status?: JobStatus;
  @Optional() @IsString() @IsNotEmpty() service?: string;
  @Optional() @IsString() @IsNotEmpty() batch_id?: string;
}
