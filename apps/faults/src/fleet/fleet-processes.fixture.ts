import { descendantsOf, isRunning } from '@quarry/testing';
import { readFileSync } from 'node:fs';

/** A process of the fleet, as /proc shows it. */
export interface FleetProcess {
  pid: number;
  metricsPort: number;
  env: Readonly<Record<string, string>>;
}

/** Kinds of processes, recognised by the folder of the app and a variable that only this kind has. */
export const KINDS = {
  gateway: { app: 'gateway', variable: 'TABLES_RPC_URL' },
  tables: { app: 'tables', variable: 'RPC_PORT' },
  'runs-agent': { app: 'runs-agent', variable: 'AGENT', value: 'off' },
  agent: { app: 'runs-agent', variable: 'AGENT', value: 'on' },
  services: { app: 'jobs-worker', variable: 'SERVICES_RPC' },
  worker: { app: 'jobs-worker', variable: 'WORKER_QUEUES', value: 'service-get-email' },
} as const;
export type Kind = keyof typeof KINDS;

/** @returns the running processes of a kind below `root` */
export function processesOf(kind: Kind, root: number): FleetProcess[] {
  const { app, variable, ...more } = KINDS[kind];
  return descendantsOf(root).flatMap((pid) => {
    const found = processAt(pid);
    if (!found?.command.includes(`apps/${app}/`) || !isRunning(pid)) return [];
    const { env } = found;
    const isOfKind = 'value' in more ? env[variable] === more.value : env[variable] !== undefined;
    return isOfKind ? [{ pid, env, metricsPort: Number(env.METRICS_PORT) }] : [];
  });
}

/** @returns the metrics port of each running app below `root` */
export function portsOfLiving(root: number): string[] {
  return descendantsOf(root).flatMap((pid) => {
    const found = isRunning(pid) ? processAt(pid) : null;
    return found?.command.includes('apps/') && found.env.METRICS_PORT ? [found.env.METRICS_PORT] : [];
  });
}

function processAt(pid: number): { command: string; env: Record<string, string> } | null {
  try {
    const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const env = Object.fromEntries(
      pairs.map((pair) => [pair.split('=', 1)[0]!, pair.replace(/^[^=]*=/, '')]),
    );
    return { command: readFileSync(`/proc/${pid}/cmdline`, 'utf8'), env };
  } catch {
    return null; // The process has ended meanwhile.
  }
}
