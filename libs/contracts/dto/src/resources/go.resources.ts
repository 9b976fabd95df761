import { z } from 'zod';
import { GO_STATUSES, GO_STOP_REASONS } from '../go.js';
import { Credits, Id, offsetPage, defineResource, Timestamp } from './resource.js';

/** Reason for the value of an output field. */
const basis = z.strictObject({
  field: z.string().describe('JSON pointer into the output.'),
  value: z.unknown(),
  reasoning: z.string(),
  confidence: z.enum(['high', 'medium', 'low']).nullable(),
  citations: z.array(
    z.strictObject({
      url: z.string(),
      title: z.string().nullable(),
      excerpt: z.string().nullable().describe('The text of the page that proves the value.'),
      retrieved_at: Timestamp,
    }),
  ),
});

export const GoRun = defineResource('GoRun', {
  ok: z.boolean().describe('False once the run has failed.'),
  id: Id('gorun', 'the Go run'),
  status: z.enum(GO_STATUSES),
  stop_reason: z.enum(GO_STOP_REASONS).nullable().describe('Null while it works.'),
  output: z.unknown().describe('Null until the run has ended. Values that were not proved are null.'),
  basis: z.array(basis),
  credits: z.strictObject({
    charged: Credits,
    remaining: Credits.describe(
      'Credits that could be spent after the charge, or can be spent while the run works.',
    ),
  }),
  error: z.strictObject({ code: z.literal('agent_error'), message: z.string() }).nullable(),
  created_at: Timestamp,
  completed_at: Timestamp.nullable(),
});

export const GoRunPage = offsetPage('GoRunPage', GoRun);

/** Question of a Go run, which the run resource does not contain. */
export const GoQuestion = z.strictObject({ id: Id('gorun', 'the Go run'), prompt: z.string() });

export const GoQuestionPage = z.strictObject({ items: z.array(GoQuestion), next_offset: z.int().nullable() });
