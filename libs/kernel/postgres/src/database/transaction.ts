import type { ClientBase } from 'pg';
import type { Ctx } from '@quarry/app';

/** A context inside an open transaction: statements run on its connection, effects wait for its commit. */
export interface TxCtx extends Ctx {
  readonly tx: Transaction;
}

/** An open database transaction. */
export interface Transaction {
  readonly client: ClientBase;
  /** Effects to run, in order, once the commit has succeeded. Never run when it rolls back. */
  readonly afterCommit: Array<() => void | Promise<void>>;
}
