import { Inject, Injectable } from '@nestjs/common';
import { chargesOfRun, toCredits } from '@quarry/credit-ledger';
import {
  Enrichment,
  EnrichmentEstimate,
  jsonText,
  type CreateEnrichmentRequest,
  type JsonText,
  type QUEUES,
} from '@quarry/dto';
import type { PlanColumn } from '@quarry/plan';
import { keysOfInputs, serviceCalls } from '@quarry/plan-compiler';
import { newId, notFound, type Ctx } from '@quarry/app';
import {
  afterCommit,
  Database,
  IdempotentRequests,
  isoTime,
  ofTenant,
  TENANT,
  tenantOf,
  type TxCtx,
} from '@quarry/postgres';
import { QueueBus } from '@quarry/queue';
import { ChargedCalls, isInOpenWorkspace, type RowToEnrich } from '@quarry/runs';
import { EnrichableRowsPort, type RowChoice } from './enrichable-rows.port.js';
import { enrichmentColumns } from './enrichment-columns.js';
import { EnrichmentWaiters } from './enrichment-waiters.js';
import { rowsToEnrich } from './rows-to-enrich.js';
import { statement } from './statements.types.js';

interface EnrichmentRequest {
  tableId: string;
  body: CreateEnrichmentRequest;
  /** With `rows: all`, looks up filled cells again instead of reusing earlier results. */
  isFresh: boolean;
  idempotencyKey?: string | null;
}

interface Counts {
  pending: number;
  filled: number;
  empty: number;
  failed: number;
  skipped: number;
}

/** Columns and rows of an enrichment, and its maximum cost. */
interface ChosenColumns {
  columns: PlanColumn[];
  rowIds: string[];
  /** Number of rows that have an input. */
  rowsLookedUp: number;
  /** Number of rows beyond the request's limit. */
  notCovered: number;
  creditsMax: number;
}

/** Number of rows whose values are in memory at a time. */
const ROWS_AT_ONCE = 500;

/** Enrichments in the API: creating, reading and cancelling. */
@Injectable()
export class EnrichmentStore {
  constructor(
    private readonly database: Database,
    private readonly requests: IdempotentRequests,
    private readonly tables: EnrichableRowsPort,
    private readonly waiters: EnrichmentWaiters,
    @Inject(QueueBus) private readonly queues: Pick<QueueBus<typeof QUEUES>, 'addMessages'>,
  ) {}

  /**
   * Creates an enrichment: selects its rows, adds its columns and marks its cells, in one transaction.
   * @throws AppError table_not_found, not_found (view), invalid_request, idempotency_conflict
   */
  async createEnrichment(ctx: Ctx, request: EnrichmentRequest): Promise<JsonText<typeof Enrichment>> {
    const { tableId, body, isFresh, idempotencyKey: key = null } = request;
    const keyed = { route: `runs.enrichments.create ${tableId}`, key, body: { ...body, isFresh } };
    const id = await this.requests.inTransaction(ctx, keyed, async (tx) => {
      await this.database.query(tx, LOCK_TABLE, [tableId]);
      const { workspaceId } = await this.tables.getTable(tx, tableId);
      const { columns, rowIds, notCovered, creditsMax } = await this.chooseColumns(tx, request);
      const made = newId('enr');
      // Calls are scoped to the table, so that an enrichment reuses results that an earlier one has paid for. Failed calls are
      // repeated.
      const scope = body.rows === 'failed' || isFresh ? made : tableId;
      const added = columns.map(({ key: column, name, kind, qualification }) => ({
        key: column,
        name,
        kind,
        qualification,
      }));
      await this.tables.markPending(tx, tableId, added, rowIds);
      await this.database.query(tx, INSERT, [
        tenantOf(tx),
        made,
        tx.keyId,
        workspaceId,
        tableId,
        JSON.stringify(columns),
        rowIds,
        scope,
        isFresh && body.rows === 'all',
        notCovered * columns.length,
        String(creditsMax),
      ]);
      await afterCommit(tx, () =>
        this.queues.addMessages('agent-runs', [{ runId: made }]).catch(() => undefined),
      );
      return made;
    });
    return this.readEnrichment(ctx, id);
  }

  /** @returns the cost estimate of an enrichment, without changes. @throws like {@link createEnrichment} */
  async estimateEnrichment(
    ctx: Ctx,
    request: EnrichmentRequest,
  ): Promise<JsonText<typeof EnrichmentEstimate>> {
    const { rowsLookedUp, creditsMax } = await this.chooseColumns(ctx, request);
    const estimate = { rows: rowsLookedUp, credits_min: 0, credits_max: toCredits(creditsMax) };
    return jsonText(EnrichmentEstimate, { estimate });
  }

  /** @throws AppError not_found */
  async readEnrichment(ctx: Ctx, id: string): Promise<JsonText<typeof Enrichment>> {
    const found = await this.database.queryOne(ctx, READ, [tenantOf(ctx), id], 'read');
    if (!found) throw notFound('enr');
    const charges = await chargesOfRun(this.database, ctx, id, found.created_at);
    const hasEnded = found.completed_at !== null;
    const counts: Counts = { pending: 0, filled: 0, empty: 0, failed: 0, skipped: found.not_covered };
    for (const result of found.results)
      for (const column of Object.values(result.columns))
        for (const [status, count] of Object.entries(column)) counts[status as keyof Counts] += count;
    const done = counts.filled + counts.empty + counts.failed + counts.skipped - found.not_covered;
    counts[hasEnded ? 'skipped' : 'pending'] += Math.max(0, found.cells - done);
    return jsonText(Enrichment, {
      id,
      table_id: found.table_id,
      status: found.status as 'queued',
      counts,
      estimate: { credits_min: 0, credits_max: toCredits(Number(found.credits_max)) },
      charged: toCredits(charges.reduce((sum, { amount }) => sum + amount, 0)),
      links: { self: `/v1/enrichments/${id}` },
      created_at: found.created_at,
      completed_at: found.completed_at,
    });
  }

  /** Reads an enrichment when it has ended, or its state after `waitMs`. @throws AppError not_found */
  async readEnded(ctx: Ctx, id: string, waitMs: number): Promise<JsonText<typeof Enrichment>> {
    if (waitMs > 0) {
      const found = await this.database.queryOne(ctx, HAS_ENDED, [tenantOf(ctx), id], 'read');
      if (found && !found.has_ended) await this.waiters.waitForEnd(id, waitMs);
    }
    return this.readEnrichment(ctx, id);
  }

  /** Requests the cancellation of an enrichment; its agent ends it. @throws AppError not_found */
  async cancelEnrichment(
    ctx: Ctx,
    id: string,
  ): Promise<{ accepted: boolean; json: JsonText<typeof Enrichment> }> {
    const cancelled = await this.database.query(ctx, CANCEL, [tenantOf(ctx), id]);
    const json = await this.readEnrichment(ctx, id);
    if (cancelled.length > 0)
      await this.queues.addMessages('agent-runs', [{ runId: id }]).catch(() => undefined);
    return { accepted: cancelled.length > 0, json };
  }

  private async chooseColumns(ctx: Ctx, request: EnrichmentRequest): Promise<ChosenColumns> {
    const { tableId, body, isFresh } = request;
    const table = await this.tables.getTable(ctx, tableId);
    const columns = enrichmentColumns(body, tableId, table.columns);
    const { rows = 'empty', view: viewId = null, limit = null } = body;
    const choice: RowChoice = {
      keys: columns.map(({ key }) => key),
      rows: rows === 'all' && !isFresh ? 'unfilled' : rows,
      viewId,
      limit,
    };
    const chosen = await this.tables.chooseRows(ctx, tableId, choice);
    const call = serviceCalls(columns)[0]![0]!;
    const charges = new ChargedCalls(call, isFresh && rows === 'all');
    const creditsMax = body.max_credits === undefined ? Infinity : Math.round(body.max_credits * 1000);
    // Named inputs are all that a call reads. To read whole rows and look for their subject would take most of the time.
    const keys = call.inputs ? keysOfInputs(call.inputs) : null;
    const known = keys ? table.columns.filter(({ key }) => keys.includes(key)) : table.columns;
    const read = (ids: string[]): Promise<RowToEnrich[]> =>
      this.tables.readRows(ctx, tableId, ids, keys).then((found) => rowsToEnrich(known, columns, found));
    const rowIds = await coverRows(chosen, read, (row) => charges.addRow(row, creditsMax));
    return {
      columns,
      rowIds,
      rowsLookedUp: charges.rowsLookedUp,
      creditsMax: charges.creditsMax,
      notCovered: chosen.length - rowIds.length,
    };
  }
}

/**
 * @returns whether a run that has not ended writes the table, or an enrichment fills or reads the column. Without inputs an
 * enrichment reads everything known about a row
 */
export async function isColumnInUse(
  database: Database,
  ctx: Ctx | TxCtx,
  tableId: string,
  key: string,
): Promise<boolean> {
  const open = await database.query(ctx, OPEN_WORK, [tenantOf(ctx), tableId]);
  return open.some(({ columns }) => columns === null || columns.some((column) => isUsing(column, key)));
}

function isUsing({ key: filled, source }: PlanColumn, key: string): boolean {
  if (filled === key || source.from !== 'service' || !source.inputs) return true;
  return keysOfInputs(source.inputs).includes(key);
}

/** @returns the ids before the first row that is not covered; deleted rows cost nothing */
async function coverRows(
  ids: readonly string[],
  readRows: (ids: string[]) => Promise<RowToEnrich[]>,
  isCovered: (row: RowToEnrich) => boolean,
): Promise<string[]> {
  for (let first = 0; first < ids.length; first += ROWS_AT_ONCE) {
    const rows = await readRows(ids.slice(first, first + ROWS_AT_ONCE));
    const beyond = rows.find((row) => !isCovered(row));
    if (beyond) return ids.slice(0, ids.indexOf(beyond.id));
  }
  return [...ids];
}

/** Lock that serialises enrichments of a table: the second sees which cells the first has marked, and leaves them out. */
const LOCK_TABLE = statement(
  'enrichment.lockTable',
  "SELECT pg_advisory_xact_lock(hashtext('enrichments'), hashtext($1))",
);

const INSERT = statement(
  'enrichment.insert',
  `
  INSERT INTO runs.enrichments (org_id, mode, id, key_id, workspace_id, table_id, columns, row_ids, call_scope, is_fresh,
    not_covered, credits_max)
  VALUES (${TENANT}, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10, $11::bigint)`,
);

const OPEN_WORK = statement(
  'enrichment.openWork',
  `
  SELECT columns FROM runs.enrichments WHERE ${ofTenant()} AND table_id = $2 AND status IN ('queued', 'running')
  UNION ALL SELECT NULL FROM runs.runs WHERE ${ofTenant()} AND status IN ('queued', 'running', 'recovering')
    AND artifacts @> jsonb_build_array(jsonb_build_object('id', $2::text))`,
).rows<{ columns: PlanColumn[] | null }>();

const READ = statement(
  'enrichment.read',
  `
  SELECT e.table_id, e.status, e.not_covered, e.credits_max, ${isoTime('e.created_at')} AS created_at,
    ${isoTime('e.ended_at')} AS completed_at, cardinality(e.row_ids) * jsonb_array_length(e.columns) AS cells,
    coalesce((SELECT jsonb_agg(s.result) FROM runs.enrichment_steps s
      WHERE s.enrichment_id = e.id AND s.result IS NOT NULL), '[]') AS results
  FROM runs.enrichments e
  WHERE ${ofTenant('e')} AND e.id = $2
    AND ${isInOpenWorkspace('e')}`,
).rows<{
  cells: number;
  created_at: string;
  completed_at: string | null;
  results: Array<{ columns: Record<string, Record<string, number>> }>;
}>();

const HAS_ENDED = statement(
  'enrichment.hasEnded',
  `SELECT ended_at IS NOT NULL AS has_ended FROM runs.enrichments WHERE ${ofTenant()} AND id = $2`,
).rows<{ has_ended: boolean }>();

const CANCEL = statement(
  'enrichment.cancel',
  `
  UPDATE runs.enrichments SET cancellation_requested = TRUE
  WHERE ${ofTenant()} AND id = $2 AND ended_at IS NULL RETURNING 1`,
);
