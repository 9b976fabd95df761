import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { IsName } from './is-name.js';
import { Expected, Optional, Removable } from './optional.js';

/** Systems that rows can be pushed to. */
export const DESTINATION_KINDS = [
  'webhook',
  'hubspot_contacts',
  'hubspot_companies',
  'pipedrive_persons',
  'instantly_leads',
  'smartlead_leads',
  'lemlist_leads',
] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** Maximum number of destinations of an organisation per mode. */
export const DESTINATIONS_MAX = 20;

/** Settings of a destination, without its secret. */
export class DestinationSettingsRequest {
  /** For a webhook. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(2048) url?: string;
  /** For a webhook. */
  @Optional() @IsInt() @Min(1) @Max(100) rows_per_request?: number;
  /** For a sequencer: the campaign to which leads are added. */
  @Optional()
  @IsString()
  @Matches(/^[\w-]{1,100}$/, { message: '$property must be the identifier of a campaign' })
  campaign_id?: string;
  /** For a CRM: whether existing values are replaced. If omitted, only empty fields are filled. */
  @Optional() @IsBoolean() overwrite?: boolean;
}

/** Body of POST /v1/destinations. The service validates the requirements of each kind. */
export class CreateDestinationRequest {
  @IsIn(DESTINATION_KINDS) kind!: DestinationKind;
  @IsName() name!: string;
  /** Key at the vendor; for a webhook, the secret with which messages are signed. */
  @IsString() @IsNotEmpty() @MaxLength(500) secret!: string;
  @Optional()
  @IsObject()
  @ValidateNested()
  @Type(() => DestinationSettingsRequest)
  settings?: DestinationSettingsRequest;
  /** Column keys by field of the destination; if omitted, guessed from the columns of the table. */
  @Optional() @IsObject() mapping?: Record<string, unknown>;
}

/** Body of PATCH /v1/destinations/{id}. Omitted fields stay unchanged. */
export class ChangeDestinationRequest {
  @Optional() @IsName() name?: string;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(500) secret?: string;
  /** Null removes it: fields are guessed from the columns of each table. */
  @Removable() @IsObject() mapping?: Record<string, unknown> | null;
  /** For a CRM: whether existing values are replaced. */
  @Optional() @IsBoolean() overwrite?: boolean;
  /** Fields of the destination as the client has read them; if one is different now, the change is a version_conflict. */
  @Expected() expected?: Record<string, unknown>;
}

/** Body of POST /v1/destinations/{id}/pushes and of …/preview. */
export class PushRequest {
  @IsString() @IsNotEmpty() @MaxLength(64) table_id!: string;
  /** View of the table whose rows are pushed, in its order. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(64) view?: string;
}
