import type { ChangeMonitorRequest, CreateMonitorRequest } from '../monitors.js';
import type { JsonText } from '../resources/json-text.js';
import type {
  Monitor,
  MonitorItemPage,
  MonitorList,
  MonitorRun,
  MonitorRunPage,
} from '../resources/monitors.resources.js';
import { method, type Keyed } from './rpc-method.js';

/** As long as a prompt may be read for a plan. */
const PLANNING_MS = 30_000;

/** Calls for monitors; answered by the runs-agent service. */
export const MONITORS_RPC = {
  create: method<{ body: CreateMonitorRequest } & Keyed, JsonText<typeof Monitor>>(
    'runs.monitors.create',
    'write',
    PLANNING_MS,
  ),
  list: method<Record<string, never>, JsonText<typeof MonitorList>>('runs.monitors.list', 'read'),
  get: method<{ monitorId: string }, JsonText<typeof Monitor>>('runs.monitors.get', 'read'),
  change: method<{ monitorId: string; body: ChangeMonitorRequest }, JsonText<typeof Monitor>>(
    'runs.monitors.change',
    'write',
  ),
  remove: method<{ monitorId: string }, null>('runs.monitors.remove', 'write'),
  pause: method<{ monitorId: string }, JsonText<typeof Monitor>>('runs.monitors.pause', 'write'),
  resume: method<{ monitorId: string }, JsonText<typeof Monitor>>('runs.monitors.resume', 'write'),
  /** Runs now, beside the schedule. */
  trigger: method<{ monitorId: string } & Keyed, JsonText<typeof MonitorRun>>(
    'runs.monitors.trigger',
    'write',
  ),
  listRuns: method<
    { monitorId: string; limit: number; cursor: string | null },
    JsonText<typeof MonitorRunPage>
  >('runs.monitors.runs', 'read'),
  listItems: method<
    { monitorId: string; since: string | null; limit: number; cursor: string | null },
    JsonText<typeof MonitorItemPage>
  >('runs.monitors.items', 'read'),
} as const;
