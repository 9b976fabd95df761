import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsNotEmpty,
  IsObject,
  IsString,
  Matches,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { applyDecorators } from './apply-decorators.js';
import { IsCredits } from './credits.js';
import { IsName } from './is-name.js';
import { Expected, Optional, Removable } from './optional.js';
import { CursorPageQuery } from './pages.js';
import { IsUtcTime } from './utc-time.js';

/** Maximum number of monitors of an organisation per mode. */
export const MONITORS_MAX = 50;

function Budget(): PropertyDecorator {
  return applyDecorators(IsCredits(), Min(0));
}

/** Schedule of a monitor; validated by the runs service. */
export class MonitorScheduleRequest {
  /** Five fields: minute, hour, day, month, weekday. */
  @IsString() @IsNotEmpty() @MaxLength(100) cron!: string;
  /** IANA time zone. */
  @IsString() @IsNotEmpty() @MaxLength(100) time_zone!: string;
}

/** Body of POST /v1/monitors: a prompt, or an existing plan. */
export class CreateMonitorRequest {
  @IsName() name!: string;
  @Optional() @IsString() @IsNotEmpty() workspace_id?: string;
  /** Natural-language instruction; omitted with `plan_id`. */
  @Optional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(20_000)
  @Matches(/\S/, { message: '$property must not be blank' })
  prompt?: string;
  @Optional() @IsString() @IsNotEmpty() plan_id?: string;
  @IsObject() @ValidateNested() @Type(() => MonitorScheduleRequest) schedule!: MonitorScheduleRequest;
  @Optional() @IsIn(['deliver', 'silent']) first_run?: 'deliver' | 'silent';
  @Optional() @Budget() max_credits_per_run?: number;
  @Optional() @Budget() max_credits_per_month?: number;
  /** Keys of columns that the search fills: a known row is reported again when one of them has changed. */
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @ArrayUnique()
  @IsString({ each: true, message: 'each of $property must be a string' })
  @MaxLength(200, { each: true })
  watch?: string[];
}

/** Body of PATCH /v1/monitors/{id}. Omitted fields stay unchanged, null removes a budget; the plan never changes. */
export class ChangeMonitorRequest {
  @Optional() @IsName() name?: string;
  @Optional()
  @IsObject()
  @ValidateNested()
  @Type(() => MonitorScheduleRequest)
  schedule?: MonitorScheduleRequest;
  @Removable() @Budget() max_credits_per_run?: number | null;
  @Removable() @Budget() max_credits_per_month?: number | null;
  /** Fields of the monitor as the client has read them; if one is different now, the change is a version_conflict. */
  @Expected() expected?: Record<string, unknown>;
}

/** Query of GET /v1/monitors/{id}/items. */
export class MonitorItemQuery extends CursorPageQuery {
  /** Items that were first seen, or last changed, at this time or later. */
  @Optional() @IsString() @IsUtcTime() since?: string;
}
