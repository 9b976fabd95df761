import { z } from 'zod';
import { Count, Credits, Id, Path, defineResource, Timestamp } from './resource.js';

export const Enrichment = defineResource('Enrichment', {
  id: Id('enr', 'the enrichment'),
  table_id: Id('tbl', 'its table'),
  status: z.enum(['queued', 'running', 'completed', 'cancelled']),
  counts: z
    .strictObject({ pending: Count, filled: Count, empty: Count, failed: Count, skipped: Count })
    .describe('Numbers of cells. Cells that max_credits does not cover count as skipped.'),
  estimate: z.strictObject({ credits_min: Credits, credits_max: Credits }),
  charged: Credits.describe('What has been charged so far.'),
  links: z.strictObject({ self: Path }),
  created_at: Timestamp,
  completed_at: Timestamp.nullable(),
});

export const EnrichmentEstimate = defineResource('EnrichmentEstimate', {
  estimate: z.strictObject({
    rows: Count.describe('Rows that would be looked up: those that have the inputs of the service.'),
    credits_min: Credits,
    credits_max: Credits,
  }),
});
