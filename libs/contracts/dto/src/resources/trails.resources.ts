import { z } from 'zod';
import { Id, defineResource, Timestamp } from './resource.js';

export const TrailStep = z.strictObject({
  provider: z.string(),
  outcome: z
    .enum(['hit', 'miss', 'skipped', 'failed'])
    .describe('skipped: the input lacks what this provider needs.'),
  code: z
    .string()
    .nullable()
    .describe('Code of a failure; not_accepted for a result that the operator does not accept.'),
  started_at: Timestamp,
  duration_ms: z.int().min(0).describe('With its turns and repeated calls.'),
  cost: z
    .strictObject({ amount: z.number(), unit: z.string() })
    .nullable()
    .describe('What the provider charges for it, in its own unit.'),
});

/** Providers that were called for a job, in order, each with its outcome. */
export const Trail = defineResource('Trail', { job_id: Id('svcjob', 'the job'), steps: z.array(TrailStep) });
