import { ERROR_CODES, JOB_ERROR_CODES } from '@quarry/error-codes';
import { z } from 'zod';
import { JOB_STATUSES } from '../service-jobs.js';
import { Count, Credits, cursorPage, Id, offsetPage, Path, defineResource, Timestamp } from './resource.js';

const keysOf = (codes: object) => Object.keys(codes) as [string, ...string[]];

export const JobError = defineResource('JobError', {
  code: z.enum(keysOf(JOB_ERROR_CODES)),
  message: z.string(),
  retryable: z.boolean().describe('True when the same input can get an answer in a new batch.'),
});

const line = {
  job_id: Id('svcjob', 'the job'),
  input_index: Count.describe('Index of the input in the request.'),
  service: z.string(),
  status: z.enum(JOB_STATUSES),
  attempt: Count.describe('Number of times the call to the provider was started.'),
  reused: z.boolean().describe('True when the answer was already paid for: nothing is charged for it.'),
  result: z
    .record(z.string(), z.unknown())
    .nullable()
    .optional()
    .describe('Only on a completed line: the answer of the service; null once it is no longer kept.'),
  error: JobError.optional().describe('Only on a failed line.'),
  created_at: Timestamp,
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
};
export const JobLine = defineResource('JobLine', line);

export const Batch = defineResource('Batch', {
  ok: z.literal(true),
  batch_id: Id('svcbatch', 'the batch'),
  service: z.string(),
  size: z.int().min(1).max(100),
  status: z.enum(['queued', 'running', 'completed']),
  counts: z.strictObject({
    queued: Count,
    running: Count,
    completed: Count,
    failed: Count,
    cancelled: Count,
  }),
  jobs: z.array(JobLine),
  poll_url: Path,
});

/** Job in the list of all jobs, always with all of its fields. */
export const Job = defineResource('Job', {
  ok: z.literal(true),
  job_id: line.job_id,
  service: line.service,
  status: line.status,
  attempt: line.attempt,
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.strictObject({ code: z.enum(keysOf(JOB_ERROR_CODES)), message: z.string() }).nullable(),
  created_at: Timestamp,
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
  poll_url: Path,
});
export const JobPage = offsetPage('JobPage', Job);

const summary = {
  name: z.string(),
  title: z.string(),
  description: z.string(),
  category: z.string(),
  mode: z.enum(['fast', 'slow']),
  available: z.boolean(),
  unavailable_reason: z.string().nullable(),
  price: z.strictObject({ unit: z.enum(['call', 'item']), hit: Credits, miss: Credits, max: Credits }),
  reuse_seconds: Count,
  links: z.strictObject({ self: Path, run: Path }),
};
export const ServiceSummary = defineResource('ServiceSummary', summary);
export const ServicePage = offsetPage('ServicePage', ServiceSummary);

export const Service = defineResource('Service', {
  ...summary,
  input_schema: z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12.'),
  output_schema: z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12.'),
  examples: z.array(z.unknown()),
  charge_rule: z.string(),
  providers: z.array(z.strictObject({ id: z.string(), configured: z.boolean(), order: Count })),
  limits: z.record(z.string(), z.number()),
  errors: z.array(
    z.strictObject({
      code: z.enum([...new Set([...keysOf(JOB_ERROR_CODES), ...keysOf(ERROR_CODES)])] as [
        string,
        ...string[],
      ]),
      retryable: z.boolean(),
    }),
  ),
});

/** Charge of a direct call, and the remaining balance. */
export const CallCredits = defineResource('CallCredits', { charged: Credits, remaining: Credits });

/** Response of a direct call; the API description has one with a specific output for each service. */
export const ServiceAnswer = defineResource('ServiceAnswer', {
  ok: z.literal(true),
  service: z.string(),
  output: z.unknown(),
  credits: CallCredits,
});

export const Balance = defineResource('Balance', {
  remaining: Credits.describe('What can be spent now: the balance without what is reserved.'),
  reserved: Credits,
  balance: Credits,
  updated_at: Timestamp,
});

export const LedgerEntry = defineResource('LedgerEntry', {
  id: z.string(),
  at: Timestamp,
  kind: z.enum(['grant', 'charge', 'adjustment']),
  amount: Credits.describe('Negative for a charge. The sum of all entries is the balance.'),
  service: z.string().nullable(),
  batch_id: z.string().nullable(),
  job_id: z.string().nullable(),
  input_index: Count.nullable(),
  run_id: z.string().nullable(),
  reason: z.string().nullable(),
});
export const LedgerPage = cursorPage('LedgerPage', LedgerEntry);

export const CreditUsage = defineResource('CreditUsage', {
  since: z.string().describe('First day of the period, in UTC.'),
  items: z.array(
    z.strictObject({
      key: z
        .string()
        .nullable()
        .describe('A day, a service, or the id of a run or key; null for what has none.'),
      credits: Credits,
      charges: Count.describe('Number of ledger entries.'),
    }),
  ),
});

export const Estimate = defineResource('Estimate', {
  min: Credits,
  max: Credits,
  new_lines: Count,
  reused_lines: Count,
  rejected_lines: Count,
  affordable: z.boolean(),
});

const spent = z.strictObject({ cap: Credits.nullable(), used: Credits, resets_at: Timestamp });
const limits = z.strictObject({ day: spent, month: spent });
export const SpendLimits = defineResource('SpendLimits', { organisation: limits, key: limits });
