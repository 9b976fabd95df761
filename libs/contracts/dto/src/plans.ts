import type { z } from 'zod';
import { IsNotEmpty, IsObject, IsString, Matches, MaxLength } from 'class-validator';
import { Optional } from './optional.js';
import type { Plan } from './resources/plans.resources.js';

/** Body of POST /v1/plans: a prompt that is to be read, or the corrected intent of a plan. */
export class CreatePlanRequest {
  /** Natural-language instruction; left out with `plan_id`. */
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
  /** The plan that is corrected. It has prompt, place and output contract. */
  @Optional() @IsString() @IsNotEmpty() plan_id?: string;
  /** The intent of that plan as somebody has changed it; validated by the runs service. */
  @Optional() @IsObject() intent?: Record<string, unknown>;
}

/** Body of POST /v1/plans/{id}/runs. */
export class CreateRunOfPlanRequest {
  /** The intent of the plan as somebody has changed it; validated by the runs service. */
  @Optional() @IsObject() intent?: Record<string, unknown>;
}

/** A plan as a client reads it: how a prompt was understood. */
export type PlanJson = z.infer<typeof Plan>;
