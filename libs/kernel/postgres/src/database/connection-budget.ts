/** Connections to PostgreSQL that a process may hold at once, by what they carry; 0 where it has none of its own. */
export interface ConnectionBudget {
  /** Transactions, and single statements of a kind that has no connections here. */
  readonly transactions: number;
  /** COPYs beside an open transaction. */
  readonly copies: number;
  readonly lists: number;
  readonly read: number;
  readonly work: number;
  readonly heartbeat: number;
  readonly ping: number;
}

/** Everything in one process, which has PostgreSQL to itself. */
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
 * Connections of each process. A fleet of two gateways, two tables, two runs-agents and three workers, one of which
 * answers calls, fits into the 97 connections that PostgreSQL leaves to users by default; docs/scaling.md shows the
 * sum.
 */
export const CONNECTION_BUDGETS = {
  local: WHOLE,
  // Keys are read; what is left is a note of their use now and then.
  gateway: { transactions: 2, copies: 0, lists: 0, read: 2, work: 0, heartbeat: 0, ping: 1 },
  tables: { transactions: 5, copies: 1, lists: 2, read: 2, work: 0, heartbeat: 0, ping: 1 },
  'runs-agent': { transactions: 5, copies: 1, lists: 2, read: 2, work: 0, heartbeat: 1, ping: 1 },
  // Lists are asked for by calls.
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

/** @returns how many connections a budget comes to */
export function connectionsIn(budget: Readonly<Record<keyof ConnectionBudget, number>>): number {
  return Object.values(budget).reduce((sum, each) => sum + each, 0);
}
