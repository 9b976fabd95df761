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
    help: 'Connections that one piece of work has for itself, by what they are for.',
    labels,
    read: of('shares', ({ running }) => running),
  });
  addGauge(registry, {
    name: 'quarry_database_waiting',
    help: 'Pieces of work that wait for a connection of their own.',
    labels,
    read: of('shares', ({ waiting }) => waiting),
  });
  addCounter(registry, {
    name: 'quarry_database_waits_total',
    help: 'How often somebody had to wait for one.',
    labels,
    read: of('shares', ({ waits }) => waits),
  });
  addCounter(registry, {
    name: 'quarry_database_wait_seconds_total',
    help: 'How long they waited, all together.',
    labels,
    read: of('shares', ({ waitedMs }) => waitedMs / 1000),
  });
  addCounter(registry, {
    name: 'quarry_database_wait_refusals_total',
    help: 'Those among them whose turn did not come in time.',
    labels,
    read: of('shares', ({ refusals }) => refusals),
  });
  addGauge(registry, {
    name: 'quarry_database_lane_statements',
    help: 'Statements that are sent and not answered, on connections that many share.',
    labels,
    read: of('pipelined', ({ inFlight }) => inFlight),
  });
  addGauge(registry, {
    name: 'quarry_database_lane_still_seconds',
    help: 'How long the slowest of these connections has answered nothing while something waits on it.',
    labels,
    read: of('pipelined', ({ stillMs }) => stillMs / 1000),
  });
  return registry;
}
