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
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { IsName } from './is-name.js';
import { Optional } from './optional.js';

/** Body of POST /v1/workspaces. */
export class CreateWorkspaceRequest {
  @IsName() name!: string;
}

/** Body of PATCH /v1/tables/{id} and of PATCH /v1/tables/{id}/columns/{key}. */
export class RenameRequest {
  @IsName() name!: string;
}

/** Query of POST /v1/workspaces/{id}/files. */
export class FileQuery {
  @IsName() name: string = 'Import';
  @Optional() @IsIn(['true', 'false']) dry_run?: 'true' | 'false';
  /** True when the first row contains the column names; detected if omitted. */
  @Optional() @IsIn(['true', 'false']) header?: 'true' | 'false';
}

export const EXPORT_FORMATS = ['csv', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Body of POST /v1/runs/{id}/exports. */
export class CreateExportRequest {
  @IsString() @IsNotEmpty() table_key!: string;
  @IsIn(EXPORT_FORMATS) format!: ExportFormat;
}

/** Body of POST /v1/exports/{id}/links. */
export class CreateExportLinkRequest {
  @Optional() @IsInt() @Min(1) @Max(720) expires_in_hours?: number;
}

/** Exported column, and its heading in the file. */
export class ExportColumnRequest {
  @IsString() @IsNotEmpty() @MaxLength(64) key!: string;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(200) name?: string;
}

/** Body of POST /v1/tables/{id}/exports. */
export class CreateTableExportRequest {
  @IsIn(EXPORT_FORMATS) format!: ExportFormat;
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(200)
  @ValidateNested({ each: true })
  @Type(() => ExportColumnRequest)
  columns?: ExportColumnRequest[];
  /** View of the table whose rows are exported, in its order. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(64) view?: string;
  /** True to start a CSV with a byte order mark. */
  @Optional() @IsBoolean() bom?: boolean;
}
