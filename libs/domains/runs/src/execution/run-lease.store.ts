import { randomUUID } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import { SILENT_MS, type WorkDefinition, type WorkSignals } from '@quarry/durable-work';
import type { RunErrorCode } from '@quarry/error-codes';
import { systemCtx, type Ctx, WorkMetrics } from '@quarry/app';
import { Database, type TxCtx } from '@quarry/postgres';
import type { QueueName, RunArtifact } from '@quarry/dto';
import { isTableGone } from '../open-workspace.sql.js';
import { statement } from '../statements.types.js';

/** Lease length in milliseconds, the same as for a line (docs/reliability.md, Leases). */
export const RUN_LEASE_MS = 30_000;

/** @returns the definition of the runs of a queue, without drain time: another agent continues, after a loss within 45 s */
export function runWork(queue: RunQueue): WorkDefinition {
  return { name: 'run', queue, sweepMs: 3_000, drainMs: 0, leaseMs: RUN_LEASE_MS };
}

/** The third loss of its worker ends a run. Source: docs/contract.md#3-runs. */
export const LEASE_LOSSES_MAX = 3;

/** A run that this process has leased. */
export interface LeasedRun {
  id: string;
  token: string;
  ctx: Ctx;
  workspaceId: string;
  conversationId: string;
  prompt: string;
  outputContract: Record<string, unknown> | null;
  /** The limit of its cost, in thousandths of a credit; null for none. */
  creditsMax: number | null;
  /** Time of its acceptance, as PostgreSQL prints it. */
  createdAt: string;
  /** The queue that it came from. */
  queue: RunQueue;
  /** Number of leases that it has lost. */
  leaseLosses: number;
  /** The monitor that started it; null for a run that a client requested. */
  monitorId: string | null;
  /** Trace context of the request that started it; null when it was not traced. */
  traceparent: string | null;
}

/** Queues that carry runs: those of agents, and those of sourcers, which search the web. */
export const RUN_QUEUES = ['agent-runs', 'sourcing-runs'] as const satisfies readonly QueueName[];
export type RunQueue = (typeof RUN_QUEUES)[number];

/** End of a run. `message` is for the customer. */
export type RunEnd =
  | { status: 'completed'; message: string; output: unknown }
  | { status: 'failed'; message: string; error: { code: RunErrorCode; message: string } }
  | { status: 'cancelled'; message: string };

/** Signals to a run, as of now. */
export interface RunSignals extends WorkSignals {
  keyId: string | null;
  workspaceId: string;
  /** True when a table that it writes was deleted. */
  isTableGone: boolean;
}

const system = systemCtx('run-lease');

/** Claims, renews and reaps leases of runs, and writes their ends. Every write checks the token of the lease. */
@Injectable()
export class RunLeaseStore {
  constructor(
    private readonly database: Database,
    @Optional() private readonly metrics?: WorkMetrics,
  ) {}

  /** Claims a waiting run. @returns null when another agent has it, it belongs to another queue, or it has ended */
  async claimRun(runId: string, queue: RunQueue = 'agent-runs'): Promise<LeasedRun | null> {
    const token = randomUUID();
    const row = await this.database.queryOne(system, CLAIM, [runId, token, RUN_LEASE_MS, queue]);
    if (!row) return null;
    this.metrics?.countLease('run', 'claimed');
    const { orgId, mode, keyId, creditsMax, ...run } = row;
    return {
      ...run,
      token,
      ctx: { ...systemCtx(run.id, orgId), mode, keyId },
      creditsMax: creditsMax === null ? null : Number(creditsMax),
      queue,
    };
  }

  /** @returns whether the lease is still valid */
  async renewLease(run: Pick<LeasedRun, 'id' | 'token'>): Promise<boolean> {
    const rows = await this.database.query(system, RENEW, [run.id, run.token, RUN_LEASE_MS], 'heartbeat');
    if (rows.length === 0) this.metrics?.countLease('run', 'lost');
    return rows.length === 1;
  }

  /** Hands a run back at shutdown. It does not count as a loss, and another agent may claim it at once. */
  async releaseRun(run: LeasedRun): Promise<void> {
    this.metrics?.countLease('run', 'handed_back');
    await this.database.query(system, RELEASE, [run.id, run.token, true]);
  }

  /** Hands back a run that this process cannot perform: no loss, and delivered again later, so that others can claim it first. */
  async putBack(run: LeasedRun): Promise<void> {
    this.metrics?.countLease('run', 'handed_back');
    await this.database.query(system, RELEASE, [run.id, run.token, false]);
  }

  /**
   * Moves a run to another queue; it stays `running` without a lease until claimed there.
   * @returns false when the lease was lost
   */
  async handOver(run: LeasedRun, queue: RunQueue): Promise<boolean> {
    return (await this.database.query(system, HAND_OVER, [run.id, run.token, queue])).length === 1;
  }

  /** @returns the signals to check before the next step; null when the lease is lost */
  readSignals({ id, token }: Pick<LeasedRun, 'id' | 'token'>): Promise<RunSignals | null> {
    return this.database.queryOne(system, SIGNALS, [id, token], 'read');
  }

  /**
   * @param at the transaction that ends the run, if there is one
   * @returns batches of unfinished steps, and tables that the run has started
   */
  async findUnfinished(
    run: LeasedRun,
    at: Ctx | TxCtx = run.ctx,
  ): Promise<{ batchIds: string[]; tableIds: string[] }> {
    const steps = await this.database.query(at, UNFINISHED_STEPS, [run.id]);
    return {
      batchIds: steps.flatMap(({ batch_id: id }) => id ?? []),
      tableIds: steps.flatMap(({ table_id: id }) => id ?? []),
    };
  }

  /** Adds a table to the run's artifacts once. An existing artifact is left unchanged. */
  async addArtifact(ctx: Ctx | TxCtx, run: LeasedRun, artifact: RunArtifact): Promise<void> {
    await this.database.query(ctx, ADD_ARTIFACT, [
      run.id,
      run.token,
      JSON.stringify([artifact]),
      artifact.id,
    ]);
  }

  /** Records the plan that a run performs, so that later runs of the plan continue its conversation. */
  async setRootPlan(run: LeasedRun, planId: string): Promise<void> {
    await this.database.query(system, SET_ROOT_PLAN, [run.id, run.token, planId]);
  }

  /** Writes the end in the caller's transaction. @returns false when the lease is lost: the caller must roll back */
  async endRun(tx: TxCtx, run: LeasedRun, end: RunEnd): Promise<boolean> {
    const rows = await this.database.query(tx, END, [
      run.id,
      run.token,
      end.status,
      end.message,
      end.status === 'completed' && end.output !== null ? JSON.stringify(end.output) : null,
      end.status === 'failed' ? JSON.stringify(end.error) : null,
    ]);
    this.metrics?.countLease('run', rows.length === 1 ? 'ended' : 'lost');
    return rows.length === 1;
  }

  /**
   * Marks runs with an expired lease as recovering, and as failed after the third loss. A run that has reserved credits for the
   * web, or has started a table with cells and batches, is not failed here: the next agent ends it and cleans these up.
   */
  async reapLost(): Promise<string[]> {
    const rows = await this.database.query(system, REAP_LOST, [LEASE_LOSSES_MAX]);
    this.metrics?.countLease('run', 'reaped', rows.length);
    return rows.map((row) => row.id);
  }

  /** Expires every lease. For a process that knows that no other is running: the reaper then finds the runs at once. */
  async expireAll(): Promise<void> {
    await this.database.query(system, EXPIRE_ALL);
  }

  /** Marks the runs it returns as delivered. @returns ids of waiting runs without a live delivery */
  async takeSilent(queue: RunQueue = 'agent-runs'): Promise<string[]> {
    const rows = await this.database.query(system, TAKE_SILENT, [SILENT_MS, queue]);
    this.metrics?.countLease('run', 'delivered_again', rows.length);
    return rows.map((row) => row.id);
  }
}

const CLAIM = statement(
  'run-lease.claim',
  `
  UPDATE runs.runs SET status = 'running', lease_token = $2,
    lease_until = clock_timestamp() + make_interval(secs => $3 / 1000.0), started_at = coalesce(started_at, clock_timestamp())
  WHERE id = $1 AND queue = $4 AND (status IN ('queued', 'recovering') OR (status = 'running' AND lease_token IS NULL))
  RETURNING id, org_id AS "orgId", mode, key_id AS "keyId", workspace_id AS "workspaceId", conversation_id AS "conversationId",
    prompt, output_contract AS "outputContract", credits_max AS "creditsMax", created_at::text AS "createdAt",
    losses AS "leaseLosses", traceparent, monitor_id AS "monitorId"`,
).rows<{ outputContract: Record<string, unknown> | null; createdAt: string }>();

const RENEW = statement(
  'run-lease.renew',
  `
  UPDATE runs.runs SET lease_until = clock_timestamp() + make_interval(secs => $3 / 1000.0)
  WHERE id = $1 AND lease_token = $2 AND status = 'running' RETURNING 1`,
);

const RELEASE = statement(
  'run-lease.release',
  `
  UPDATE runs.runs SET status = 'recovering', lease_token = NULL, lease_until = NULL,
    delivered_at = CASE WHEN $3::boolean THEN '-infinity' ELSE clock_timestamp() END
  WHERE id = $1 AND lease_token = $2 AND status = 'running'`,
);

const HAND_OVER = statement(
  'run-lease.handOver',
  `
  UPDATE runs.runs SET queue = $3, lease_token = NULL, lease_until = NULL, delivered_at = clock_timestamp()
  WHERE id = $1 AND lease_token = $2 AND status = 'running' RETURNING 1`,
);

const SIGNALS = statement(
  'run-lease.signals',
  `
  SELECT cancellation_requested AS "isCancelled", key_id AS "keyId", workspace_id AS "workspaceId",
    EXISTS (SELECT 1 FROM jsonb_array_elements(artifacts) AS a WHERE ${isTableGone('r', "(a ->> 'id')")}) AS "isTableGone"
  FROM runs.runs r WHERE id = $1 AND lease_token = $2 AND status = 'running'`,
).rows<{ isTableGone: boolean }>();

const UNFINISHED_STEPS = statement(
  'run-lease.findUnfinished',
  `
  SELECT CASE WHEN finished_at IS NULL THEN input ->> 'batchId' END AS batch_id,
    CASE WHEN name ~ '^table-[0-9]+[.]create$' THEN input ->> 'tableId' END AS table_id
  FROM runs.steps WHERE run_id = $1
    AND (finished_at IS NULL OR name ~ '^table-[0-9]+[.]create$') ORDER BY position`,
).rows<{ batch_id: string | null; table_id: string | null }>();

const ADD_ARTIFACT = statement(
  'run-lease.addArtifact',
  `
  UPDATE runs.runs SET artifacts = artifacts || $3::jsonb
  WHERE id = $1 AND lease_token = $2 AND status = 'running' AND NOT artifacts @> jsonb_build_array(jsonb_build_object('id', $4::text))`,
);

const SET_ROOT_PLAN = statement(
  'run-lease.setRootPlan',
  "UPDATE runs.runs SET root_plan_id = $3 WHERE id = $1 AND lease_token = $2 AND status = 'running'",
);

const END = statement(
  'run-lease.end',
  `
  UPDATE runs.runs SET status = $3, message = $4, output = $5::jsonb, error = $6::jsonb, ended_at = clock_timestamp(),
    lease_token = NULL, lease_until = NULL
  WHERE id = $1 AND lease_token = $2 AND status = 'running' RETURNING 1`,
);

const HAS_MORE_TO_END = `(queue = 'sourcing-runs'
    OR EXISTS (SELECT FROM runs.steps s WHERE s.run_id = runs.id AND s.name ~ '^table-[0-9]+[.]create$'))`;

const REAP_LOST = statement(
  'run-lease.reapLost',
  `
  UPDATE runs.runs SET losses = losses + 1, lease_token = NULL, lease_until = NULL, delivered_at = '-infinity',
    status = CASE WHEN ${HAS_MORE_TO_END} THEN 'recovering' WHEN losses + 1 >= $1 THEN 'failed'
      WHEN cancellation_requested THEN 'cancelled' ELSE 'recovering' END,
    ended_at = CASE WHEN NOT ${HAS_MORE_TO_END} AND (losses + 1 >= $1 OR cancellation_requested) THEN clock_timestamp() END,
    error = CASE WHEN NOT ${HAS_MORE_TO_END} AND losses + 1 >= $1 THEN jsonb_build_object('code', 'run_lease_lost', 'message', 'run_lease_lost') END
  WHERE id IN (SELECT id FROM runs.runs WHERE status = 'running' AND lease_until < clock_timestamp()
    FOR UPDATE SKIP LOCKED) RETURNING id`,
);

const EXPIRE_ALL = statement(
  'run-lease.expireAll',
  "UPDATE runs.runs SET lease_until = clock_timestamp() WHERE status = 'running' AND lease_token IS NOT NULL",
);

const TAKE_SILENT = statement(
  'run-lease.takeSilent',
  `
  UPDATE runs.runs SET delivered_at = clock_timestamp()
  WHERE id IN (SELECT id FROM runs.runs
    WHERE queue = $2 AND (status IN ('queued', 'recovering') OR (status = 'running' AND lease_token IS NULL)) AND delivered_at < clock_timestamp() - make_interval(secs => $1 / 1000.0)
    FOR UPDATE SKIP LOCKED) RETURNING id`,
);
