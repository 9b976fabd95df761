import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { applyDecorators } from './apply-decorators.js';
import { Optional } from './optional.js';
import { EVENT_TYPES } from './resources/events.resources.js';
import { IsUtcTime } from './utc-time.js';

/** Types that a webhook may subscribe to: a test is sent to the webhook that it tests in any case. */
export const WEBHOOK_TYPES = EVENT_TYPES.filter((type) => type !== 'webhook.test');

/** Webhooks of an organisation in one mode. Source: docs/webhooks.md. */
export const WEBHOOKS_MAX = 20;

const URL_CHARACTERS_MAX = 2_048;
const DESCRIPTION_CHARACTERS_MAX = 500;
const OVERLAP_HOURS_MAX = 168;

function Types(): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(WEBHOOK_TYPES.length),
    IsIn(WEBHOOK_TYPES, {
      each: true,
      message: `each of $property must be one of ${WEBHOOK_TYPES.join(', ')}`,
    }),
  );
}

/** Body of POST /v1/webhooks. The address is validated by the service. */
export class CreateWebhookRequest {
  @IsString() @IsNotEmpty() @MaxLength(URL_CHARACTERS_MAX) url!: string;
  @Types() types!: string[];
  @Optional() @IsString() @MaxLength(DESCRIPTION_CHARACTERS_MAX) description?: string;
}

/** Body of PATCH /v1/webhooks/{id}. Fields left out stay as they are. */
export class ChangeWebhookRequest {
  @Optional() @IsString() @IsNotEmpty() @MaxLength(URL_CHARACTERS_MAX) url?: string;
  @Optional() @Types() types?: string[];
  @Optional() @IsString() @MaxLength(DESCRIPTION_CHARACTERS_MAX) description?: string;
  @Optional() @IsIn(['active', 'disabled']) status?: 'active' | 'disabled';
}

/** Body of POST /v1/webhooks/{id}/rotate. */
export class RotateWebhookRequest {
  /** Hours in which messages are signed with the previous secret as well. */
  @Optional() @IsInt() @Min(0) @Max(OVERLAP_HOURS_MAX) overlap_hours?: number;
}

/** Body of POST /v1/webhooks/{id}/replay. */
export class ReplayWebhookRequest {
  @IsString() @IsUtcTime() since!: string;
  @Optional() @IsString() @IsUtcTime() until?: string;
  /** Leaves out what was delivered. */
  @Optional() @IsBoolean() only_failed?: boolean;
}
