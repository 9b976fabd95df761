import { z } from 'zod';
import { Count, Credits, Id, Path, defineResource, Timestamp } from './resource.js';

/** Interpretation of a prompt, before anything is executed. */
export const Plan = defineResource('Plan', {
  id: Id('plan', 'the plan'),
  prompt: z.string(),
  planner: z.enum(['rules', 'model']).describe('The planner that read the prompt.'),
  intent: z
    .record(z.string(), z.unknown())
    .describe(
      'The plan as GET /v1/plans/schema describes it, which you can correct and send back; for an output contract with several tables, an object with one intent per table in `tables`.',
    ),
  understood: z
    .array(z.strictObject({ fragment: z.string(), reading: z.string() }))
    .describe('Words of the prompt, and how they were read.'),
  not_understood: z.array(z.string()).describe('Words that were not understood.'),
  notes: z.array(z.string()).describe('Assumptions, each one sentence.'),
  estimate: z.strictObject({
    rows: Count.describe('Maximum number of rows.'),
    credits_min: Credits,
    credits_max: Credits.describe('Maximum cost of the paid columns.'),
  }),
  links: z.strictObject({ self: Path, runs: Path }),
  created_at: Timestamp,
});
