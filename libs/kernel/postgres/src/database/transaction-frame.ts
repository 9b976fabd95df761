import type pg from 'pg';
import type { RoleName } from './roles.js';

/** Setting that row-level security reads: the organisation whose rows a statement may touch. */
const SCOPE = 'app.org_id';

export interface TransactionLimits {
  statementMs: number;
  lockMs: number;
  /** Milliseconds that a transaction may stand open between two statements. */
  idleMs?: number;
  /** Role that the user of the connection works as. */
  role?: RoleName;
}

/**
 * Opening settings of a transaction: the organisation of its rows, its time limit, and its role. All of it ends with
 * the transaction, so nothing of it is left for whoever gets the connection next.
 */
export class TransactionFrame {
  /** Sets everything for a single statement; its parameter is the scope. */
  readonly statement: { readonly name: string; readonly text: string };
  private readonly settings: ReadonlyArray<readonly [string, string]>;

  /** @param keepsStatements whether a statement keeps its name from one transaction to the next */
  constructor(
    { statementMs, lockMs, idleMs, role }: TransactionLimits,
    readonly keepsStatements: boolean,
  ) {
    this.settings = [
      ['statement_timeout', String(statementMs)],
      ['lock_timeout', String(lockMs)],
      // A transaction of a single statement is sent with its end, so that it is never idle in between.
      ...(idleMs === undefined ? [] : [['idle_in_transaction_session_timeout', String(idleMs)] as const]),
      // Last: what comes before it is the user's to set.
      ...(role === undefined ? [] : [['role', role] as const]),
    ];
    const calls = this.settings
      .filter(([name]) => name !== 'idle_in_transaction_session_timeout')
      .map(([name, value]) => `set_config('${name}', '${value}', true)`);
    this.statement = {
      // The same name for the same text, whoever else works on the same server connection.
      name: `quarry_frame_${statementMs}_${lockMs}_${role ?? 'self'}`,
      text: `SELECT ${[`set_config('${SCOPE}', $1, true)`, ...calls].join(', ')}`,
    };
  }

  /**
   * @returns the text that opens a transaction, in one message to the server. SET and not set_config: a query would fix
   *   the isolation level of the transaction.
   */
  begin(client: pg.ClientBase, scope: string): string {
    const settings = [[SCOPE, client.escapeLiteral(scope)], ...this.settings];
    return ['BEGIN', ...settings.map(([name, value]) => `SET LOCAL ${name} = ${value}`)].join('; ');
  }
}
