import { IsNotEmpty, IsObject, IsString, MaxLength } from 'class-validator';
import { Optional } from './optional.js';
import { OffsetPageQuery } from './pages.js';

export type RunStatus = 'queued' | 'running' | 'recovering' | 'completed' | 'failed' | 'cancelled';

/** Body of POST /v1/runs. */
export class CreateRunRequest {
  /** Natural-language instruction. 20,000 characters: longer text is a document, not an instruction. */
  @IsString() @IsNotEmpty() @MaxLength(20_000) prompt!: string;
  @Optional() @IsString() @IsNotEmpty() workspace_id?: string;
  @Optional() @IsString() @IsNotEmpty() conversation_id?: string;
  /** Output contract in one of two forms; judged by the runs service. */
  @Optional() @IsObject() output?: Record<string, unknown>;
}

/** Query of GET /v1/runs. */
export class RunListQuery extends OffsetPageQuery {
  @Optional() @IsString() @IsNotEmpty() workspace_id?: string;
  @Optional() @IsString() @IsNotEmpty() conversation_id?: string;
}

/** A table that a run made or changed. */
export interface RunArtifact {
  type: 'table';
  id: string;
  name: string;
  effect: 'created' | 'updated';
  links: { self: string; rows: string };
}

/** The Run as the contract shows it. */
export interface RunJson {
  id: string;
  workspace_id: string;
  conversation_id: string;
  status: RunStatus;
  message: string;
  artifacts: RunArtifact[];
  output: unknown;
  error: { code: string; message: string } | null;
  cancellation_requested: boolean;
  links: { self: string; app: string };
}
