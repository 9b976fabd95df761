import { Injectable } from '@nestjs/common';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import { Database, recordAudit, type TxCtx } from '@quarry/postgres';
import { accountId } from './credit-ledger.js';
import { toCredits, type Millicredits } from './credits.js';
import { statement } from './statements.types.js';

const PERIODS = ['day', 'month'] as const;
type Period = (typeof PERIODS)[number];

/** A cap and what counts against it, in credits. */
export interface SpendLimit {
  cap: number | null;
  /** Sum of charges and reserving holds since the period began. */
  used: number;
  /** Start of the next period, in UTC. */
  resets_at: string;
}

export type SpendLimits = Record<Period, SpendLimit>;

/** New caps in thousandths; null takes one away, and one that is not named stays. */
export type NewCaps = Partial<Record<Period, Millicredits | null>>;

/** Of whom: a key, or with null the whole organisation in the mode of the context. */
type Holder = string | null;

/**
 * Caps on what an organisation or one of its keys may spend in a UTC day or month, per mode. They are enforced where
 * holds are placed (`credits.judge_holds`), beneath the lock of the account.
 */
@Injectable()
export class SpendLimitStore {
  constructor(private readonly database: Database) {}

  /** Sets caps. Earlier usage counts. */
  async setLimit(ctx: Ctx, holder: Holder, caps: NewCaps): Promise<void> {
    const account = accountId(ctx.orgId, ctx.mode);
    await this.database.transaction(ctx, async (tx) => {
      await this.database.query(tx, OPEN_ACCOUNT, [account, ctx.orgId, ctx.mode]);
      await this.database.query(tx, LOCK_ACCOUNT, [account]);
      for (const period of PERIODS) await this.writeCap(tx, [account, holder ?? '', period], caps[period]);
      await this.database.query(tx, NOTE_CAPPED, [account]);
      await recordAudit(this.database, tx, {
        action: 'limits.set',
        object: holder ?? ctx.orgId,
        facts: Object.fromEntries(
          Object.entries(caps).map(([period, cap]) => [period, cap === null ? null : toCredits(cap)]),
        ),
      });
    });
  }

  /** @returns the caps of a key or of the organisation, and what is used */
  async readLimit(ctx: Ctx, holder: Holder): Promise<SpendLimits> {
    const rows = await this.database.query(ctx, READ, [accountId(ctx.orgId, ctx.mode), holder ?? '']);
    const limits = rows.map(({ period, cap, used, resets_at: resetsAt }) => [
      period,
      {
        cap: cap === null ? null : toCredits(Number(cap)),
        used: toCredits(Number(used)),
        resets_at: resetsAt.toISOString(),
      } satisfies SpendLimit,
    ]);
    return Object.fromEntries(limits) as SpendLimits;
  }

  private async writeCap(
    tx: TxCtx,
    cap: [account: string, holder: string, period: Period],
    amount: Millicredits | null | undefined,
  ): Promise<void> {
    if (amount === undefined) return;
    if (amount === null) {
      return void (await this.database.query(tx, DELETE_CAP, cap));
    }
    await this.database.query(tx, SET_CAP, [...cap, amount]);
  }
}

/** @returns the refusal of something that a cap leaves no room for. */
export function capReached(): AppError {
  return new AppError(
    'usage_limit',
    'A spend cap of the organisation or of this key is reached. GET /v1/limits shows the caps.',
  );
}

const READ = statement(
  'spend-limits.read',
  `
  SELECT p.period, c.amount AS cap, credits.used_in($1, $2, p.period, clock_timestamp()) AS used,
    (date_trunc(p.period, clock_timestamp() AT TIME ZONE 'UTC') + p.length) AT TIME ZONE 'UTC' AS resets_at
  FROM (VALUES ('day', interval '1 day'), ('month', interval '1 month')) AS p (period, length)
  LEFT JOIN credits.caps c ON c.account_id = $1 AND c.key_id = $2 AND c.period = p.period`,
).rows<{ period: Period; resets_at: Date }>();

const OPEN_ACCOUNT = statement(
  'spend-limits.openAccount',
  'INSERT INTO credits.accounts (id, org_id, mode) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING',
);

const LOCK_ACCOUNT = statement(
  'spend-limits.lockAccount',
  'SELECT 1 FROM credits.accounts WHERE id = $1 FOR UPDATE',
);

const NOTE_CAPPED = statement(
  'spend-limits.noteCapped',
  'UPDATE credits.accounts SET capped = EXISTS (SELECT 1 FROM credits.caps WHERE account_id = $1) WHERE id = $1',
);

const DELETE_CAP = statement(
  'spend-limits.deleteCap',
  'DELETE FROM credits.caps WHERE account_id = $1 AND key_id = $2 AND period = $3',
);

const SET_CAP = statement(
  'spend-limits.setCap',
  `
  INSERT INTO credits.caps (account_id, key_id, period, amount) VALUES ($1, $2, $3, $4)
  ON CONFLICT (account_id, key_id, period) DO UPDATE SET amount = excluded.amount`,
);
