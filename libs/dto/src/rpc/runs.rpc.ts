import type { CreateRunRequest } from '../runs.js';
import type { JsonText } from '../resources/json-text.js';
import type { Run, RunOutput, RunPage } from '../resources/runs.resources.js';
import { method, type Keyed } from './rpc-method.js';

/** How long a prompt may be read for an estimate: longer than that no caller waits. */
const PLANNING_MS = 30_000;

/** Calls that the runs-agent service answers. */
export const RUNS_RPC = {
  createRun: method<{ body: CreateRunRequest } & Keyed, { id: string; json: JsonText<typeof Run> }>(
    'runs.runs.create',
    'write',
  ),
  /** Reads the prompt as the run would, and says what its paid columns can cost at most. Makes nothing. */
  estimateRun: method<{ body: CreateRunRequest }, { rows: number; creditsMax: number }>(
    'runs.runs.estimate',
    'read',
    PLANNING_MS,
  ),
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
