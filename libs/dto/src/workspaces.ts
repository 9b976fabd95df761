import { IsIn, IsNotEmpty, IsString, MaxLength } from 'class-validator';

/** Body of POST /v1/workspaces. */
export class CreateWorkspaceRequest {
  @IsString() @IsNotEmpty() @MaxLength(200) name!: string;
}

export const EXPORT_FORMATS = ['csv', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Body of POST /v1/runs/{id}/exports. */
export class CreateExportRequest {
  @IsString() @IsNotEmpty() table_key!: string;
  @IsIn(EXPORT_FORMATS) format!: ExportFormat;
}
