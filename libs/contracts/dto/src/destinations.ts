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
import { Optional, Removable } from './optional.js';

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

/** Destinations of an organisation in one mode. */
export const DESTINATIONS_MAX = 20;

/** Settings of a destination beside its secret. */
export class DestinationSettingsRequest {
  /** Of a webhook. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(2048) url?: string;
  /** Of a webhook. */
  @Optional() @IsInt() @Min(1) @Max(100) rows_per_request?: number;
  /** Of a sequencer: the campaign that leads are added to. */
  @Optional()
  @IsString()
  @Matches(/^[\w-]{1,100}$/, { message: '$property must be the identifier of a campaign' })
  campaign_id?: string;
  /** Of a CRM: whether values that are there already are replaced. Only empty fields are filled when it is left out. */
  @Optional() @IsBoolean() overwrite?: boolean;
}

/** Body of POST /v1/destinations. The service checks the needs of a kind. */
export class CreateDestinationRequest {
  @IsIn(DESTINATION_KINDS) kind!: DestinationKind;
  @IsName() name!: string;
  /** The key at the vendor; of a webhook what messages are signed with. */
  @IsString() @IsNotEmpty() @MaxLength(500) secret!: string;
  @Optional()
  @IsObject()
  @ValidateNested()
  @Type(() => DestinationSettingsRequest)
  settings?: DestinationSettingsRequest;
  /** Field there ← key of the column here; guessed from the columns of the table when left out. */
  @Optional() @IsObject() mapping?: Record<string, unknown>;
}

/** Body of PATCH /v1/destinations/{id}. Fields left out stay as they are. */
export class ChangeDestinationRequest {
  @Optional() @IsName() name?: string;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(500) secret?: string;
  /** Null takes it away: fields are guessed from the columns of each table. */
  @Removable() @IsObject() mapping?: Record<string, unknown> | null;
  /** Of a CRM: whether values that are there already are replaced. */
  @Optional() @IsBoolean() overwrite?: boolean;
}

/** Body of POST /v1/destinations/{id}/pushes and of …/preview. */
export class PushRequest {
  @IsString() @IsNotEmpty() @MaxLength(64) table_id!: string;
  /** A view on the table, whose rows are pushed in its order. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(64) view?: string;
}
