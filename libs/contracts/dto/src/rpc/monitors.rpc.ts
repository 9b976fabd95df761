import type { ChangeMonitorRequest, CreateMonitorRequest } from '../monitors.js';
import type { JsonText } from '../resources/json-text.js';
import type {
  Monitor,
  MonitorItemPage,
  MonitorList,
  MonitorRun,
  MonitorRunPage,
} from '../resources/monitors.resources.js';
import { defineMethod, type Keyed } from './rpc-method.js';

/** Timeout in milliseconds, as for planning a prompt. */
const PLANNING_MS = 30_000;

/** Calls for monitors; handled by the runs-agent service. */
export const MONITORS_RPC = {
  create: defineMethod<{ body: CreateMonitorRequest } & Keyed, JsonText<typeof Monitor>>(
    'runs.monitors.create',
    'write',
    PLANNING_MS,
  ),
  list: defineMethod<Record<string, never>, JsonText<typeof MonitorList>>('runs.monitors.list', 'read'),
  get: defineMethod<{ monitorId: string }, JsonText<typeof Monitor>>('runs.monitors.get', 'read'),
  change: defineMethod<{ monitorId: string; body: ChangeMonitorRequest }, JsonText<typeof Monitor>>(
    'runs.monitors.change',
    'write',
  ),
  remove: defineMethod<{ monitorId: string }, null>('runs.monitors.remove', 'write'),
  pause: defineMethod<{ monitorId: string }, JsonText<typeof Monitor>>('runs.monitors.pause', 'write'),
  resume: defineMethod<{ monitorId: string }, JsonText<typeof Monitor>>('runs.monitors.resume', 'write'),
  /** Runs now, independent of the schedule. */
  trigger: defineMethod<{ monitorId: string } & Keyed, JsonText<typeof MonitorRun>>(
    'runs.monitors.trigger',
    'write',
  ),
  listRuns: defineMethod<
    { monitorId: string; limit: number; cursor: string | null },
    JsonText<typeof MonitorRunPage>
  >('runs.monitors.runs', 'read'),
  listItems: defineMethod<
    { monitorId: string; since: string | null; limit: number; cursor: string | null },
    JsonText<typeof MonitorItemPage>
  >('runs.monitors.items', 'read'),
} as const;
