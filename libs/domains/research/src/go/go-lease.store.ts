import { randomUUID } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import type { CreateGoRunRequest } from '@quarry/dto';
import { defineWork, LeaseLostError, SILENT_MS, type WorkSignals } from '@quarry/durable-work';
import { systemCtx, WorkMetrics, type Ctx } from '@quarry/app';
import { Database, type TxCtx } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/**
 * Work definition of Go runs. A run gets no extra time at a shutdown: the next process continues after its last step. A
 * lost run is found within 45 s.
 */
export const GO_RUNS = defineWork({
  name: 'go_run',
  queue: 'go-runs',
  sweepMs: 3_000,
  drainMs: 0,
  leaseMs: 30_000,
});
/** Number of lost workers that ends a run, the same as for other runs. Source: docs/contract.md#3-runs. */
export const LEASE_LOSSES_MAX = 3;

/** A run that is leased to this process. */
export interface LeasedGoRun {
  id: string;
  token: string;
  ctx: Ctx;
  request: CreateGoRunRequest;
  holdId: string;
  /** Thousandths of a credit. */
  held: number;
  leaseLosses: number;
  /** Milliseconds since the first claim, by the clock of the database. */
  elapsedMs: number;
  /** Trace context of the request that started it; null if it was not traced. */
  traceparent: string | null;
}

export interface GoRunEnd {
  status: 'completed' | 'failed' | 'cancelled';
  stopReason: 'complete' | 'budget' | 'time' | 'no_evidence' | 'cancelled' | 'error';
  output: unknown;
  basis: unknown;
  proofs: unknown;
  /** Thousandths of a credit. */
  charged: number;
  remaining: number;
  /** A sentence; null unless the run failed. */
  failure: string | null;
}

const system = systemCtx('go-lease');

/** Grants, renews and releases leases of Go runs, and records their ends. Every write requires the lease's token. */
@Injectable()
export class GoLeaseStore {
  constructor(
    private readonly database: Database,
    @Optional() private readonly metrics?: WorkMetrics,
  ) {}

  /** Claims a run without a lease. @returns null if another process has it or it has ended */
  async claimRun(runId: string): Promise<LeasedGoRun | null> {
    const token = randomUUID();
    const row = await this.database.queryOne(system, CLAIM, [runId, token, GO_RUNS.leaseMs]);
    if (!row) return null;
    this.metrics?.countLease('go_run', 'claimed');
    const { orgId, mode, keyId, held, ...run } = row;
    return { ...run, token, ctx: { ...systemCtx(run.id, orgId), mode, keyId }, held: Number(held) };
  }

  /** @returns whether the lease is still valid */
  async renewLease(run: LeasedGoRun): Promise<boolean> {
    const rows = await this.database.query(system, RENEW, [run.id, run.token, GO_RUNS.leaseMs], 'heartbeat');
    if (rows.length === 0) this.metrics?.countLease('go_run', 'lost');
    return rows.length === 1;
  }

  /** Releases a run at a shutdown: it does not count as a loss, and another process may continue immediately. */
  async releaseRun(run: LeasedGoRun): Promise<void> {
    this.metrics?.countLease('go_run', 'handed_back');
    await this.database.query(system, RELEASE, [run.id, run.token]);
  }

  /** @returns signals that must be checked before the next step; null if the lease is lost */
  readSignals(run: LeasedGoRun): Promise<WorkSignals | null> {
    return this.database.queryOne(system, SIGNALS, [run.id, run.token], 'read');
  }

  /** Records the end in the caller's transaction. @throws LeaseLostError: the caller's transaction must roll back */
  async endRun(tx: TxCtx, run: LeasedGoRun, end: GoRunEnd): Promise<void> {
    const rows = await this.database.query(tx, END, [
      run.id,
      run.token,
      end.status,
      end.stopReason,
      JSON.stringify(end.output),
      JSON.stringify(end.basis),
      JSON.stringify(end.proofs),
      end.charged,
      end.remaining,
      end.failure === null ? null : JSON.stringify({ code: 'agent_error', message: end.failure }),
    ]);
    this.metrics?.countLease('go_run', rows.length === 1 ? 'ended' : 'lost');
    if (rows.length !== 1) throw new LeaseLostError('The run belongs to another process.');
  }

  /** Releases runs whose lease has expired. @returns their ids */
  async reapLost(): Promise<string[]> {
    const rows = await this.database.query(system, REAP_LOST);
    this.metrics?.countLease('go_run', 'reaped', rows.length);
    return rows.map(({ id }) => id);
  }

  /** Expires all leases, for a process that knows that it is the only one; the reaper then finds the runs immediately. */
  async expireAll(): Promise<void> {
    await this.database.query(system, EXPIRE_ALL);
  }

  /** @returns waiting runs without a lease or a recent delivery; they count as delivered from now on */
  async takeSilent(): Promise<string[]> {
    const rows = await this.database.query(system, TAKE_SILENT, [SILENT_MS]);
    this.metrics?.countLease('go_run', 'delivered_again', rows.length);
    return rows.map(({ id }) => id);
  }
}

const CLAIM = statement(
  'go-lease.claim',
  `
  UPDATE go.runs SET status = 'running', lease_token = $2, lease_until = clock_timestamp() + make_interval(secs => $3 / 1000.0),
    started_at = coalesce(started_at, clock_timestamp())
  WHERE id = $1 AND ended_at IS NULL AND lease_token IS NULL
  RETURNING id, org_id AS "orgId", mode, key_id AS "keyId", request, hold_id AS "holdId", held, losses AS "leaseLosses", traceparent,
    (extract(epoch FROM clock_timestamp() - started_at) * 1000)::float8 AS "elapsedMs"`,
).rows<{ mode: Ctx['mode']; request: CreateGoRunRequest; elapsedMs: number }>();

const RENEW = statement(
  'go-lease.renew',
  `UPDATE go.runs SET lease_until = clock_timestamp() + make_interval(secs => $3 / 1000.0)
   WHERE id = $1 AND lease_token = $2 AND status = 'running' RETURNING 1`,
);

const RELEASE = statement(
  'go-lease.release',
  `UPDATE go.runs SET lease_token = NULL, lease_until = NULL, delivered_at = '-infinity'
   WHERE id = $1 AND lease_token = $2 AND status = 'running'`,
);

const SIGNALS = statement(
  'go-lease.signals',
  `SELECT cancellation_requested AS "isCancelled" FROM go.runs WHERE id = $1 AND lease_token = $2 AND status = 'running'`,
);

const END = statement(
  'go-lease.end',
  `
  UPDATE go.runs SET status = $3, stop_reason = $4, output = $5::json, basis = $6::json, proofs = $7::json, charged = $8,
    remaining = $9, error = $10::json, ended_at = clock_timestamp(), lease_token = NULL, lease_until = NULL
  WHERE id = $1 AND lease_token = $2 AND status = 'running' RETURNING 1`,
);

const REAP_LOST = statement(
  'go-lease.reapLost',
  `
  UPDATE go.runs SET losses = losses + 1, lease_token = NULL, lease_until = NULL, delivered_at = '-infinity'
  WHERE id IN (SELECT id FROM go.runs WHERE status = 'running' AND lease_until < clock_timestamp() FOR UPDATE SKIP LOCKED)
  RETURNING id`,
);

const EXPIRE_ALL = statement(
  'go-lease.expireAll',
  "UPDATE go.runs SET lease_until = clock_timestamp() WHERE status = 'running' AND lease_token IS NOT NULL",
);

const TAKE_SILENT = statement(
  'go-lease.takeSilent',
  `
  UPDATE go.runs SET delivered_at = clock_timestamp()
  WHERE id IN (SELECT id FROM go.runs
    WHERE ended_at IS NULL AND lease_token IS NULL AND delivered_at < clock_timestamp() - make_interval(secs => $1 / 1000.0)
    FOR UPDATE SKIP LOCKED) RETURNING id`,
);
