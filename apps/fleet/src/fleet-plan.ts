import { WORKER_QUEUES } from '@quarry/dto';
import type { FleetEnv } from './fleet.env.js';

/** Group of processes that are started and stopped together. */
export type Rank = 'workers' | 'services' | 'gateways';

/** One process of the fleet. */
export interface PlannedProcess {
  /** Name on the screen and in the log, such as `tables-1`. */
  name: string;
  /** Folder in `apps/`. */
  app: 'gateway' | 'tables' | 'runs-agent' | 'jobs-worker';
  rank: Rank;
  env: Record<string, string>;
  /** Port of /metrics, /healthz and /readyz on 127.0.0.1. */
  metricsPort: number;
}

/** Addresses of the fleet's servers, and its secrets. */
export interface FleetSurroundings {
  /** Addresses for processes that work for all organisations, and for those that answer requests of a single one. */
  databaseUrls: { working: string; serving: string };
  /** Address of the queues; null when they are in the database. */
  queueUrl: string | null;
  cursorSecret: string;
  rpcSecret: string;
  /** Secrets that seal organisations' vendor keys, comma-separated; the first one seals. */
  secretsKeys: string;
  /** @returns ports that are not in use now */
  freePorts: (n: number) => Promise<number[]>;
}

/**
 * @returns every process with its environment, in the order of their start. A gateway knows all addresses of each service, so
 * that calls are balanced, and a process that is down is avoided.
 */
export async function planFleet(
  env: FleetEnv,
  surroundings: FleetSurroundings,
): Promise<{ processes: PlannedProcess[]; gatewayPorts: number[] }> {
  const counts = [
    (WORKER_QUEUES.length + 1) * env.WORKERS,
    env.TABLES,
    env.RUNS_AGENTS,
    env.SERVICES,
    env.GATEWAYS,
  ];
  const all = counts.reduce((sum, n) => sum + n, 0);
  const metricsPorts = await consecutivePorts(env.METRICS_PORT, all, surroundings);
  const rpcPorts = await surroundings.freePorts(env.TABLES + env.RUNS_AGENTS + env.WORKERS + env.SERVICES);
  const gatewayPorts = await consecutivePorts(env.PORT || undefined, env.GATEWAYS, surroundings);
  const tables = rpcPorts.splice(0, env.TABLES);
  const runs = rpcPorts.splice(0, env.RUNS_AGENTS);
  const agents = rpcPorts.splice(0, env.WORKERS);
  const services = rpcPorts;
  const { working, serving } = databasesOf(surroundings);
  const baseUrl = (env.BASE_URL ?? addressOf(env.HOST, gatewayPorts[0]!)).replace(/\/+$/, '');
  const common = {
    CURSOR_SECRET: surroundings.cursorSecret,
    RPC_SECRETS: surroundings.rpcSecret,
    SANDBOX: env.SANDBOX ? 'on' : 'off',
    BASE_URL: baseUrl,
    APP_URL: env.APP_URL ?? `${baseUrl}/app`,
    LOG_LEVEL: env.LOG_LEVEL,
    DRAIN_MS: String(env.DRAIN_MS),
  };
  const secrets = { ENCRYPTION_KEYS: surroundings.secretsKeys };
  const nameOf = (queue: string, i: number) => (env.WORKERS === 1 ? queue : `${queue}-${i + 1}`);
  const planned: Array<Omit<PlannedProcess, 'metricsPort'>> = [
    ...WORKER_QUEUES.flatMap((queue) =>
      Array.from({ length: env.WORKERS }, (_, i) => ({
        name: nameOf(queue, i),
        app: 'jobs-worker' as const,
        rank: 'workers' as const,
        env: {
          ...common,
          ...working,
          ...secrets,
          WORKER_QUEUES: queue,
          // Runs that search the web may have columns that fast services fill.
          ...(queue === 'sourcing-runs' ? { SERVICES_RPC_URL: upstreamAt(services) } : {}),
        },
      })),
    ),
    ...agents.map((port, i) => ({
      name: nameOf('agent-runs', i),
      app: 'runs-agent' as const,
      rank: 'workers' as const,
      env: {
        ...common,
        ...working,
        ...secrets,
        AGENT: 'on',
        RPC_PORT: String(port),
        SERVICES_RPC_URL: upstreamAt(services),
      },
    })),
    ...tables.map((port, i) => ({
      name: `tables-${i + 1}`,
      app: 'tables' as const,
      rank: 'services' as const,
      env: { ...common, ...serving, RPC_PORT: String(port) },
    })),
    // As on Kubernetes: calls about runs are answered in the role that sees one organisation at a time.
    ...runs.map((port, i) => ({
      name: `runs-agent-${i + 1}`,
      app: 'runs-agent' as const,
      rank: 'services' as const,
      env: { ...common, ...serving, ...secrets, RPC_PORT: String(port), AGENT: 'off' },
    })),
    ...services.map((port, i) => ({
      name: `services-${i + 1}`,
      app: 'jobs-worker' as const,
      rank: 'services' as const,
      env: {
        ...common,
        ...working,
        ...secrets,
        RPC_PORT: String(port),
        SERVICES_RPC: 'on',
        WORKER_QUEUES: 'none',
      },
    })),
    ...gatewayPorts.map((port, i) => ({
      name: `gateway-${i + 1}`,
      app: 'gateway' as const,
      rank: 'gateways' as const,
      env: {
        RPC_SECRETS: surroundings.rpcSecret,
        DATABASE_URL: surroundings.databaseUrls.serving,
        ...(surroundings.queueUrl?.startsWith('redis') ? { REDIS_URL: surroundings.queueUrl } : {}),
        // Without a common address, links lead to the gateway that received the request.
        ...(env.APP_URL || env.BASE_URL ? { APP_URL: common.APP_URL } : {}),
        HOST: env.HOST,
        PORT: String(port),
        TABLES_RPC_URL: upstreamAt(tables),
        RUNS_RPC_URL: upstreamAt(runs),
        SERVICES_RPC_URL: upstreamAt(services),
        SHUTDOWN_DELAY_MS: String(env.SHUTDOWN_DELAY_MS),
        LOG_LEVEL: env.LOG_LEVEL,
      },
    })),
  ];
  const processes = planned.map((each, i) => ({
    ...each,
    metricsPort: metricsPorts[i]!,
    env: { ...each.env, METRICS_HOST: '127.0.0.1', METRICS_PORT: String(metricsPorts[i]) },
  }));
  return { processes, gatewayPorts };
}

/** @returns the address of a port for clients of this machine */
export function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function databasesOf({ databaseUrls, queueUrl }: FleetSurroundings) {
  const at = (url: string) => ({ DATABASE_URL: url, QUEUE_URL: queueUrl ?? url });
  return { working: at(databaseUrls.working), serving: at(databaseUrls.serving) };
}

function upstreamAt(ports: readonly number[]): string {
  return ports.map((port) => `tcp://127.0.0.1:${port}`).join(',');
}

async function consecutivePorts(
  first: number | undefined,
  n: number,
  { freePorts }: FleetSurroundings,
): Promise<number[]> {
  return first === undefined ? freePorts(n) : Array.from({ length: n }, (_, i) => first + i);
}
