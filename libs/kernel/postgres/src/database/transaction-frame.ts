import type pg from 'pg';
import type { RoleName } from './roles.js';

/** Setting that row-level security reads: the organisation whose rows a statement may access. */
const SCOPE = 'app.org_id';

export interface TransactionLimits {
  statementMs: number;
  lockMs: number;
  /** Maximum time that a transaction may be idle between two statements, in milliseconds. */
  idleMs?: number;
  /** True for statements that find rows by key: PostgreSQL must not plan to read a whole table because it is still small. */
  isByKey?: boolean;
  /** Role that the user of the connection switches to. */
  role?: RoleName;
}

/**
 * Settings at the start of a transaction: the organisation of its rows, its time limits, and its role. All of them end
 * with the transaction, so nothing remains on the connection for the next user.
 */
export class TransactionFrame {
  /** Statement that sets everything for a single statement; its parameter is the scope. */
  readonly statement: { readonly name: string; readonly text: string };
  private readonly settings: ReadonlyArray<readonly [string, string]>;

  /** @param keepsStatements whether a prepared statement keeps its name across transactions */
  constructor(
    { statementMs, lockMs, idleMs, isByKey, role }: TransactionLimits,
    readonly keepsStatements: boolean,
  ) {
    this.settings = [
      ['statement_timeout', String(statementMs)],
      ['lock_timeout', String(lockMs)],
      // A single statement is sent together with the end of its transaction, so it is never idle in between.
      ...(idleMs === undefined ? [] : [['idle_in_transaction_session_timeout', String(idleMs)] as const]),
      ...(isByKey ? [['enable_seqscan', 'off'] as const] : []),
      // Last, because the user needs its own rights to set the others.
      ...(role === undefined ? [] : [['role', role] as const]),
    ];
    const calls = this.settings
      .filter(([name]) => name !== 'idle_in_transaction_session_timeout')
      .map(([name, value]) => `set_config('${name}', '${value}', true)`);
    this.statement = {
      // The same text has the same name, because several clients may share a server connection.
      name: `quarry_frame_${statementMs}_${lockMs}_${isByKey ? 'key_' : ''}${role ?? 'self'}`,
      text: `SELECT ${[`set_config('${SCOPE}', $1, true)`, ...calls].join(', ')}`,
    };
  }

  /**
   * @returns the text that starts a transaction, in one message to the server. It uses SET instead of set_config, because a
   *   query would fix the isolation level of the transaction.
   */
  begin(client: pg.ClientBase, scope: string): string {
    const settings = [[SCOPE, client.escapeLiteral(scope)], ...this.settings];
    return ['BEGIN', ...settings.map(([name, value]) => `SET LOCAL ${name} = ${value}`)].join('; ');
  }
}
