import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PlanColumn } from '@quarry/plan';
import { Database, systemCtx, type Ctx, type TxCtx } from '@quarry/platform';
import { RUN_LEASE_MS, type RunSignals } from '../agent/run-lease.store.js';
import { LeaseLostError } from '../agent/step-journal.js';
import { statement } from '../statements.types.js';

/** An enrichment that this process works on until its lease ends. */
export interface LeasedEnrichment {
  id: string;
  token: string;
  ctx: Ctx;
  tableId: string;
  columns: PlanColumn[];
  rowIds: string[];
  callScope: string;
  isFresh: boolean;
}

type Lease = Pick<LeasedEnrichment, 'id' | 'token'>;

/** An enrichment whose delivery was lost is delivered again when nobody has taken it for this long. */
const SILENT_MS = 10_000;
const system = systemCtx('enrichment-lease');

/** Gives, renews and takes back leases of enrichments, and keeps their steps. Every write names the lease's token. */
@Injectable()
export class EnrichmentLeaseStore {
  constructor(private readonly database: Database) {}

  /** Takes an enrichment that nobody works on. @returns null when another agent has it, or it has ended */
  async claim(id: string): Promise<LeasedEnrichment | null> {
    const token = randomUUID();
    const row = await this.database.queryOne(system, CLAIM, [id, token, RUN_LEASE_MS]);
    if (!row) return null;
    return {
      ...{ id, token, tableId: row.table_id, columns: row.columns, rowIds: row.row_ids },
      ...{ callScope: row.call_scope, isFresh: row.is_fresh },
      ctx: { ...systemCtx(id, row.org_id), mode: row.mode, keyId: row.key_id },
    };
  }

  /** @returns whether the lease still stands */
  async renew({ id, token }: Lease): Promise<boolean> {
    return (await this.database.query(system, RENEW, [id, token, RUN_LEASE_MS], 'beat')).length === 1;
  }

  /** @returns what the agent must heed before its next step; null when the lease is lost */
  async signals({ id, token }: Lease): Promise<RunSignals | null> {
    const row = await this.database.queryOne(system, SIGNALS, [id, token], 'read');
    return (
      row && {
        cancellationRequested: row.cancellation_requested,
        keyId: row.key_id,
        workspaceId: row.workspace_id,
      }
    );
  }

  /** Hands an enrichment back: another agent may go on at once. */
  async release({ id, token }: Lease): Promise<void> {
    await this.database.query(system, RELEASE, [id, token]);
  }

  /** Writes the end in the caller's transaction. @returns false when the lease is lost: the caller must roll back */
  async end(tx: TxCtx, { id, token }: Lease, status: 'completed' | 'cancelled'): Promise<boolean> {
    return (await this.database.query(tx, END, [id, token, status])).length === 1;
  }

  /** @returns enrichments that wait without a live lease; they count as delivered from now on */
  async takeSilent(): Promise<string[]> {
    return (await this.database.query(system, TAKE_SILENT, [SILENT_MS])).map(({ id }) => id);
  }

  /** @returns lists of steps that began and did not end */
  async openLists({ id, ctx }: LeasedEnrichment): Promise<string[]> {
    return (await this.database.query(ctx, OPEN_LISTS, [id])).flatMap(({ batch_id: list }) => list ?? []);
  }

  /**
   * Does a step once: what it is given is written before it begins, and a replay repeats it with that, or has its result.
   * @throws LeaseLostError
   */
  async step<Input, Result>(
    { id, token, ctx }: LeasedEnrichment,
    name: string,
    prepare: () => Input | Promise<Input>,
    work: (input: Input) => Promise<Result>,
  ): Promise<Result> {
    const known = await this.database.queryOne(ctx, FIND_STEP, [id, name]);
    if (known && known.result !== null) return known.result as Result;
    const input = known ? (known.input as Input) : await prepare();
    const params = [id, token, name, JSON.stringify(input)] as const;
    if (!known && (await this.database.query(ctx, BEGIN_STEP, params)).length === 0)
      throw new LeaseLostError('The enrichment belongs to another agent.');
    const result = await work(input);
    const ended = await this.database.query(ctx, FINISH_STEP, [id, token, name, JSON.stringify(result)]);
    if (ended.length === 0) throw new LeaseLostError('The enrichment belongs to another agent.');
    return result;
  }
}

const CLAIM = statement(
  'enrichment-lease.claim',
  `
  UPDATE runs.enrichments SET status = 'running', lease_token = $2,
    lease_until = clock_timestamp() + make_interval(secs => $3 / 1000.0)
  WHERE id = $1 AND status IN ('queued', 'running') AND (lease_token IS NULL OR lease_until < clock_timestamp())
  RETURNING org_id, mode, key_id, table_id, columns, row_ids, call_scope, is_fresh`,
).rows<{ mode: Ctx['mode']; columns: PlanColumn[]; row_ids: string[] }>();

const IS_OURS = "id = $1 AND lease_token = $2 AND status = 'running'";

const RENEW = statement(
  'enrichment-lease.renew',
  `UPDATE runs.enrichments SET lease_until = clock_timestamp() + make_interval(secs => $3 / 1000.0)
   WHERE ${IS_OURS} RETURNING 1`,
);

const SIGNALS = statement(
  'enrichment-lease.signals',
  `SELECT cancellation_requested, key_id, workspace_id FROM runs.enrichments WHERE ${IS_OURS}`,
);

const RELEASE = statement(
  'enrichment-lease.release',
  `UPDATE runs.enrichments SET lease_token = NULL, lease_until = NULL, delivered_at = '-infinity' WHERE ${IS_OURS}`,
);

const END = statement(
  'enrichment-lease.end',
  `UPDATE runs.enrichments SET status = $3, ended_at = clock_timestamp(), lease_token = NULL, lease_until = NULL
   WHERE ${IS_OURS} RETURNING 1`,
);

const TAKE_SILENT = statement(
  'enrichment-lease.takeSilent',
  `
  UPDATE runs.enrichments SET delivered_at = clock_timestamp()
  WHERE id IN (SELECT id FROM runs.enrichments
    WHERE status IN ('queued', 'running') AND (lease_token IS NULL OR lease_until < clock_timestamp())
      AND delivered_at < clock_timestamp() - make_interval(secs => $1 / 1000.0)
    FOR UPDATE SKIP LOCKED) RETURNING id`,
);

const OPEN_LISTS = statement(
  'enrichment-lease.openLists',
  `SELECT input ->> 'batchId' AS batch_id FROM runs.enrichment_steps WHERE enrichment_id = $1 AND result IS NULL`,
);

const FIND_STEP = statement(
  'enrichment-lease.findStep',
  'SELECT input, result FROM runs.enrichment_steps WHERE enrichment_id = $1 AND name = $2',
);

const BEGIN_STEP = statement(
  'enrichment-lease.beginStep',
  `INSERT INTO runs.enrichment_steps (org_id, enrichment_id, name, input)
   SELECT org_id, id, $3, $4::jsonb FROM runs.enrichments WHERE ${IS_OURS} RETURNING 1`,
);

const FINISH_STEP = statement(
  'enrichment-lease.finishStep',
  `UPDATE runs.enrichment_steps s SET result = $4::jsonb FROM runs.enrichments e
   WHERE s.enrichment_id = $1 AND s.name = $3 AND s.result IS NULL AND e.id = s.enrichment_id
     AND e.lease_token = $2 AND e.status = 'running' RETURNING 1`,
);
