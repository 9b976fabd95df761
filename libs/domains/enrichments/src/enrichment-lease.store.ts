import { randomUUID } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import { defineWork, SILENT_MS, StepJournal } from '@quarry/durable-work';
import type { PlanColumn } from '@quarry/plan';
import { systemCtx, WorkMetrics, type Ctx } from '@quarry/app';
import { Database, type TxCtx } from '@quarry/postgres';
import { isTableGone, runWork, type RunSignals } from '@quarry/runs';
import { statement } from './statements.types.js';

/** Work definition like that of runs, which share the queue. */
export const ENRICHMENTS = defineWork({ ...runWork('agent-runs'), name: 'enrichment' });

/** An enrichment that is leased to this process. */
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

const system = systemCtx('enrichment-lease');

/** Grants, renews and releases leases of enrichments, and stores their steps. Every write requires the lease's token. */
@Injectable()
export class EnrichmentLeaseStore {
  constructor(
    private readonly database: Database,
    @Optional() private readonly metrics?: WorkMetrics,
  ) {}

  /** Claims an enrichment without a lease. @returns null if another agent has it, or it has ended */
  async claimEnrichment(id: string): Promise<LeasedEnrichment | null> {
    const token = randomUUID();
    const row = await this.database.queryOne(system, CLAIM, [id, token, ENRICHMENTS.leaseMs]);
    if (!row) return null;
    this.metrics?.countLease('enrichment', 'claimed');
    const { orgId, mode, keyId, ...enrichment } = row;
    return { ...enrichment, id, token, ctx: { ...systemCtx(id, orgId), mode, keyId } };
  }

  /** @returns whether the lease is still valid */
  async renewLease({ id, token }: Lease): Promise<boolean> {
    const rows = await this.database.query(system, RENEW, [id, token, ENRICHMENTS.leaseMs], 'heartbeat');
    if (rows.length === 0) this.metrics?.countLease('enrichment', 'lost');
    return rows.length === 1;
  }

  /** @returns signals that the agent must check before its next step; null if the lease is lost */
  readSignals({ id, token }: Lease): Promise<RunSignals | null> {
    return this.database.queryOne(system, SIGNALS, [id, token], 'read');
  }

  /** Releases an enrichment: another agent may continue immediately. */
  async releaseEnrichment({ id, token }: Lease): Promise<void> {
    this.metrics?.countLease('enrichment', 'handed_back');
    await this.database.query(system, RELEASE, [id, token]);
  }

  /** Records the end in the caller's transaction. @returns false if the lease is lost: the caller must roll back */
  async endEnrichment(tx: TxCtx, { id, token }: Lease, status: 'completed' | 'cancelled'): Promise<boolean> {
    const rows = await this.database.query(tx, END, [id, token, status]);
    this.metrics?.countLease('enrichment', rows.length === 1 ? 'ended' : 'lost');
    return rows.length === 1;
  }

  /** @returns enrichments that wait without a valid lease; they count as delivered from now on */
  async takeSilent(): Promise<string[]> {
    const rows = await this.database.query(system, TAKE_SILENT, [SILENT_MS]);
    this.metrics?.countLease('enrichment', 'delivered_again', rows.length);
    return rows.map(({ id }) => id);
  }

  /** @returns batches of steps that were started but have not ended */
  async openLists({ id, ctx }: LeasedEnrichment): Promise<string[]> {
    return (await this.database.query(ctx, OPEN_LISTS, [id])).flatMap(({ batch_id: list }) => list ?? []);
  }

  /** @returns the step journal of an enrichment, for the agent that holds its lease */
  journalOf(enrichment: Pick<LeasedEnrichment, 'id' | 'token' | 'ctx'>): StepJournal {
    return new StepJournal(this.database, STEPS, enrichment);
  }
}

const CLAIM = statement(
  'enrichment-lease.claim',
  `
  UPDATE runs.enrichments SET status = 'running', lease_token = $2,
    lease_until = clock_timestamp() + make_interval(secs => $3 / 1000.0)
  WHERE id = $1 AND status IN ('queued', 'running') AND (lease_token IS NULL OR lease_until < clock_timestamp())
  RETURNING org_id AS "orgId", mode, key_id AS "keyId", table_id AS "tableId", columns, row_ids AS "rowIds",
    call_scope AS "callScope", is_fresh AS "isFresh"`,
).rows<{ mode: Ctx['mode']; columns: PlanColumn[]; rowIds: string[] }>();

const IS_OURS = "id = $1 AND lease_token = $2 AND status = 'running'";

const RENEW = statement(
  'enrichment-lease.renew',
  `UPDATE runs.enrichments SET lease_until = clock_timestamp() + make_interval(secs => $3 / 1000.0)
   WHERE ${IS_OURS} RETURNING 1`,
);

const SIGNALS = statement(
  'enrichment-lease.signals',
  `SELECT cancellation_requested AS "isCancelled", key_id AS "keyId", workspace_id AS "workspaceId",
     ${isTableGone('e', 'e.table_id')} AS "isTableGone"
   FROM runs.enrichments e WHERE ${IS_OURS}`,
).rows<{ isTableGone: boolean }>();

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
  'SELECT input, result, result IS NOT NULL AS finished FROM runs.enrichment_steps WHERE enrichment_id = $1 AND name = $2',
).rows<{ finished: boolean }>();

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

const STEPS = { find: FIND_STEP, begin: BEGIN_STEP, finish: FINISH_STEP };
