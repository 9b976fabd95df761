import type { ClientBase } from 'pg';
import type { Ctx } from '@quarry/app';

/** A context inside an open transaction: statements run on its connection, and effects wait for its commit. */
export interface TxCtx extends Ctx {
  readonly tx: Transaction;
}

/** An open database transaction. */
export interface Transaction {
  readonly client: ClientBase;
  /** Effects to run in order after the commit. They are dropped on a rollback. */
  readonly afterCommit: Array<() => void | Promise<void>>;
}
