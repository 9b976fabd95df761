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
import { Expected, Optional } from './optional.js';
import { EVENT_TYPES } from './resources/events.resources.js';
import { IsUtcTime } from './utc-time.js';

/** Types that a webhook may subscribe to. A test event is always sent to the webhook under test, so it is excluded. */
export const WEBHOOK_TYPES = EVENT_TYPES.filter((type) => type !== 'webhook.test');

/** Maximum number of webhooks of an organisation per mode. Source: docs/webhooks.md. */
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

/** Body of PATCH /v1/webhooks/{id}. Omitted fields stay unchanged. */
export class ChangeWebhookRequest {
  @Optional() @IsString() @IsNotEmpty() @MaxLength(URL_CHARACTERS_MAX) url?: string;
  @Optional() @Types() types?: string[];
  @Optional() @IsString() @MaxLength(DESCRIPTION_CHARACTERS_MAX) description?: string;
  @Optional() @IsIn(['active', 'disabled']) status?: 'active' | 'disabled';
  /** Fields of the webhook as the client has read them; if one is different now, the change is a version_conflict. */
  @Expected() expected?: Record<string, unknown>;
}

/** Body of POST /v1/webhooks/{id}/rotate. */
export class RotateWebhookRequest {
  /** Hours during which messages are also signed with the previous secret. */
  @Optional() @IsInt() @Min(0) @Max(OVERLAP_HOURS_MAX) overlap_hours?: number;
}

/** Body of POST /v1/webhooks/{id}/replay. */
export class ReplayWebhookRequest {
  @IsString() @IsUtcTime() since!: string;
  @Optional() @IsString() @IsUtcTime() until?: string;
  /** Skips events that were delivered. */
  @Optional() @IsBoolean() only_failed?: boolean;
}
