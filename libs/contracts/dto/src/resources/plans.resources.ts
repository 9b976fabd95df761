import { z } from 'zod';
import { Count, Credits, Id, Path, defineResource, Timestamp } from './resource.js';

/** Reading of a prompt, before anything runs. */
export const Plan = defineResource('Plan', {
  id: Id('plan', 'the plan'),
  prompt: z.string(),
  planner: z.enum(['rules', 'model']).describe('What has read the prompt.'),
  intent: z
    .record(z.string(), z.unknown())
    .describe(
      'The plan in the words of GET /v1/plans/schema, to be corrected and sent back; for an output contract with several tables an object with one in `tables` for each.',
    ),
  understood: z
    .array(z.strictObject({ fragment: z.string(), reading: z.string() }))
    .describe('Words of the prompt, and what they were taken for.'),
  not_understood: z.array(z.string()).describe('Words that carry meaning and became nothing.'),
  notes: z.array(z.string()).describe('Assumptions, each one sentence.'),
  estimate: z.strictObject({
    rows: Count.describe('Rows that are made at most.'),
    credits_min: Credits,
    credits_max: Credits.describe('What paid columns can cost at most.'),
  }),
  links: z.strictObject({ self: Path, runs: Path }),
  created_at: Timestamp,
});
