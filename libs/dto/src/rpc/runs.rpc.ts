import type { CreateRunRequest } from '../runs.js';
import type { JsonText } from '../resources/json-text.js';
import type { Plan } from '../resources/plans.resources.js';
import type { Run, RunOutput, RunPage } from '../resources/runs.resources.js';
import { method, type Keyed } from './rpc-method.js';

/** How long a prompt may be read for a plan: longer than that no caller waits. */
const PLANNING_MS = 30_000;

/** Calls that the runs-agent service answers. */
export const RUNS_RPC = {
  createRun: method<{ body: CreateRunRequest } & Keyed, { id: string; json: JsonText<typeof Run> }>(
    'runs.runs.create',
    'write',
  ),
  /** Reads the prompt as a run would. */
  createPlan: method<{ body: CreateRunRequest } & Keyed, JsonText<typeof Plan>>(
    'runs.plans.create',
    'write',
    PLANNING_MS,
  ),
  getPlan: method<{ planId: string }, JsonText<typeof Plan>>('runs.plans.get', 'read'),
  /** The JSON Schema of an intent. */
  getIntentSchema: method<Record<string, never>, Readonly<Record<string, unknown>>>(
    'runs.plans.schema',
    'read',
  ),
  /**
   * Starts a run that does what the plan says. `intent`: as somebody has changed it. `request`: what a key that comes again
   * must come with; the plan and the changed intent when left out.
   */
  createRunOfPlan: method<
    { planId: string; intent?: Record<string, unknown> | undefined; request?: unknown } & Keyed,
    { id: string; json: JsonText<typeof Run> }
  >('runs.plans.run', 'write'),
  listRuns: method<
    { limit: number; offset: number; workspaceId: string | null; conversationId: string | null },
    JsonText<typeof RunPage>
  >('runs.runs.list', 'read'),
  getRun: method<{ runId: string }, JsonText<typeof Run>>('runs.runs.get', 'read'),
  /** `accepted` is true while the run had not ended (202), false when nothing was left to cancel (200). */
  cancelRun: method<{ runId: string }, { accepted: boolean; json: JsonText<typeof Run> }>(
    'runs.runs.cancel',
    'write',
  ),
  getOutput: method<{ runId: string }, JsonText<typeof RunOutput>>('runs.output.get', 'read'),
} as const;
