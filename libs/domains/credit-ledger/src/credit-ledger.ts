import { Injectable } from '@nestjs/common';
import { newId, type Ctx, type Mode } from '@quarry/app';
import { ofTenant, tenantOf, Database, type TxCtx } from '@quarry/postgres';
import type { Millicredits } from './credits.js';
import { statement } from './statements.types.js';

export interface Balance {
  /** Credits that can be spent now. */
  available: Millicredits;
  /** Credits held for work in progress. */
  reserved: Millicredits;
  spent: Millicredits;
  granted: Millicredits;
  updatedAt: Date;
}

/** Subject of a hold. It is copied to the posting, so that the ledger can be read by batch, job or run. */
export interface HoldSubject {
  service?: string;
  batchId?: string;
  jobId?: string;
  inputIndex?: number;
  runId?: string;
}

/** Amount and subject of a hold, with an id chosen by the caller. */
export type NewHold = { id: string; amount: Millicredits } & HoldSubject;

/** `capped`: the balance would cover the amount, but a spend cap does not. */
export type HoldOutcome = { kind: 'held' | 'insufficient' | 'capped' };

/** Credits that could be held now. */
export interface Spendable {
  /** According to the balance alone. */
  available: Millicredits;
  /** According to the balance and the spend caps. */
  underCaps: Millicredits;
}

/** `refused`: the hold is unknown or already resolved differently, or the amount exceeds it. */
export type ResolveOutcome = { kind: 'resolved' } | { kind: 'refused' };

/**
 * The only writer of the credit tables. It works in two phases, like a double-entry ledger: a hold reserves the worst-case
 * price, and its single resolution either posts up to that amount and releases the rest, or voids the hold. The caller
 * chooses every id, so each call can be repeated: the second call changes nothing and returns the same result.
 */
@Injectable()
export class CreditLedger {
  constructor(private readonly database: Database) {}

  /**
   * Adds credits to a balance and creates the account if it does not exist.
   * @param amount thousandths of a credit; negative only for `adjustment`
   * @returns whether this call added them; false if the id was already used
   * @throws the driver's check violation if a negative adjustment exceeds the available credits
   */
  async grantCredits(
    ctx: Ctx | TxCtx,
    grant: { id: string; amount: Millicredits; reason: string; kind?: 'grant' | 'adjustment'; mode?: Mode },
  ): Promise<boolean> {
    const mode = grant.mode ?? ctx.mode;
    const row = await this.database.queryOne(ctx, GRANT, [
      grant.id,
      accountId(ctx.orgId, mode),
      ctx.orgId,
      mode,
      grant.amount,
      grant.kind ?? 'grant',
      grant.reason,
    ]);
    return row?.added ?? false;
  }

  /** @returns the amount that was granted under an id, in thousandths of a credit */
  async amountOfGrant(tx: TxCtx, id: string): Promise<Millicredits> {
    const row = await this.database.queryOne(tx, GRANTED, [id, accountId(tx.orgId, tx.mode)]);
    return Number(row?.amount ?? 0);
  }

  /** Holds an amount under the caller's id, or returns that the balance or a spend cap does not cover it. */
  async holdCredits(ctx: Ctx | TxCtx, hold: NewHold): Promise<HoldOutcome> {
    const row = await this.database.queryOne(ctx, HOLD, [JSON.stringify([holdEntry(ctx, hold)])]);
    return { kind: row?.outcome ?? 'insufficient' };
  }

  /**
   * Holds amounts of one account for work that is not resumed after a crash: {@link voidExpired} releases them when they expire.
   * Each is decided on what the earlier ones leave. Never used for a job, whose hold ends with the job.
   * @param holds the holds, each with the API key that it counts for
   * @returns the outcomes in the same order
   * @throws the driver's check violation if a hold names a job
   */
  async holdAllFor(
    ctx: Ctx,
    holds: ReadonlyArray<NewHold & Pick<Ctx, 'keyId'>>,
    expiresInMs: number,
  ): Promise<HoldOutcome[]> {
    const entries = holds.map(({ keyId, ...hold }) => holdEntry({ ...ctx, keyId }, hold));
    const rows = await this.database.query(ctx, HOLD_ALL_FOR, [JSON.stringify(entries), expiresInMs]);
    const kinds = new Map(rows.map(({ hold, outcome }) => [hold, outcome]));
    return holds.map(({ id }) => ({ kind: kinds.get(id) ?? 'insufficient' }));
  }

  /**
   * Posts holds of one account in one statement; an amount of 0 releases a hold.
   * @returns the outcomes in the same order
   */
  async resolveAll(
    ctx: Ctx | TxCtx,
    ends: ReadonlyArray<{ holdId: string; amount: Millicredits }>,
  ): Promise<ResolveOutcome[]> {
    const entries = ends.map(({ holdId, amount }) => ({ id: newId('led'), hold: holdId, amount }));
    const rows = await this.database.query(ctx, RESOLVE, [JSON.stringify(entries)]);
    const resolved = new Set(rows.map((row) => row.resolve_holds));
    return ends.map(({ holdId }) => ({ kind: resolved.has(holdId) ? 'resolved' : 'refused' }));
  }

  /**
   * Voids the expired open holds of all organisations. Any number of processes may call it.
   * @returns the ids of the holds that this call voided
   */
  async voidExpired(ctx: Ctx | TxCtx): Promise<string[]> {
    const voided: string[] = [];
    for (;;) {
      const taken = await this.database.query(ctx, VOID_EXPIRED, [EXPIRED_PER_STATEMENT]);
      voided.push(...taken.filter((each) => each.voided).map(({ hold }) => hold));
      if (taken.length < EXPIRED_PER_STATEMENT) return voided;
    }
  }

  /** Charges an amount against a hold and releases the rest. */
  async postHold(ctx: Ctx | TxCtx, holdId: string, amount: Millicredits): Promise<ResolveOutcome> {
    if (amount <= 0) throw new RangeError('A posting is positive; void the hold to charge nothing.');
    return this.resolveHold(ctx, holdId, amount);
  }

  /** Releases a hold without a charge. */
  voidHold(ctx: Ctx | TxCtx, holdId: string): Promise<ResolveOutcome> {
    return this.resolveHold(ctx, holdId, 0);
  }

  /** @returns whether the context's key could hold an amount now; nothing is held */
  async readOutlook(ctx: Ctx | TxCtx, amount: Millicredits): Promise<HoldOutcome> {
    return outlookOf(await this.readSpendable(ctx), amount);
  }

  /** @returns the maximum that the context's key could hold now, by balance and with spend caps; nothing is held */
  async readSpendable(ctx: Ctx | TxCtx): Promise<Spendable> {
    const row = await this.database.queryOne(ctx, OUTLOOK, [tenantOf(ctx), ctx.keyId ?? ''], 'read');
    const available = Number(row?.available ?? 0);
    const underCaps = row?.room == null ? available : Math.min(available, Math.max(0, Number(row.room)));
    return { available, underCaps };
  }

  /** @returns the balance of the context's organisation and mode; all zero before the first grant */
  async readBalance(ctx: Ctx | TxCtx): Promise<Balance> {
    const row = await this.database.queryOne(ctx, BALANCE, [tenantOf(ctx)], 'read');
    return {
      available: Number(row?.available ?? 0),
      reserved: Number(row?.reserved ?? 0),
      spent: Number(row?.spent ?? 0),
      granted: Number(row?.granted ?? 0),
      updatedAt: row?.updated_at ?? new Date(0),
    };
  }

  /**
   * Recomputes every account from its transfers.
   * @returns one sentence per discrepancy; empty if the books balance
   */
  async auditLedger(ctx: Ctx | TxCtx): Promise<string[]> {
    const rows = await this.database.query(ctx, AUDIT);
    return rows.map((row) => row.fault);
  }

  private async resolveHold(ctx: Ctx | TxCtx, holdId: string, amount: Millicredits): Promise<ResolveOutcome> {
    return (await this.resolveAll(ctx, [{ holdId, amount }]))[0]!;
  }
}

/** @returns whether an amount could be held, given the spendable credits */
export function outlookOf({ available, underCaps }: Spendable, amount: Millicredits): HoldOutcome {
  if (available < amount) return { kind: 'insufficient' };
  return { kind: underCaps < amount ? 'capped' : 'held' };
}

/** @returns the account id of an organisation's balance. The SQL functions of the jobs schema build the same text. */
export function accountId(orgId: string, mode: Mode): string {
  return `${orgId}:${mode}`;
}

// Kept small, so that no account is locked for long.
const EXPIRED_PER_STATEMENT = 500;

function holdEntry(ctx: Ctx, hold: NewHold): Record<string, unknown> {
  return {
    hold: hold.id,
    account: accountId(ctx.orgId, ctx.mode),
    amount: hold.amount,
    service: hold.service,
    batch_id: hold.batchId,
    job_id: hold.jobId,
    input_index: hold.inputIndex,
    run_id: hold.runId,
    key_id: ctx.keyId,
  };
}

// The lower of the two caps applies; null means no cap.
const OUTLOOK = statement(
  'credit-ledger.outlook',
  `
  SELECT a.available, CASE WHEN a.capped THEN least(credits.room_under_caps(a.id, '', clock_timestamp()),
    CASE WHEN $2 <> '' THEN credits.room_under_caps(a.id, $2, clock_timestamp()) END) END AS room
  FROM credits.accounts a WHERE ${ofTenant('a')}`,
).prepared();

// Holds from before usage was counted have a null key and are not counted. Later holds without a key have an empty text.
const AUDIT = statement(
  'credit-ledger.audit',
  `
  WITH resolved AS (
    SELECT h.account_id, h.key_id, credits.utc_day(h.at) AS day, h.amount AS held, r.amount AS posted, r.id IS NOT NULL AS ended
    FROM credits.transfers h LEFT JOIN credits.transfers r ON r.hold_id = h.id WHERE h.kind = 'hold'
  ), sums AS (
    SELECT a.id,
      coalesce((SELECT sum(t.amount) FROM credits.transfers t WHERE t.account_id = a.id AND t.kind IN ('grant', 'adjustment')), 0) AS granted,
      coalesce((SELECT sum(r.held) FROM resolved r WHERE r.account_id = a.id AND NOT r.ended), 0) AS reserved,
      coalesce((SELECT sum(r.posted) FROM resolved r WHERE r.account_id = a.id AND r.ended), 0) AS spent
    FROM credits.accounts a
  )
  SELECT format('account %s: stored granted %s reserved %s spent %s, recomputed %s %s %s',
    a.id, a.granted, a.reserved, a.spent, s.granted, s.reserved, s.spent) AS fault
  FROM credits.accounts a JOIN sums s USING (id)
  WHERE (a.granted, a.reserved, a.spent) IS DISTINCT FROM (s.granted, s.reserved, s.spent)
  UNION ALL
  SELECT format('hold of %s: %s posted above %s held', account_id, posted, held) FROM resolved WHERE posted > held
  UNION ALL
  SELECT format('use of %s by key "%s" on %s: stored %s, recomputed %s', account_id, key_id, day, coalesce(u.used, 0), coalesce(r.used, 0))
  FROM credits.usage u
  FULL JOIN (
    SELECT account_id, key_id, day, sum(coalesce(posted, held))::bigint AS used FROM resolved WHERE key_id IS NOT NULL GROUP BY 1, 2, 3
  ) r USING (account_id, key_id, day)
  WHERE coalesce(u.used, 0) <> coalesce(r.used, 0)`,
).rows<{ fault: string }>();

const GRANT = statement(
  'credit-ledger.grant',
  'SELECT credits.grant_credits($1, $2, $3, $4, $5, $6, $7) AS added',
);

const GRANTED = statement(
  'credit-ledger.granted',
  'SELECT amount::text FROM credits.transfers WHERE id = $1 AND account_id = $2',
);

const HOLD = statement('credit-ledger.hold', 'SELECT outcome FROM credits.judge_holds($1::jsonb)').rows<{
  outcome: 'held' | 'capped';
}>();

const HOLD_ALL_FOR = statement(
  'credit-ledger.holdAllFor',
  'SELECT hold, outcome FROM credits.judge_expiring_holds($1::jsonb, $2)',
).rows<{ hold: string; outcome: 'held' | 'capped' }>();

const VOID_EXPIRED = statement(
  'credit-ledger.voidExpired',
  'SELECT hold, voided FROM credits.void_expired_holds($1)',
).rows<{ hold: string }>();

const BALANCE = statement(
  'credit-ledger.balance',
  `SELECT available, reserved, spent, granted, updated_at FROM credits.accounts WHERE ${ofTenant()}`,
);

const RESOLVE = statement('credit-ledger.resolve', 'SELECT credits.resolve_holds($1::jsonb)');
