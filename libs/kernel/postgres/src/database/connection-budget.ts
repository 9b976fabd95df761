/** Maximum number of PostgreSQL connections of a process, by purpose; 0 if the process does not use any for it. */
export interface ConnectionBudget {
  /** Transactions, and single statements of a kind without connections of its own in this process. */
  readonly transactions: number;
  /** COPYs that run beside an open transaction. */
  readonly copies: number;
  readonly lists: number;
  readonly read: number;
  readonly work: number;
  readonly heartbeat: number;
  readonly ping: number;
}

/** Budget of a single process that has PostgreSQL to itself. */
const WHOLE: ConnectionBudget = {
  transactions: 10,
  copies: 3,
  lists: 4,
  read: 2,
  work: 2,
  heartbeat: 2,
  ping: 1,
};

/**
 * Connection budget of each process. A deployment with two gateways, two tables, two runs-agents and three workers, one
 * of which serves calls, fits into the 97 connections that PostgreSQL leaves to users by default; docs/scaling.md has the
 * sum.
 */
export const CONNECTION_BUDGETS = {
  local: WHOLE,
  // Reads keys; the only writes are occasional updates of their last use.
  gateway: { transactions: 2, copies: 0, lists: 0, read: 2, work: 0, heartbeat: 0, ping: 1 },
  tables: { transactions: 5, copies: 1, lists: 2, read: 2, work: 0, heartbeat: 1, ping: 1 },
  'runs-agent': { transactions: 5, copies: 1, lists: 2, read: 2, work: 0, heartbeat: 1, ping: 1 },
  // Lists are requested by calls.
  'jobs-worker': { transactions: 5, copies: 0, lists: 0, read: 2, work: 2, heartbeat: 1, ping: 1 },
  'jobs-worker, SERVICES_RPC=on': {
    transactions: 5,
    copies: 0,
    lists: 2,
    read: 2,
    work: 2,
    heartbeat: 1,
    ping: 1,
  },
  admin: { transactions: 4, copies: 1, lists: 0, read: 0, work: 0, heartbeat: 0, ping: 1 },
} as const satisfies Record<string, ConnectionBudget>;

/** @returns the total number of connections of a budget */
export function connectionsIn(budget: Readonly<Record<keyof ConnectionBudget, number>>): number {
  return Object.values(budget).reduce((sum, each) => sum + each, 0);
}
