import type { z } from 'zod';
import { IsNotEmpty, IsObject, IsString, Matches, MaxLength } from 'class-validator';
import { Optional } from './optional.js';
import { OffsetPageQuery } from './pages.js';
import type { Run, RunArtifact as RunArtifactResource } from './resources/runs.resources.js';

/** Body of POST /v1/runs. */
export class CreateRunRequest {
  /** Natural-language instruction. 20,000 characters: longer text is a document, not an instruction. */
  @IsString()
  @IsNotEmpty()
  @MaxLength(20_000)
  @Matches(/\S/, { message: '$property must not be blank' })
  prompt!: string;
  @Optional() @IsString() @IsNotEmpty() workspace_id?: string;
  @Optional() @IsString() @IsNotEmpty() conversation_id?: string;
  /** Output contract in one of two forms; validated by the runs service. */
  @Optional() @IsObject() output?: Record<string, unknown>;
}

/** Query of GET /v1/runs. */
export class RunListQuery extends OffsetPageQuery {
  @Optional() @IsString() @IsNotEmpty() workspace_id?: string;
  @Optional() @IsString() @IsNotEmpty() conversation_id?: string;
}

/** The Run as the contract shows it. */
export type RunJson = z.infer<typeof Run>;
export type RunStatus = RunJson['status'];
/** Table that a run created or changed. */
export type RunArtifact = z.infer<typeof RunArtifactResource>;
