import type { z } from 'zod';
import { IsNotEmpty, IsObject, IsString, Matches, MaxLength } from 'class-validator';
import { Optional } from './optional.js';
import type { Plan } from './resources/plans.resources.js';

/** Body of POST /v1/plans: a prompt to plan, or the corrected intent of a plan. */
export class CreatePlanRequest {
  /** Natural-language instruction; omitted with `plan_id`. */
  @Optional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(20_000)
  @Matches(/\S/, { message: '$property must not be blank' })
  prompt?: string;
  @Optional() @IsString() @IsNotEmpty() workspace_id?: string;
  @Optional() @IsString() @IsNotEmpty() conversation_id?: string;
  /** Output contract in one of two forms; validated by the runs service. */
  @Optional() @IsObject() output?: Record<string, unknown>;
  /** Plan that is corrected. Its prompt, conversation and output contract are reused. */
  @Optional() @IsString() @IsNotEmpty() plan_id?: string;
  /** Intent of that plan as changed by the user; validated by the runs service. */
  @Optional() @IsObject() intent?: Record<string, unknown>;
}

/** Body of POST /v1/plans/{id}/runs. */
export class CreateRunOfPlanRequest {
  /** Intent of the plan as changed by the user; validated by the runs service. */
  @Optional() @IsObject() intent?: Record<string, unknown>;
}

/** Plan as clients read it: the interpretation of a prompt. */
export type PlanJson = z.infer<typeof Plan>;
