import { randomUUID } from 'node:crypto';
import { systemCtx, type Ctx, type WorkMetrics } from '@quarry/app';
import { tenantOf, type Database, type Row, type Statement } from '@quarry/postgres';
import { SILENT_MS, workCtx, type WorkDefinition } from './work-definition.js';

const TURNS_PER_SWEEP = 1000;

/** Owner and id of a turn. */
export interface TurnKey {
  orgId: string;
  mode: Ctx['mode'];
  id: string;
}

/** A turn that this process holds exclusively until its lease ends. */
export interface Turn extends TurnKey {
  token: string;
}

/** Parameters as the schema types them: each may be null. */
type RowKey = readonly [
  tenant: ReadonlyArray<string | null> | null,
  id: string | null,
  token: string | null,
  ms: number | string | null,
];
type Many = readonly [silentMs: number | string | null, rows: number | string | null];

/** Statements over {@link turnSql}, typed from the schema. */
export interface TurnStatements<Claimed extends Row> {
  takeDue: Statement<Many, { org_id: string; mode: Ctx['mode']; id: string; was_leased: boolean | null }>;
  claim: Statement<RowKey, Claimed>;
  /** Absent when statements of the work itself renew or end its turn. */
  renew?: Statement<RowKey>;
  release?: Statement<RowKey>;
  expireAll: Statement<readonly []>;
}

/** Claims, renews and releases turns of one kind of work. Every write checks the token of the turn. */
export abstract class TurnLeases<Claimed extends Row> {
  protected constructor(
    private readonly definition: WorkDefinition,
    private readonly statements: TurnStatements<Claimed>,
    protected readonly database: Database,
    protected readonly metrics?: WorkMetrics,
  ) {}

  /** Marks the turns it returns as queued. @returns turns that are due and not leased */
  async takeDue(): Promise<TurnKey[]> {
    const { takeDue } = this.statements;
    const rows = await this.database.query(
      systemCtx(this.definition.queue),
      takeDue,
      [SILENT_MS, TURNS_PER_SWEEP],
      'heartbeat',
    );
    this.metrics?.countLease(this.definition.name, 'reaped', rows.filter((row) => row.was_leased).length);
    return rows.map(({ org_id: orgId, mode, id }) => ({ orgId, mode, id }));
  }

  /** @returns null when another process has the turn, or there is nothing left to do */
  async claimTurn(key: TurnKey): Promise<(Turn & Claimed) | null> {
    const turn = { ...key, token: randomUUID() };
    const { leaseMs, name } = this.definition;
    const row = await this.database.queryOne(this.ctxOf(key), this.statements.claim, paramsOf(turn, leaseMs));
    if (row) this.metrics?.countLease(name, 'claimed');
    return row && { ...turn, ...row };
  }

  /** @returns whether this process still holds the turn */
  async renewLease(turn: Turn): Promise<boolean> {
    const params = paramsOf(turn, this.definition.leaseMs);
    return (
      (await this.database.queryOne(this.ctxOf(turn), this.statements.renew!, params, 'heartbeat')) !== null
    );
  }

  /**
   * Ends a turn.
   * @param againInMs milliseconds until the next one may be queued; {@link SILENT_MS} when it is queued already
   */
  async releaseLease(turn: Turn, againInMs: number): Promise<void> {
    const params = paramsOf(turn, againInMs - SILENT_MS);
    const row = await this.database.queryOne(this.ctxOf(turn), this.statements.release!, params);
    this.metrics?.countLease(this.definition.name, row ? 'ended' : 'lost');
  }

  /** Expires every turn. For a process that knows that no other is running. */
  async expireAll(): Promise<void> {
    await this.database.query(systemCtx(this.definition.queue), this.statements.expireAll);
  }

  private ctxOf(key: TurnKey): Ctx {
    return workCtx(this.definition, key);
  }
}

function paramsOf(turn: Turn, ms: number): RowKey {
  return [tenantOf(turn), turn.id, turn.token, ms];
}
