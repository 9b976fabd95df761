import { Injectable } from '@nestjs/common';
import { CreditLedger, toCredits } from '@quarry/credit-ledger';
import { AppError } from '@quarry/error-codes';
import { priceOf, readStoredPlans, serviceCalls, type StoredPlan } from '@quarry/plan-compiler';
import { systemCtx, notFound, type Ctx } from '@quarry/app';
import { Database, ofTenant, TENANT, tenantOf, type TxCtx } from '@quarry/postgres';
import { RunStore, WorkspacePort } from '@quarry/runs';
import { dueAt, type Schedule } from './monitor-schedule.js';
import { statement } from './statements.types.js';

/** A monitor that is locked until the transaction ends. */
interface LockedMonitor {
  readonly id: string;
  readonly workspaceId: string;
  readonly conversationId: string;
  readonly prompt: string;
  readonly plans: unknown;
  /** True while no run has completed and the first run is silent: it records rows without reporting them. */
  readonly isSilent: boolean;
  /** The remaining budget, in thousandths of a credit; null if there is no budget. */
  readonly budget: number | null;
  readonly schedule: Schedule;
  readonly now: Date;
}

type Trigger = 'schedule' | 'manual';

/** Outcome of a scheduled date before its run starts. */
type Begun =
  | { status: 'working'; runId: string; rowsMax: number | null }
  | { status: 'overlapped' }
  | { status: 'skipped'; reason: 'budget' | 'credits' | 'workspace_archived' };

/** Minutes before a date that failed to start is retried. */
const RETRY_MINUTES = 5;

const system = systemCtx('monitors');

/** Starts the scheduled runs of monitors: each date at most once across all processes, within budgets and balance. */
@Injectable()
export class MonitorDates {
  constructor(
    private readonly database: Database,
    private readonly runs: RunStore,
    private readonly workspaces: WorkspacePort,
    private readonly ledger: CreditLedger,
  ) {}

  /**
   * Starts the run of one monitor that is due and not locked by another process.
   * @param now the time to compare with; the database clock if omitted
   * @returns whether a monitor was due
   */
  async beginDue(now: Date | null = null): Promise<boolean> {
    const due = await this.database.queryOne(system, DUE, [now]);
    if (!due) return false;
    const ctx: Ctx = { ...systemCtx(due.id, due.org_id), mode: due.mode, keyId: due.key_id };
    try {
      await this.database.transaction(ctx, (tx) => this.beginClaimed(tx, due.id, now));
    } catch (error) {
      // A monitor that cannot start does not block the others: it is retried a little later.
      await this.database.query(ctx, PUT_OFF, [tenantOf(ctx), due.id, now, RETRY_MINUTES]);
      throw error;
    }
    return true;
  }

  private async beginClaimed(tx: TxCtx, id: string, now: Date | null): Promise<void> {
    const row = await this.database.queryOne(tx, CLAIM, [tenantOf(tx), id, now]);
    if (!row) return;
    const monitor = lockedOf(id, row);
    const date = dueAt(monitor.schedule, monitor.now);
    await this.database.query(tx, SET_NEXT, [tenantOf(tx), id, date.nextAt]);
    if (date.dueAt) await this.beginDate(tx, monitor, date.dueAt, 'schedule');
  }

  /** Starts a run now, even if the monitor is paused. @returns its date. @throws AppError not_found, conversation_busy */
  async beginNow(tx: TxCtx, monitorId: string): Promise<Date> {
    const row = await this.database.queryOne(tx, LOCK, [tenantOf(tx), monitorId]);
    if (!row) throw notFound('mon');
    const begun = await this.beginDate(tx, lockedOf(monitorId, row), row.now, 'manual');
    // Null means that another request used the same millisecond.
    if (begun === null || begun.status === 'overlapped')
      throw new AppError('conversation_busy', 'A run of this monitor is in progress.');
    return row.now;
  }

  private async beginDate(
    tx: TxCtx,
    monitor: LockedMonitor,
    at: Date,
    trigger: Trigger,
  ): Promise<Begun | null> {
    const { id, isSilent } = monitor;
    // The date is part of the primary key, so a second process starts nothing.
    const params = [tenantOf(tx), id, at, trigger, isSilent] as const;
    if (!(await this.database.queryOne(tx, INSERT, params))) return null;
    const begun = await this.startRun(tx, monitor, at);
    const {
      runId = null,
      rowsMax = null,
      reason = null,
    } = { ...(begun.status === 'working' ? begun : {}), ...(begun.status === 'skipped' ? begun : {}) };
    await this.database.query(tx, BEGUN, [tenantOf(tx), id, at, begun.status, reason, runId, rowsMax]);
    if (reason) {
      const nextAt = reason === 'budget' ? firstDateOfNextMonth(monitor) : null;
      await this.database.query(tx, PAUSE, [tenantOf(tx), id, reason, nextAt]);
    }
    return begun;
  }

  private async startRun(tx: TxCtx, monitor: LockedMonitor, at: Date): Promise<Begun> {
    const { id, workspaceId, conversationId, prompt, budget, isSilent } = monitor;
    if (!(await this.workspaces.workspaceExists(tx, workspaceId)))
      return { status: 'skipped', reason: 'workspace_archived' };
    if (await this.database.queryOne(tx, ACTIVE_RUN, [tenantOf(tx), conversationId]))
      return { status: 'overlapped' };
    const stored = readStoredPlans(monitor.plans);
    const covered = isSilent ? Infinity : await this.coveredRows(tx, stored, budget);
    if (typeof covered === 'string') return { status: 'skipped', reason: covered };
    const limit = stored[0]!.plan.limit;
    const plans = stored.map((each) => ({
      ...each,
      plan: { ...each.plan, limit: Math.min(each.plan.limit, covered) },
    }));
    const body = { prompt, workspace_id: workspaceId, conversation_id: conversationId };
    const runId = await this.runs.createWithin(tx, body, `mon:${id}:${at.toISOString()}`, {
      plans,
      monitorId: id,
      ...(budget === null ? {} : { maxCredits: toCredits(budget) }),
    });
    return { status: 'working', runId, rowsMax: covered < limit ? covered : null };
  }

  /** Returns how many rows the budgets, balance and caps cover at the maximum price, or which of them does not cover one row. */
  private async coveredRows(
    tx: TxCtx,
    plans: readonly StoredPlan[],
    budget: number | null,
  ): Promise<number | 'budget' | 'credits'> {
    const calls = plans.flatMap(({ plan }) => serviceCalls(plan.columns).flat());
    const price = calls.reduce((sum, call) => sum + priceOf(call), 0);
    if (price === 0) return Infinity;
    if (budget !== null && budget < price) return 'budget';
    const { available, underCaps } = await this.ledger.readSpendable(tx);
    const left = Math.min(available, underCaps);
    return left < price ? 'credits' : Math.floor(Math.min(budget ?? Infinity, left) / price);
  }
}

function lockedOf(
  id: string,
  row: {
    workspace_id: string;
    conversation_id: string;
    prompt: string;
    plans: unknown;
    is_silent: boolean;
    budget: string | null;
    cron: string;
    time_zone: string;
    now: Date;
  },
): LockedMonitor {
  const { workspace_id: workspaceId, conversation_id: conversationId, prompt, plans } = row;
  const budget = row.budget === null ? null : Math.max(0, Number(row.budget));
  const schedule = { cron: row.cron, timeZone: row.time_zone };
  const { is_silent: isSilent, now } = row;
  return { id, workspaceId, conversationId, prompt, plans, isSilent, budget, schedule, now };
}

/** @returns the first scheduled date of the next month (UTC), when the monthly budget starts again */
function firstDateOfNextMonth({ schedule, now }: LockedMonitor): Date {
  const endOfMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - 1);
  return dueAt(schedule, endOfMonth).nextAt;
}

const NOW = (given: string): string => `coalesce(${given}::timestamptz, clock_timestamp())`;

// Months are counted in UTC, as for spend caps.
const SPENT_THIS_MONTH = (
  now: string,
): string => `(SELECT coalesce(sum(r.charged), 0) FROM runs.monitor_runs r
  WHERE r.org_id = m.org_id AND r.mode = m.mode AND r.monitor_id = m.id
    AND r.due_at >= date_trunc('month', ${now} AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')`;

const LOCKED_COLUMNS = (
  now: string,
): string => `m.cron, m.time_zone, m.workspace_id, m.conversation_id, m.prompt, m.plans,
  (m.first_run = 'silent' AND NOT EXISTS (SELECT FROM runs.monitor_runs r WHERE r.org_id = m.org_id AND r.mode = m.mode
    AND r.monitor_id = m.id AND r.status = 'completed')) AS is_silent,
  least(m.run_credits_max, m.month_credits_max - ${SPENT_THIS_MONTH(now)})::text AS budget, ${now} AS now`;

type LockedColumns = { is_silent: boolean; now: Date };

// A monitor that used up its monthly budget resumes by itself: its next date is in the following month.
const IS_GOING_ON = `(status = 'active' OR pause_reason = 'budget') AND (status = 'active' OR month_credits_max IS NOT NULL)`;

const DUE = statement(
  'monitor-dates.due',
  `SELECT org_id, mode, id, key_id FROM runs.monitors WHERE ${IS_GOING_ON} AND next_at <= ${NOW('$1')}
   ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
).rows<{ mode: 'live' | 'test' }>();

const CLAIM = statement(
  'monitor-dates.claim',
  `SELECT ${LOCKED_COLUMNS(NOW('$3'))} FROM runs.monitors m
   WHERE ${ofTenant('m')} AND m.id = $2 AND ${IS_GOING_ON} AND m.next_at <= ${NOW('$3')} FOR UPDATE SKIP LOCKED`,
).rows<LockedColumns>();

const LOCK = statement(
  'monitor-dates.lock',
  `SELECT ${LOCKED_COLUMNS("date_trunc('milliseconds', clock_timestamp())")} FROM runs.monitors m
   WHERE ${ofTenant('m')} AND m.id = $2 FOR UPDATE`,
).rows<LockedColumns>();

const SET_NEXT = statement(
  'monitor-dates.setNext',
  `UPDATE runs.monitors SET next_at = $3, status = 'active', pause_reason = NULL WHERE ${ofTenant()} AND id = $2`,
);

const PUT_OFF = statement(
  'monitor-dates.putOff',
  `UPDATE runs.monitors SET next_at = ${NOW('$3')} + make_interval(mins => $4) WHERE ${ofTenant()} AND id = $2`,
);

const INSERT = statement(
  'monitor-dates.insert',
  `INSERT INTO runs.monitor_runs (org_id, mode, monitor_id, due_at, trigger, status, is_silent)
   VALUES (${TENANT}, $2, $3, $4, 'working', $5) ON CONFLICT DO NOTHING RETURNING due_at`,
);

const BEGUN = statement(
  'monitor-dates.begun',
  `UPDATE runs.monitor_runs SET status = $4, reason = $5, run_id = $6, rows_max = $7,
     ended_at = CASE WHEN $4 <> 'working' THEN clock_timestamp() END
   WHERE ${ofTenant()} AND monitor_id = $2 AND due_at = $3`,
);

const PAUSE = statement(
  'monitor-dates.pause',
  `UPDATE runs.monitors SET status = 'paused', pause_reason = $3, next_at = coalesce($4, next_at)
   WHERE ${ofTenant()} AND id = $2 AND status = 'active'`,
);

const ACTIVE_RUN = statement(
  'monitor-dates.activeRun',
  `SELECT 1 FROM runs.runs WHERE ${ofTenant()} AND conversation_id = $2 AND status IN ('queued', 'running', 'recovering')`,
);
