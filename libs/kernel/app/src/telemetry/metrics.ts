import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

export type { Registry as MetricsRegistry } from 'prom-client';

/** Creates the metrics registry of the process, with the default metrics of Node. */
export function createMetrics(app: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ app });
  collectDefaultMetrics({ register: registry });
  return registry;
}

export interface MetricDefinition {
  name: string;
  help: string;
  labels: readonly string[];
  /** Called at every scrape. */
  read: () => Promise<ReadonlyArray<{ labels: Record<string, string>; value: number }>>;
}

/** Adds a gauge that is read at each scrape. If the read fails, the metric is absent instead of stale. */
export function addGauge(registry: Registry, definition: MetricDefinition): void {
  const { name, help, labels, read } = definition;
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      this.reset();
      const values = await read().catch(() => []);
      for (const each of values) this.set(each.labels, each.value);
    },
  });
}

/** Adds a counter that only grows while the process lives, read like a gauge. */
export function addCounter(registry: Registry, definition: MetricDefinition): void {
  const { name, help, labels, read } = definition;
  new Counter({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      const values = await read();
      this.reset();
      for (const each of values) this.inc(each.labels, each.value);
    },
  });
}

export interface OperationsServerOptions {
  registries: readonly Registry[];
  host: string;
  port: number;
  /** Resolves if the process can serve requests; rejects with the reason if it cannot. */
  ready: () => Promise<void>;
  /** Returns true if only a restart helps. */
  isStuck: () => boolean;
}

/**
 * @param server that the process depends on
 * @param isStopping a process that is stopping is not ready, even if it still responds
 * @returns the probes of the process
 */
export function probesOf(
  server: { ping(): Promise<void>; readonly isStuck: boolean },
  isStopping: () => boolean,
): Pick<OperationsServerOptions, 'ready' | 'isStuck'> {
  const ready = async (): Promise<void> => {
    if (isStopping()) throw new Error('The process is stopping.');
    await server.ping();
  };
  return { ready, isStuck: () => server.isStuck };
}

/** Serves `/metrics`, `/healthz` and `/readyz` on an internal port. @returns the listening server */
export async function serveOperations(options: OperationsServerOptions): Promise<Server> {
  const server = createServer((request, response) => {
    void answerRequest(options, request.url ?? '').then(({ status, type, body }) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(options.port, options.host, resolve),
  );
  return server;
}

async function textOf(registries: readonly Registry[]): Promise<string> {
  return (await Promise.all(registries.map((each) => each.metrics()))).join('\n');
}

async function answerRequest(
  options: OperationsServerOptions,
  url: string,
): Promise<{ status: number; type: string; body: string }> {
  const text = 'text/plain; charset=utf-8';
  if (url === '/metrics')
    return { status: 200, type: Registry.PROMETHEUS_CONTENT_TYPE, body: await textOf(options.registries) };
  if (url === '/healthz')
    return options.isStuck()
      ? { status: 503, type: text, body: 'stuck\n' }
      : { status: 200, type: text, body: 'ok\n' };
  if (url !== '/readyz') return { status: 404, type: text, body: 'not found\n' };
  return options.ready().then(
    () => ({ status: 200, type: text, body: 'ready\n' }),
    () => ({ status: 503, type: text, body: 'not ready\n' }),
  );
}
