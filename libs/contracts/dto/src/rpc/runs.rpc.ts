import type { CreatePlanRequest } from '../plans.js';
import type { CreateEnrichmentRequest } from '../enrichments.js';
import type { CreateRunRequest } from '../runs.js';
import type { JsonText } from '../resources/json-text.js';
import type { Enrichment, EnrichmentEstimate } from '../resources/enrichments.resources.js';
import type { Plan } from '../resources/plans.resources.js';
import type { ColumnDetails } from '../resources/tables.resources.js';
import type { Run, RunOutput, RunPage, RunSteps } from '../resources/runs.resources.js';
import { defineMethod, type Keyed } from './rpc-method.js';

/** Timeout of planning a prompt in milliseconds: no caller waits longer. */
const PLANNING_MS = 30_000;
/** Timeout in milliseconds of selecting and marking the rows of a large table. */
const CHOOSING_MS = 60_000;
/** Timeout in milliseconds, longer than a read is held. */
const HELD_MS = 70_000;

/** Maximum cost of a run in credits; if omitted, it has no limit of its own. */
interface Limited {
  maxCredits?: number | undefined;
}

/** Calls handled by the runs-agent service. */
export const RUNS_RPC = {
  createRun: defineMethod<
    { body: CreateRunRequest } & Keyed & Limited,
    { id: string; json: JsonText<typeof Run> }
  >('runs.runs.create', 'write'),
  /** Plans the prompt as a run would, or estimates the corrected intent of a plan. */
  createPlan: defineMethod<{ body: CreatePlanRequest } & Keyed, JsonText<typeof Plan>>(
    'runs.plans.create',
    'write',
    PLANNING_MS,
  ),
  getPlan: defineMethod<{ planId: string }, JsonText<typeof Plan>>('runs.plans.get', 'read'),
  /** Returns the JSON Schema of an intent. */
  getIntentSchema: defineMethod<Record<string, never>, Readonly<Record<string, unknown>>>(
    'runs.plans.schema',
    'read',
  ),
  /**
   * Starts a run that executes the plan. `intent`: as changed by the user. `request`: compared for a repeated idempotency
   * key; if omitted, the plan and the changed intent are.
   */
  createRunOfPlan: defineMethod<
    { planId: string; intent?: Record<string, unknown> | undefined; request?: unknown } & Keyed & Limited,
    { id: string; json: JsonText<typeof Run> }
  >('runs.plans.run', 'write'),
  listRuns: defineMethod<
    { limit: number; offset: number; workspaceId: string | null; conversationId: string | null },
    JsonText<typeof RunPage>
  >('runs.runs.list', 'read'),
  getRun: defineMethod<{ runId: string }, JsonText<typeof Run>>('runs.runs.get', 'read'),
  /** Responds when the run has ended, or when the wait is over. */
  waitForRun: defineMethod<{ runId: string; waitSeconds: number }, JsonText<typeof Run>>(
    'runs.runs.wait',
    'read',
    HELD_MS,
  ),
  /** `accepted` is true while the run had not ended (202), false when there was nothing to cancel (200). */
  cancelRun: defineMethod<{ runId: string }, { accepted: boolean; json: JsonText<typeof Run> }>(
    'runs.runs.cancel',
    'write',
  ),
  /** Returns the interpretation of a run's prompt, and the key under which each of its tables is frozen. */
  getRunReading: defineMethod<
    { runId: string },
    {
      understood: Array<{ fragment: string; reading: string }>;
      not_understood: string[];
      tables: Array<{ table_id: string; key: string }>;
    }
  >('runs.runs.reading', 'read'),
  getRunSteps: defineMethod<{ runId: string }, JsonText<typeof RunSteps>>('runs.runs.steps', 'read'),
  /** Selects rows, adds the columns, and marks the cells as pending. */
  createEnrichment: defineMethod<
    { tableId: string; body: CreateEnrichmentRequest; isFresh: boolean } & Keyed,
    JsonText<typeof Enrichment>
  >('runs.enrichments.create', 'write', CHOOSING_MS),
  /** Changes nothing. */
  estimateEnrichment: defineMethod<
    { tableId: string; body: CreateEnrichmentRequest; isFresh: boolean },
    JsonText<typeof EnrichmentEstimate>
  >('runs.enrichments.estimate', 'read', CHOOSING_MS),
  getEnrichment: defineMethod<{ enrichmentId: string; waitSeconds: number }, JsonText<typeof Enrichment>>(
    'runs.enrichments.get',
    'read',
    HELD_MS,
  ),
  /** `accepted` is true while the enrichment had not ended (202), false when there was nothing to cancel (200). */
  cancelEnrichment: defineMethod<
    { enrichmentId: string },
    { accepted: boolean; json: JsonText<typeof Enrichment> }
  >('runs.enrichments.cancel', 'write'),
  /** Returns a column with the service that fills it, and what its lookups were charged. */
  getColumn: defineMethod<{ tableId: string; key: string }, JsonText<typeof ColumnDetails>>(
    'runs.columns.get',
    'read',
  ),
  getOutput: defineMethod<{ runId: string }, JsonText<typeof RunOutput>>('runs.output.get', 'read'),
} as const;
