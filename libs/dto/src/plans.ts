import type { z } from 'zod';
import { IsObject } from 'class-validator';
import { Optional } from './optional.js';
import type { Plan } from './resources/plans.resources.js';

/** Body of POST /v1/plans/{id}/runs. */
export class CreateRunOfPlanRequest {
  /** The intent of the plan as somebody has changed it; judged by the runs service. */
  @Optional() @IsObject() intent?: Record<string, unknown>;
}

/** A plan as a client reads it: how a prompt was understood. */
export type PlanJson = z.infer<typeof Plan>;
