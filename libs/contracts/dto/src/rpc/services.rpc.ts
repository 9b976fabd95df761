import type { JobStatus, UsagePart } from '../service-jobs.js';
import type { JsonText } from '../resources/json-text.js';
import type {
  Balance,
  Batch,
  CreditUsage,
  Estimate,
  JobPage,
  LedgerPage,
  Service,
  ServiceAnswer,
  ServicePage,
  SpendLimits,
} from '../resources/services.resources.js';
import type { ProviderItem, ProviderList } from '../resources/providers.resources.js';
import type { Trail } from '../resources/trails.resources.js';
import { defineMethod, type Keyed } from './rpc-method.js';

export interface BatchAccepted {
  batchId: string;
  /** True when every job had already ended at acceptance: the status is 200 instead of 202. */
  done: boolean;
  json: JsonText<typeof Batch>;
}

/** Maximum seconds that a batch read is held. Source: contract, Other limits. */
const WAIT_SECONDS_MAX = 60;

/** Calls handled by the services side: batches, the job list, the catalogue, credits. */
export const SERVICES_RPC = {
  createBatch: defineMethod<
    { service: string; inputs: Array<Record<string, unknown>>; fresh: boolean } & Keyed,
    BatchAccepted
  >('services.batches.create', 'write', 30_000),
  getBatch: defineMethod<{ batchId: string; waitSeconds: number }, JsonText<typeof Batch>>(
    'services.batches.get',
    'read',
    (WAIT_SECONDS_MAX + 10) * 1000,
  ),
  listJobs: defineMethod<
    {
      limit: number;
      offset: number;
      status: JobStatus | null;
      service: string | null;
      batchId: string | null;
    },
    JsonText<typeof JobPage>
  >('services.jobs.list', 'read'),
  getTrail: defineMethod<{ jobId: string }, JsonText<typeof Trail>>('services.jobs.trail', 'read'),
  listServices: defineMethod<
    { limit: number; offset: number; q: string | null; mode: 'fast' | 'slow' | null },
    JsonText<typeof ServicePage>
  >('services.catalogue.list', 'read'),
  getService: defineMethod<{ name: string }, JsonText<typeof Service>>('services.catalogue.get', 'read'),
  cancelBatch: defineMethod<{ batchId: string }, JsonText<typeof Batch>>('services.batches.cancel', 'write'),
  estimate: defineMethod<
    { service: string; inputs: Array<Record<string, unknown>>; fresh?: boolean },
    JsonText<typeof Estimate>
  >('services.credits.estimate', 'read'),
  listLedger: defineMethod<
    {
      limit: number;
      cursor: string | null;
      service: string | null;
      batchId: string | null;
      runId: string | null;
    },
    JsonText<typeof LedgerPage>
  >('services.credits.ledger', 'read'),
  sumUsage: defineMethod<{ by: UsagePart; days: number }, JsonText<typeof CreditUsage>>(
    'services.credits.usage',
    'read',
  ),
  /** Returns the charge for the result of a job; null when it was free. The amount is positive. */
  costOfJob: defineMethod<{ jobId: string }, { amount: number; ledger_id: string } | null>(
    'services.credits.cost-of-job',
    'read',
  ),
  getLimits: defineMethod<Record<string, never>, JsonText<typeof SpendLimits>>(
    'services.credits.limits',
    'read',
  ),
  getCredits: defineMethod<Record<string, never>, JsonText<typeof Balance>>('services.credits.get', 'read'),
} as const;

/**
 * Direct calls. They are never retried automatically: without a key, each successful one is charged. Timeout 40 s: longer
 * than the call's own deadline with the statements around it.
 */
export const FAST_SERVICES_RPC = {
  run: defineMethod<
    {
      service: string;
      input: Record<string, unknown>;
      /** Run that makes the call; not sent by the edge. */
      runId?: string;
      /** Index in its table, from 0, of the row that needs the call; only with `runId`. */
      rowIndex?: number;
    } & Keyed,
    JsonText<typeof ServiceAnswer>
  >('services.fast.run', 'write', 40_000),
} as const;

/** Calls for vendors and the keys that organisations have there; handled by the services side. */
export const PROVIDERS_RPC = {
  list: defineMethod<Record<string, never>, JsonText<typeof ProviderList>>('services.providers.list', 'read'),
  set: defineMethod<
    { id: string; key: string | null; enabled: boolean | null },
    JsonText<typeof ProviderItem>
  >('services.providers.set', 'write'),
  remove: defineMethod<{ id: string }, JsonText<typeof ProviderItem>>('services.providers.remove', 'write'),
} as const;
