import { Injectable } from '@nestjs/common';
import {
  CreditUsage,
  cursorPageText,
  jsonText,
  LedgerPage,
  type JsonText,
  type LedgerEntry,
  type UsagePart,
} from '@quarry/dto';
import { type Ctx, CursorSigner, type PageQuery } from '@quarry/app';
import { isoTime, Database, tenantOf, type TxCtx } from '@quarry/postgres';
import { accountId } from './credit-ledger.js';
import { toCredits, type Millicredits } from './credits.js';
import { statement } from './statements.types.js';

const DAY_MS = 86_400_000;
/** Maximum number of sums in one response: more than it has days, and more than a person reads. */
const USAGE_MAX = 100;

export interface StatementQuery extends PageQuery {
  service: string | null;
  batchId: string | null;
  runId: string | null;
}

/** Lists ledger entries: grants and charges. Holds are not entries, because they cost nothing until they are posted. */
@Injectable()
export class CreditStatements {
  constructor(
    private readonly database: Database,
    private readonly cursors: CursorSigner,
  ) {}

  /** @returns the charge of a job, in credits; null if it was free */
  async costOfJob(ctx: Ctx, jobId: string): Promise<{ amount: number; ledger_id: string } | null> {
    const row = await this.database.queryOne(
      ctx,
      COST_OF_JOB,
      [accountId(ctx.orgId, ctx.mode), jobId],
      'read',
    );
    return row && { amount: toCredits(Number(row.amount)), ledger_id: row.id };
  }

  /**
   * @param by the dimension of the sums
   * @param days number of UTC days to sum, including today
   * @returns the credits spent, as the public body: days in chronological order, other dimensions as the hundred highest sums
   */
  async sumUsage(ctx: Ctx, by: UsagePart, days: number): Promise<JsonText<typeof CreditUsage>> {
    const today = Math.floor(Date.now() / DAY_MS);
    const since = new Date((today - days + 1) * DAY_MS).toISOString().slice(0, 10);
    const sums = await this.database.query(
      ctx,
      USAGE,
      [accountId(ctx.orgId, ctx.mode), since, by, USAGE_MAX],
      'list',
    );
    const items = sums.map(({ key, amount, charges }) => ({
      key,
      credits: toCredits(Number(amount)),
      charges: Number(charges),
    }));
    return jsonText(CreditUsage, {
      since,
      items: by === 'day' ? items.toSorted((a, b) => ((a.key ?? '') < (b.key ?? '') ? -1 : 1)) : items,
    });
  }

  /**
   * @returns one page of entries, newest first, as the public body; the sum of all entries equals the balance
   * @throws AppError invalid_cursor
   */
  async listEntries(ctx: Ctx, query: StatementQuery): Promise<JsonText<typeof LedgerPage>> {
    const { service, batchId, runId } = query;
    const binding = {
      tenant: tenantOf(ctx),
      endpoint: 'credits.ledger',
      subject: JSON.stringify([service, batchId, runId]),
    };
    const { rows, next } = await this.cursors.readPage(
      binding,
      query,
      (before, limit) => {
        const [at = null, id = null] = before?.split('|') ?? [];
        const params = [accountId(ctx.orgId, ctx.mode), service, batchId, runId, at, id, limit] as const;
        return this.database.query(ctx, ENTRIES, params, 'list');
      },
      ({ at, id }) => `${at}|${id}`,
    );
    const items = rows.map(({ json }) => json);
    return cursorPageText(LedgerPage, items, next);
  }
}

/** The sum of the charges of a run: of a batch, or of a service for calls outside a batch. */
export interface RunCharge {
  runId: string;
  batchId: string | null;
  service: string | null;
  amount: Millicredits;
}

/**
 * @param since creation time of the oldest run (ISO 8601): nothing was charged for it earlier
 * @returns the charges of runs and enrichments so far in thousandths of a credit
 */
export async function chargesOfRuns(
  database: Database,
  ctx: Ctx | TxCtx,
  runIds: readonly string[],
  since: string,
): Promise<RunCharge[]> {
  const params = [accountId(ctx.orgId, ctx.mode), runIds, since] as const;
  const rows = await database.query(ctx, CHARGES_OF_RUNS, params, 'read');
  return rows.map(({ amount, ...charge }) => ({ ...charge, amount: Number(amount) }));
}

/** Like {@link chargesOfRuns}, for one run or enrichment. */
export function chargesOfRun(
  database: Database,
  ctx: Ctx | TxCtx,
  runId: string,
  since: string,
): Promise<RunCharge[]> {
  return chargesOfRuns(database, ctx, [runId], since);
}

// The time bound lets the index on an account's entries start at the beginning of the run.
const CHARGES_OF_RUNS = statement(
  'credit-statements.chargesOfRuns',
  `
  SELECT t.run_id AS "runId", t.batch_id AS "batchId", t.service, sum(t.amount)::text AS amount FROM credits.transfers t
  WHERE t.account_id = $1 AND t.kind = 'post' AND t.run_id = ANY ($2) AND t.at >= $3::timestamptz
  GROUP BY t.run_id, t.batch_id, t.service`,
).rows<{ runId: string }>();

const USAGE = statement(
  'credit-statements.usage',
  `
  SELECT CASE $3 WHEN 'day' THEN credits.utc_day(t.at)::text WHEN 'service' THEN t.service
      WHEN 'run' THEN t.run_id ELSE nullif(t.key_id, '') END AS key,
    sum(t.amount)::text AS amount, count(*)::text AS charges
  FROM credits.transfers t
  WHERE t.account_id = $1 AND t.kind = 'post' AND t.amount > 0 AND t.at >= $2::date::timestamp AT TIME ZONE 'UTC'
  GROUP BY 1 ORDER BY sum(t.amount) DESC, 1 LIMIT $4`,
).rows<{ key: string | null }>();

// The entry has the number of its job; those of before this rule have the whole id of the job.
const COST_OF_JOB = statement(
  'credit-statements.costOfJob',
  `
  SELECT id, amount FROM credits.transfers
  WHERE id IN ('led_' || split_part($2::text, '_', 2), 'led_' || $2::text) AND account_id = $1 AND kind = 'post' AND amount > 0`,
);

// Amounts are stored in thousandths. Numeric division converts them without binary rounding.
const ENTRIES = statement(
  'credit-statements.entries',
  `
  SELECT t.id, t.at::text AS at, json_build_object(
    'id', t.id, 'at', ${isoTime('t.at')}, 'kind', CASE t.kind WHEN 'post' THEN 'charge' ELSE t.kind END,
    'amount', trim_scale((CASE t.kind WHEN 'post' THEN -t.amount ELSE t.amount END)::numeric / 1000),
    'service', t.service, 'batch_id', t.batch_id, 'job_id', t.job_id, 'input_index', t.input_index,
    'run_id', t.run_id, 'reason', t.reason)::text AS json
  FROM credits.transfers t
  WHERE t.account_id = $1 AND t.kind IN ('grant', 'adjustment', 'post')
    AND ($2::text IS NULL OR t.service = $2) AND ($3::text IS NULL OR t.batch_id = $3) AND ($4::text IS NULL OR t.run_id = $4)
    AND ($5::text IS NULL OR (t.at, t.id) < ($5::timestamptz, $6::text))
  ORDER BY t.at DESC, t.id DESC LIMIT $7`,
).rows<{ json: JsonText<typeof LedgerEntry> }>();
