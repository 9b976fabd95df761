import { describe, expect, it } from '@jest/globals';
import { loadEnv } from '@quarry/app';
import { WORKER_QUEUES } from '@quarry/dto';
import { FleetEnv } from './fleet.env.js';
import { planFleet } from './fleet-plan.js';
import { readableLine } from './log-line.js';
import { backOffMs } from './supervised-process.js';

async function planned(variables: Record<string, string> = {}, queueUrl: string | null = 'redis://r/0') {
  let port = 50_000;
  return planFleet(loadEnv(FleetEnv, variables), {
    databaseUrls: { working: 'postgres://working', serving: 'postgres://serving' },
    queueUrl,
    cursorSecret: 'c',
    rpcSecret: 'r',
    secretsKeys: 's',
    freePorts: (n) => Promise.resolve(Array.from({ length: n }, () => (port += 1))),
  });
}

describe('the plan of a fleet', () => {
  it('has one worker for each queue of lines, and no port twice', async () => {
    const { processes, gatewayPorts } = await planned();
    const workers = processes.filter(({ rank }) => rank === 'workers');
    expect(workers.map(({ name }) => name)).toEqual([...WORKER_QUEUES, 'agent-runs']);
    expect(workers.slice(0, -1).map(({ env }) => env.WORKER_QUEUES)).toEqual(WORKER_QUEUES);
    expect(new Set(processes.map(({ name }) => name)).size).toBe(processes.length);
    const ports = processes.flatMap(({ metricsPort, env }) => [metricsPort, env.RPC_PORT, env.PORT]);
    const taken = ports.filter((port) => port !== undefined).map(Number);
    expect(new Set(taken).size).toBe(taken.length);
    expect(gatewayPorts).toEqual([3000, 3001]);
  });

  it('gives each gateway every address of each service, and the database role for serving', async () => {
    const { processes } = await planned({ TABLES: '3', SERVICES: '2', GATEWAYS: '1', METRICS_PORT: '9000' });
    const addressesOf = (name: string) =>
      processes
        .filter((each) => each.name.startsWith(name) && each.env.RPC_PORT)
        .map(({ env }) => `tcp://127.0.0.1:${env.RPC_PORT}`);
    const [gateway] = processes.filter(({ rank }) => rank === 'gateways');
    expect(gateway!.env).toMatchObject({
      DATABASE_URL: 'postgres://serving',
      REDIS_URL: 'redis://r/0',
      TABLES_RPC_URL: addressesOf('tables').join(','),
      RUNS_RPC_URL: addressesOf('runs-agent').join(','),
      SERVICES_RPC_URL: addressesOf('services').join(','),
    });
    expect(addressesOf('tables')).toHaveLength(3);
    expect(processes.map(({ metricsPort }) => metricsPort)).toEqual(processes.map((_, i) => 9000 + i));
  });

  it('answers calls about runs in the role that sees one organisation at a time, as on Kubernetes', async () => {
    const { processes } = await planned();
    const agents = processes.filter(({ app }) => app === 'runs-agent');
    expect(agents.map(({ name, env }) => [name, env.AGENT, env.DATABASE_URL])).toEqual([
      ['agent-runs', 'on', 'postgres://working'],
      ['runs-agent-1', 'off', 'postgres://serving'],
    ]);
  });

  it('gives gateways the URL of the web application if all of them share one', async () => {
    const given = async (variables?: Record<string, string>) =>
      (await planned(variables)).processes.flatMap(({ app, env }) =>
        app === 'gateway' ? [env.APP_URL] : [],
      );
    const url = 'https://quarry.example/app';
    expect(await given({ BASE_URL: 'https://quarry.example/' })).toEqual([url, url]);
    expect(await given({ BASE_URL: 'http://other.example', APP_URL: url })).toEqual([url, url]);
    expect(await given()).toEqual([undefined, undefined]);
  });

  it('puts the queues into the database of each role if there is no Redis', async () => {
    const { processes } = await planned({}, null);
    for (const { app, env } of processes)
      expect([app, env.QUEUE_URL, env.REDIS_URL]).toEqual([
        app,
        app === 'gateway' ? undefined : env.DATABASE_URL,
        undefined,
      ]);
  });
});

describe('a process that keeps exiting', () => {
  it('is restarted with doubled delays, at most half a minute', () => {
    expect([1, 2, 3, 4, 7, 8, 50].map(backOffMs)).toEqual([500, 1000, 2000, 4000, 30_000, 30_000, 30_000]);
  });
});

describe('the output of a fleet process', () => {
  it('is shown with its name, and log lines in readable form', () => {
    const line = JSON.stringify({
      level: 40,
      time: '2026-11-23T01:02:03.000Z',
      app: 'tables',
      n: 3,
      msg: 'slow',
    });
    expect(readableLine('tables-1', line, 10)).toMatch(/^tables-1 {3}│ \[.+\] WARN: slow \{"n":3\}$/);
    expect(readableLine('tables-1', 'a plain line', 8)).toBe('tables-1 │ a plain line');
  });
});
