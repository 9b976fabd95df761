import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsNotEmpty,
  IsString,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { Optional } from './optional.js';

export const EXCLUSION_KINDS = ['companies', 'people'] as const;
export type ExclusionKind = (typeof EXCLUSION_KINDS)[number];

/** Entry to exclude: a domain, a LinkedIn URL, or both. */
export class ExclusionItem {
  @Optional() @IsString() @IsNotEmpty() @MaxLength(2000) domain?: string;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(2000) linkedin_url?: string;
}

/** Body of POST and DELETE /v1/exclusions/{kind}. */
export class ExclusionItemsRequest {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1000)
  @ValidateNested({ each: true })
  @Type(() => ExclusionItem)
  items!: ExclusionItem[];
}

/** Body of PUT /v1/exclusions/{kind}: replaces the entries of one source. */
export class ExclusionSyncRequest {
  @IsString() @IsNotEmpty() @MaxLength(200) source!: string;
  @IsArray()
  @ArrayMaxSize(100_000)
  @ValidateNested({ each: true })
  @Type(() => ExclusionItem)
  items!: ExclusionItem[];
  @Optional() @IsBoolean() dry_run?: boolean;
}
