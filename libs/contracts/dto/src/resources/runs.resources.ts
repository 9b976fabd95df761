import { RUN_ERROR_CODES } from '@quarry/error-codes';
import { z } from 'zod';
import { Credits, Id, offsetPage, Path, defineResource, Timestamp } from './resource.js';

export const RUN_STATUSES = ['queued', 'running', 'recovering', 'completed', 'failed', 'cancelled'] as const;

/** Table that a run created or changed. */
export const RunArtifact = defineResource('RunArtifact', {
  type: z.literal('table'),
  id: Id('tbl', 'the table'),
  name: z.string(),
  effect: z.enum(['created', 'updated']),
  links: z.strictObject({ self: Path, rows: Path }),
});

export const RunOutput = defineResource('RunOutput', { type: z.literal('json'), value: z.unknown() });

export const Run = defineResource('Run', {
  id: Id('run', 'the run'),
  workspace_id: Id('ws', 'its workspace'),
  conversation_id: Id('conv', 'its conversation'),
  status: z.enum(RUN_STATUSES),
  message: z
    .string()
    .max(1_500)
    .describe('Summary in words: what was found and left out, how the prompt was read, and the cost.'),
  artifacts: z.array(RunArtifact),
  output: RunOutput.nullable().describe(
    'The published output; null without an output contract, and until the run has completed.',
  ),
  error: z
    .strictObject({
      code: z.enum(Object.keys(RUN_ERROR_CODES) as [string, ...string[]]),
      message: z.string(),
    })
    .nullable(),
  cancellation_requested: z.boolean(),
  links: z.strictObject({ self: Path, app: z.url() }),
});

export const RunPage = offsetPage('RunPage', Run);

/** Steps of a run, in order. */
export const RunSteps = defineResource('RunSteps', {
  run_id: Id('run', 'the run'),
  prompt: z.string(),
  created_at: Timestamp,
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
  charged: Credits.describe('What the run has been charged so far.'),
  items: z.array(
    z.strictObject({
      name: z.string().describe('Unique within the run.'),
      title: z.string().describe('For people; may change.'),
      status: z.enum(['running', 'completed', 'failed']),
      started_at: Timestamp,
      completed_at: Timestamp.nullable(),
      charged: Credits.describe('What its batches were charged; direct calls count only for the run.'),
    }),
  ),
});
