import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { IsCredits } from './credits.js';
import { Optional } from './optional.js';

const KEY_MAX = 64;
const ROWS_MAX = 100_000;

/** Selection of rows to look up: `empty` includes those that were never looked up. */
export const ENRICHMENT_ROWS = ['all', 'empty', 'failed'] as const;
export type EnrichmentRows = (typeof ENRICHMENT_ROWS)[number];

/** Column filled from the output of a service. */
export class EnrichmentColumn {
  @IsString() @IsNotEmpty() @MaxLength(KEY_MAX) key!: string;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(200) name?: string;
  /** Path of the value in the output; if omitted, the field with the column's key, else the service's default field. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(200) field?: string;
}

/** Body of POST /v1/tables/{id}/enrichments. */
export class CreateEnrichmentRequest {
  @IsString() @IsNotEmpty() @MaxLength(KEY_MAX) service!: string;
  /** Sources by the names of the service's inputs: the key of a column, or `{"value"}`. */
  @Optional() @IsObject() inputs?: Record<string, unknown>;
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @ValidateNested({ each: true })
  @Type(() => EnrichmentColumn)
  columns!: EnrichmentColumn[];
  @Optional() @IsIn(ENRICHMENT_ROWS) rows?: EnrichmentRows;
  /** View of the table: only its rows are looked up, in its order. */
  @Optional() @IsString() view?: string;
  @Optional() @IsInt() @Min(1) @Max(ROWS_MAX) limit?: number;
  @Optional() @IsCredits() @Min(0) max_credits?: number;
  @Optional() @IsBoolean() dry_run?: boolean;
}
