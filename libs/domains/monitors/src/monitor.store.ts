import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { toCredits, toMillicredits } from '@quarry/credit-ledger';
import {
  cursorPageText,
  faultsError,
  fieldError,
  jsonText,
  Monitor,
  MonitorItemPage,
  MonitorList,
  MonitorRun,
  MonitorRunPage,
  MONITORS_MAX,
  MONITORS_RPC,
  parseResource,
  requireExpected,
  type ChangeMonitorRequest,
  type CreateMonitorRequest,
  type JsonText,
  type MonitorItem,
  type ResourceOf,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { estimateOf, readStoredPlans, type StoredPlan } from '@quarry/plan-compiler';
import { CursorSigner, newId, requireId, notFound, type Ctx, type PageQuery } from '@quarry/app';
import {
  Database,
  IdempotentRequests,
  isoTime,
  lockTenant,
  ofTenant,
  recordAudit,
  TENANT,
  tenantOf,
  type TxCtx,
} from '@quarry/postgres';
import { PlanStore, RunStore, WorkspacePort } from '@quarry/runs';
import { ItemRowsPort } from './item-rows.port.js';
import { MonitorDates } from './monitor-dates.js';
import { faultOf, nextDates, type Schedule } from './monitor-schedule.js';
import { statement } from './statements.types.js';

type MonitorJson = ResourceOf<JsonText<typeof Monitor>>;
type ItemJson = ResourceOf<JsonText<typeof MonitorItem>>;

/** Creates, reads, changes, pauses, triggers and deletes monitors for the API, and reads what they have found. */
@Injectable()
export class MonitorStore {
  constructor(
    private readonly database: Database,
    private readonly requests: IdempotentRequests,
    private readonly cursors: CursorSigner,
    private readonly plans: PlanStore,
    private readonly runs: RunStore,
    private readonly dates: MonitorDates,
    private readonly rows: ItemRowsPort,
    private readonly workspaces: WorkspacePort,
  ) {}

  /**
   * Creates a monitor from a plan and keeps a copy of that plan. A repeated idempotency key with the same body returns the same monitor.
   * @throws AppError invalid_request, workspace_not_found, not_found (plan), idempotency_conflict, agent_error
   */
  async createMonitor(
    ctx: Ctx,
    body: CreateMonitorRequest,
    idempotencyKey: string | null,
  ): Promise<JsonText<typeof Monitor>> {
    const schedule = scheduleOf(body.schedule);
    const request = { route: MONITORS_RPC.create.pattern, key: idempotencyKey, body };
    return this.requests.whileLeased(ctx, request, MONITORS_RPC.create.timeoutMs, async (keep) => {
      const { planId, prompt, plans, workspaceId } = await this.planOf(ctx, body);
      requireFollowable(plans);
      requireWatchable(plans[0]!, body.watch);
      return this.database.transaction(ctx, async (tx) => {
        await lockTenant(this.database, tx, 'monitors');
        if (!(await this.database.queryOne(tx, HOLD_PLAN, [tenantOf(tx), planId]))) throw notFound('plan');
        const named = workspaceId === undefined ? {} : { workspace_id: workspaceId };
        const place = await this.runs.findOrCreatePlace(tx, { prompt, ...named });
        const id = newId('mon');
        const made = await this.database.queryOne(tx, INSERT, [
          tenantOf(tx),
          id,
          tx.keyId,
          body.name,
          place.workspaceId,
          place.conversationId,
          prompt,
          JSON.stringify(plans),
          schedule.cron,
          schedule.timeZone,
          body.first_run ?? 'deliver',
          milliOf(body.max_credits_per_run),
          milliOf(body.max_credits_per_month),
          randomBytes(32).toString('base64url'),
          nextDates(schedule, new Date())[0]!,
          MONITORS_MAX,
          body.watch ?? null,
        ]);
        if (!made) throw fieldError([], `there are already ${MONITORS_MAX} monitors, which is the limit`);
        await recordAudit(this.database, tx, { action: 'monitor.created', object: id });
        const shown = await this.readMonitor(tx, id);
        await keep(tx, shown);
        return shown;
      });
    });
  }

  /** @returns all monitors in the order of their creation */
  async listMonitors(ctx: Ctx): Promise<JsonText<typeof MonitorList>> {
    const rows = await this.database.query(ctx, LIST, [tenantOf(ctx)]);
    return jsonText(MonitorList, { items: rows.map(toMonitorJson) });
  }

  /** @throws AppError not_found */
  async readMonitor(ctx: Ctx | TxCtx, monitorId: string): Promise<JsonText<typeof Monitor>> {
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), monitorId]);
    if (!row) throw notFound('mon');
    return jsonText(Monitor, toMonitorJson(row));
  }

  /** Changes the fields that the body contains. @throws AppError not_found, invalid_request, version_conflict */
  async changeMonitor(
    ctx: Ctx,
    monitorId: string,
    body: ChangeMonitorRequest,
  ): Promise<JsonText<typeof Monitor>> {
    const schedule = body.schedule ? scheduleOf(body.schedule) : null;
    await this.database.transaction(ctx, async (tx) => {
      if (!(await this.database.queryOne(tx, LOCK, [tenantOf(tx), monitorId]))) throw notFound('mon');
      requireExpected(parseResource(await this.readMonitor(tx, monitorId)), body.expected);
      await this.database.query(tx, CHANGE, [
        tenantOf(tx),
        monitorId,
        body.name ?? null,
        schedule?.cron ?? null,
        schedule?.timeZone ?? null,
        schedule ? nextDates(schedule, new Date())[0]! : null,
        milliOf(body.max_credits_per_run),
        milliOf(body.max_credits_per_month),
        body.max_credits_per_run === null,
        body.max_credits_per_month === null,
      ]);
      await recordAudit(this.database, tx, { action: 'monitor.changed', object: monitorId });
    });
    return this.readMonitor(ctx, monitorId);
  }

  /** Deletes a monitor with its items, and cancels its unfinished runs. Its tables stay. @throws AppError not_found */
  async removeMonitor(ctx: Ctx, monitorId: string): Promise<void> {
    await this.database.transaction(ctx, async (tx) => {
      // Runs are locked before the monitor, as at the end of a run. The second call covers a run that started in the meantime.
      await this.cancelRuns(tx, monitorId);
      const gone = await this.database.queryOne(tx, REMOVE, [tenantOf(tx), monitorId]);
      if (!gone) throw notFound('mon');
      await this.cancelRuns(tx, monitorId);
      await this.database.query(tx, REMOVE_ITEMS, [tenantOf(tx), monitorId]);
      await this.database.query(tx, REMOVE_RUNS, [tenantOf(tx), monitorId]);
      await recordAudit(this.database, tx, { action: 'monitor.deleted', object: monitorId });
    });
  }

  private async cancelRuns(tx: TxCtx, monitorId: string): Promise<void> {
    const working = await this.database.query(tx, WORKING_RUNS, [tenantOf(tx), monitorId]);
    for (const { id } of working) await this.runs.cancelRun(tx, id);
  }

  /** Stops scheduled runs. @throws AppError not_found */
  async pauseMonitor(ctx: Ctx, monitorId: string): Promise<JsonText<typeof Monitor>> {
    return this.setStatus(ctx, monitorId, (tx) =>
      this.database.queryOne(tx, PAUSE, [tenantOf(tx), monitorId]),
    );
  }

  /**
   * Resumes from the next date. Later runs are paid for by the caller's key, and earlier failures no longer count.
   * @throws AppError not_found; workspace_not_found if its workspace is archived
   */
  async resumeMonitor(ctx: Ctx, monitorId: string): Promise<JsonText<typeof Monitor>> {
    return this.setStatus(ctx, monitorId, async (tx) => {
      const row = await this.database.queryOne(tx, LOCK, [tenantOf(tx), monitorId]);
      if (!row) return null;
      if (!(await this.workspaces.workspaceExists(tx, row.workspace_id)))
        throw new AppError('workspace_not_found', 'The workspace of the monitor is archived.');
      const [nextAt] = nextDates({ cron: row.cron, timeZone: row.time_zone }, new Date());
      return this.database.queryOne(tx, RESUME, [tenantOf(tx), monitorId, nextAt!, tx.keyId]);
    });
  }

  /** Starts a run outside the schedule. @returns the record of that run. @throws AppError not_found, conversation_busy */
  async triggerMonitor(
    ctx: Ctx,
    monitorId: string,
    idempotencyKey: string | null,
  ): Promise<JsonText<typeof MonitorRun>> {
    const request = { route: MONITORS_RPC.trigger.pattern, key: idempotencyKey, body: { monitorId } };
    return this.requests.inTransaction(ctx, request, async (tx) => {
      const at = await this.dates.beginNow(tx, monitorId);
      const row = await this.database.queryOne(tx, READ_RUN, [tenantOf(tx), monitorId, at]);
      if (!row) throw notFound('mon');
      return row.json;
    });
  }

  /** Returns one page of a monitor's runs, newest first. @throws AppError not_found, invalid_cursor */
  async listRuns(ctx: Ctx, monitorId: string, page: PageQuery): Promise<JsonText<typeof MonitorRunPage>> {
    await this.readMonitor(ctx, monitorId);
    const binding = { tenant: tenantOf(ctx), endpoint: MONITORS_RPC.listRuns.pattern, subject: monitorId };
    const { rows, next } = await this.cursors.readPage(
      binding,
      page,
      (before, limit) => this.database.query(ctx, LIST_RUNS, [tenantOf(ctx), monitorId, before, limit]),
      ({ at }) => at,
    );
    const items = rows.map(({ json }) => json);
    return cursorPageText(MonitorRunPage, items, next);
  }

  /**
   * Returns one page of the items that a monitor has reported, ordered by the time when each was first seen or last changed.
   * @throws AppError not_found, invalid_cursor
   */
  async listItems(
    ctx: Ctx,
    monitorId: string,
    { since, ...page }: PageQuery & { since: string | null },
  ): Promise<JsonText<typeof MonitorItemPage>> {
    await this.readMonitor(ctx, monitorId);
    const binding = {
      tenant: tenantOf(ctx),
      endpoint: MONITORS_RPC.listItems.pattern,
      subject: `${monitorId} ${since ?? ''}`,
    };
    const { rows: found, next } = await this.cursors.readPage(
      binding,
      page,
      (after, limit) =>
        this.database.query(ctx, LIST_ITEMS, [tenantOf(ctx), monitorId, since, ...partsOf(after), limit]),
      placeOf,
    );
    const rows = await this.rowsOf(ctx, found);
    const items = found.map(
      ({ position: _position, found_in: _table, found_as: _row, ...item }): ItemJson => ({
        ...item,
        row: rows.get(item.row_id) ?? null,
      }),
    );
    return jsonText(MonitorItemPage, { items, next_cursor: next });
  }

  private async rowsOf(
    ctx: Ctx,
    items: ReadonlyArray<{ table_id: string; row_id: string }>,
  ): Promise<Map<string, ItemJson['row']>> {
    const rows = new Map<string, ItemJson['row']>();
    for (const tableId of new Set(items.map(({ table_id: id }) => id))) {
      const ids = items.flatMap(({ table_id: id, row_id: rowId }) => (id === tableId ? rowId : []));
      const read = await this.rows.readRows(ctx, tableId, ids).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'table_not_found') return [];
        throw error;
      });
      for (const { id, values } of read) rows.set(id, { id, values });
    }
    return rows;
  }

  private async planOf(
    ctx: Ctx,
    { prompt, plan_id: planId, workspace_id: workspaceId }: CreateMonitorRequest,
  ): Promise<{ planId: string; prompt: string; plans: StoredPlan[]; workspaceId: string | undefined }> {
    if ((prompt === undefined) === (planId === undefined))
      throw fieldError(['prompt'], 'is required unless plan_id is given');
    const named = workspaceId === undefined ? {} : { workspace_id: workspaceId };
    const id = planId ?? parseResource(await this.plans.createPlan(ctx, { prompt: prompt!, ...named })).id;
    const { request, plans } = await this.plans.readStored(ctx, requireId('plan', id));
    return { planId: id, prompt: request.prompt, plans, workspaceId: workspaceId ?? request.workspace_id };
  }

  private async setStatus(
    ctx: Ctx,
    monitorId: string,
    write: (tx: TxCtx) => Promise<unknown>,
  ): Promise<JsonText<typeof Monitor>> {
    await this.database.transaction(ctx, async (tx) => {
      if (!(await write(tx))) throw notFound('mon');
      await recordAudit(this.database, tx, { action: 'monitor.changed', object: monitorId });
    });
    return this.readMonitor(ctx, monitorId);
  }
}

/**
 * Reads the rows that a monitor has reported, for other libraries.
 * @param page.after `place` of the last row of the previous page; null for the first page
 * @returns the rows in the order in which they were found or changed, with the tables that hold their paid values
 * @throws AppError not_found
 */
export async function reportedRows(
  database: Database,
  ctx: Ctx | TxCtx,
  monitorId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<Array<{ tableId: string; rowId: string; place: string }>> {
  if (!(await database.queryOne(ctx, READ, [tenantOf(ctx), monitorId]))) throw notFound('mon');
  const params = [tenantOf(ctx), monitorId, null, ...partsOf(after), limit] as const;
  const items = await database.query(ctx, LIST_ITEMS, params);
  return items.map((item) => ({ tableId: item.found_in, rowId: item.found_as, place: placeOf(item) }));
}

/** Accepts only a plan with one table whose rows are searched again on each run. @throws AppError invalid_request */
function requireFollowable(plans: readonly StoredPlan[]): void {
  const [first, ...others] = plans;
  if (!first || others.length > 0) throw fieldError(['plan_id'], 'must name a plan of one table');
  const { isEmpty, within, source } = first.plan;
  const { words = [] } = first.unconfirmed ?? {};
  if (isEmpty || first.unconfirmed)
    throw fieldError(
      ['prompt'],
      `must say which rows are wanted${words.length === 0 ? '' : `; not understood: ${words.map((word) => `“${word}”`).join(', ')}`}`,
    );
  if (within)
    throw fieldError(['plan_id'], 'must name a plan that searches, not one that refines earlier rows');
  if (source.kind === 'web')
    throw fieldError(['prompt'], 'must search a directory or a table: the web is not searched on a schedule');
}

/** Accepts only columns that the search itself fills: checking for a change must not cost credits. @throws AppError invalid_request */
function requireWatchable({ plan }: StoredPlan, watch: readonly string[] = []): void {
  const free = plan.columns.filter(({ source }) => source.from === 'directory' || source.from === 'table');
  const faults = watch.flatMap((key, i) =>
    free.some((column) => column.key === key)
      ? []
      : {
          path: ['watch', i],
          message: `watch[${i}] must be the key of a column that the search fills: ${free.map((column) => column.key).join(', ')}`,
        },
  );
  if (faults.length > 0) throw faultsError('resources', faults);
}

function scheduleOf({ cron, time_zone: timeZone }: { cron: string; time_zone: string }): Schedule {
  const schedule = { cron: cron.trim().replace(/\s+/g, ' '), timeZone };
  const wrong = faultOf(schedule, new Date());
  if (wrong) throw fieldError(['schedule', wrong.field], wrong.message);
  return schedule;
}

function placeOf({ position, identity }: { position: string; identity: string }): string {
  return `${position} ${identity}`;
}

function partsOf(place: string | null): [position: string | null, identity: string | null] {
  const [position = null, identity = null] = place?.split(' ') ?? [];
  return [position, identity];
}

function milliOf(credits: number | null | undefined): string | null {
  return credits == null ? null : String(toMillicredits(credits));
}

type MonitorRow = {
  id: string;
  name: string;
  workspace_id: string;
  status: 'active' | 'paused';
  pause_reason: MonitorJson['pause_reason'];
  prompt: string;
  plans: unknown;
  cron: string;
  time_zone: string;
  first_run: 'deliver' | 'silent';
  run_credits_max: string | null;
  month_credits_max: string | null;
  watch: string[] | null;
  last_run: MonitorJson['last_run'];
  created_at: string;
};

function toMonitorJson(row: MonitorRow): MonitorJson {
  const { id, status, cron, time_zone: timeZone } = row;
  const plans = readStoredPlans(row.plans);
  const { rows, creditsMax } = estimateOf(plans.map(({ plan }) => plan));
  const credits = (milli: string | null): number | null => (milli === null ? null : toCredits(Number(milli)));
  const dates = status === 'active' ? nextDates({ cron, timeZone }, new Date()) : [];
  return {
    id,
    name: row.name,
    workspace_id: row.workspace_id,
    status,
    pause_reason: row.pause_reason,
    prompt: row.prompt,
    intent: { ...plans[0]?.intent },
    schedule: { cron, time_zone: timeZone },
    next_runs: dates.map((date) => date.toISOString()),
    first_run: row.first_run,
    max_credits_per_run: credits(row.run_credits_max),
    max_credits_per_month: credits(row.month_credits_max),
    watch: row.watch,
    last_run: row.last_run,
    estimate: { rows, credits_min: 0, credits_max: creditsMax },
    links: { self: `/v1/monitors/${id}`, runs: `/v1/monitors/${id}/runs`, items: `/v1/monitors/${id}/items` },
    created_at: row.created_at,
  };
}

const RUN_JSON = `json_build_object('due_at', ${isoTime('r.due_at')}, 'trigger', r.trigger, 'status', r.status,
  'reason', r.reason, 'run_id', r.run_id, 'is_silent', r.is_silent, 'rows_max', r.rows_max,
  'new', r.new_rows, 'updated', r.updated_rows, 'known', r.known_rows, 'credits', trim_scale(r.charged::numeric / 1000),
  'ended_at', ${isoTime('r.ended_at')})`;

const COLUMNS = `m.id, m.name, m.workspace_id, m.status, m.pause_reason, m.prompt, m.plans, m.cron, m.time_zone, m.first_run,
  m.run_credits_max::text AS run_credits_max, m.month_credits_max::text AS month_credits_max, m.watch,
  ${isoTime('m.created_at')} AS created_at,
  (SELECT ${RUN_JSON} FROM runs.monitor_runs r WHERE r.org_id = m.org_id AND r.mode = m.mode AND r.monitor_id = m.id
   ORDER BY r.due_at DESC LIMIT 1) AS last_run`;

/** An erasure deletes plans before monitors: one that deletes this plan waits, and then finds the monitor. */
const HOLD_PLAN = statement(
  'monitor.holdPlan',
  `SELECT 1 FROM runs.plans WHERE ${ofTenant()} AND id = $2 FOR KEY SHARE`,
);

const INSERT = statement(
  'monitor.insert',
  `INSERT INTO runs.monitors (org_id, mode, id, key_id, name, workspace_id, conversation_id, prompt, plans, cron, time_zone,
     first_run, run_credits_max, month_credits_max, identity_key, next_at, watch)
   SELECT ${TENANT}, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11, $12::bigint, $13::bigint, $14, $15, $17::text[]
   WHERE (SELECT count(*) FROM runs.monitors m WHERE ${ofTenant('m')}) < $16 RETURNING id`,
);

const LIST = statement(
  'monitor.list',
  `SELECT ${COLUMNS} FROM runs.monitors m WHERE ${ofTenant('m')} ORDER BY m.created_at, m.id`,
).rows<Pick<MonitorRow, 'created_at' | 'last_run' | 'watch'>>();

const READ = statement(
  'monitor.read',
  `SELECT ${COLUMNS} FROM runs.monitors m WHERE ${ofTenant('m')} AND m.id = $2`,
).rows<Pick<MonitorRow, 'created_at' | 'last_run' | 'watch'>>();

const LOCK = statement(
  'monitor.lock',
  `SELECT cron, time_zone, workspace_id FROM runs.monitors WHERE ${ofTenant()} AND id = $2 FOR UPDATE`,
);

const CHANGE = statement(
  'monitor.change',
  `UPDATE runs.monitors SET name = coalesce($3, name), cron = coalesce($4, cron), time_zone = coalesce($5, time_zone),
     next_at = coalesce($6, next_at),
     run_credits_max = CASE WHEN NOT $9::boolean THEN coalesce($7::bigint, run_credits_max) END,
     month_credits_max = CASE WHEN NOT $10::boolean THEN coalesce($8::bigint, month_credits_max) END
   WHERE ${ofTenant()} AND id = $2`,
);

// Replaces the pause reasons with which a monitor would resume by itself.
const PAUSE = statement(
  'monitor.pause',
  `UPDATE runs.monitors SET status = 'paused',
     pause_reason = coalesce(nullif(nullif(pause_reason, 'budget'), 'credits'), 'requested')
   WHERE ${ofTenant()} AND id = $2 RETURNING id`,
);

const RESUME = statement(
  'monitor.resume',
  `UPDATE runs.monitors SET next_at = CASE status WHEN 'paused' THEN $3 ELSE next_at END, status = 'active', pause_reason = NULL,
     failures = 0, key_id = $4
   WHERE ${ofTenant()} AND id = $2 RETURNING id`,
);

const REMOVE = statement(
  'monitor.remove',
  `DELETE FROM runs.monitors WHERE ${ofTenant()} AND id = $2 RETURNING id`,
);
const REMOVE_ITEMS = statement(
  'monitor.removeItems',
  `DELETE FROM runs.monitor_items WHERE ${ofTenant()} AND monitor_id = $2`,
);
const REMOVE_RUNS = statement(
  'monitor.removeRuns',
  `DELETE FROM runs.monitor_runs WHERE ${ofTenant()} AND monitor_id = $2`,
);
const WORKING_RUNS = statement(
  'monitor.workingRuns',
  `SELECT id FROM runs.runs WHERE ${ofTenant()} AND monitor_id = $2 AND status IN ('queued', 'running', 'recovering')`,
);

const READ_RUN = statement(
  'monitor.readRun',
  `SELECT ${RUN_JSON}::text AS json FROM runs.monitor_runs r WHERE ${ofTenant('r')} AND r.monitor_id = $2 AND r.due_at = $3`,
).rows<{ json: JsonText<typeof MonitorRun> }>();

const LIST_RUNS = statement(
  'monitor.listRuns',
  `SELECT ${RUN_JSON}::text AS json, r.due_at::text AS at FROM runs.monitor_runs r
   WHERE ${ofTenant('r')} AND r.monitor_id = $2 AND ($3::timestamptz IS NULL OR r.due_at < $3::timestamptz)
   ORDER BY r.due_at DESC LIMIT $4`,
).rows<{ json: JsonText<typeof MonitorRun>; at: string }>();

/** Time of the last report. A CASE expression, because row-level security keeps `coalesce` out of index conditions. */
const REPORTED_AT = '(CASE WHEN i.updated_at IS NULL THEN i.first_seen ELSE i.updated_at END)';

// The position has microseconds and no space, unlike a displayed time.
const LIST_ITEMS = statement(
  'monitor.listItems',
  `SELECT i.identity, ${isoTime('i.first_seen')} AS first_seen, ${isoTime('i.updated_at')} AS updated_at, i.run_id, i.table_id, i.row_id,
     coalesce(i.first_table_id, i.table_id) AS found_in, coalesce(i.first_row_id, i.row_id) AS found_as,
     to_char(${REPORTED_AT} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS position
   FROM runs.monitor_items i
   WHERE ${ofTenant('i')} AND i.monitor_id = $2 AND i.is_reported
     AND ($3::timestamptz IS NULL OR ${REPORTED_AT} >= $3::timestamptz)
     AND ($4::timestamptz IS NULL OR (${REPORTED_AT}, i.identity) > ($4::timestamptz, $5::text))
   ORDER BY ${REPORTED_AT}, i.identity LIMIT $6`,
).rows<{ first_seen: string; position: string; found_in: string; found_as: string }>();
