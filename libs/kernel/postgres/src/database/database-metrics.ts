import { Registry } from 'prom-client';
import type { Database, DatabaseMetrics } from './database.js';
import { addCounter, addGauge } from '@quarry/app';

type Values = ReadonlyArray<{ labels: Record<string, string>; value: number }>;

/**
 * Creates the metrics of this process's connections: busy connections and waiting callers. Signs of trouble are growing
 * waits (too few connections, or statements that hold them too long) and a pipelined connection without responses.
 */
export function databaseMetrics(app: string, database: Database): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ app });
  const of =
    <Kind extends keyof DatabaseMetrics>(
      kind: Kind,
      value: (metrics: DatabaseMetrics[Kind][string]) => number,
    ) =>
    (): Promise<Values> =>
      Promise.resolve(
        Object.entries(database.readMetrics()[kind]).map(([connections, metrics]) => ({
          labels: { connections },
          value: value(metrics as DatabaseMetrics[Kind][string]),
        })),
      );
  const labels = ['connections'];
  addGauge(registry, {
    name: 'quarry_database_connections_used',
    help: 'Exclusive database connections, by purpose.',
    labels,
    read: of('shares', ({ running }) => running),
  });
  addGauge(registry, {
    name: 'quarry_database_waiting',
    help: 'Operations that wait for an exclusive database connection.',
    labels,
    read: of('shares', ({ waiting }) => waiting),
  });
  addCounter(registry, {
    name: 'quarry_database_waits_total',
    help: 'Number of waits for an exclusive database connection.',
    labels,
    read: of('shares', ({ waits }) => waits),
  });
  addCounter(registry, {
    name: 'quarry_database_wait_seconds_total',
    help: 'Total time of waits for an exclusive database connection.',
    labels,
    read: of('shares', ({ waitedMs }) => waitedMs / 1000),
  });
  addCounter(registry, {
    name: 'quarry_database_wait_refusals_total',
    help: 'Waits for an exclusive database connection that timed out.',
    labels,
    read: of('shares', ({ refusals }) => refusals),
  });
  addGauge(registry, {
    name: 'quarry_database_lane_statements',
    help: 'Statements in flight on shared database connections.',
    labels,
    read: of('pipelined', ({ inFlight }) => inFlight),
  });
  addGauge(registry, {
    name: 'quarry_database_lane_still_seconds',
    help: 'Longest time that a shared database connection has not answered while a statement waits on it.',
    labels,
    read: of('pipelined', ({ stillMs }) => stillMs / 1000),
  });
  return registry;
}
