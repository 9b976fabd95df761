import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import {
  ChangeMonitorRequest,
  CreateMonitorRequest,
  CursorPageQuery,
  Monitor,
  MonitorItemPage,
  MonitorItemQuery,
  MonitorList,
  MonitorRun,
  MonitorRunPage,
  MONITORS_RPC,
} from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  BODIES,
  bodyOf,
  Documented,
  IdempotencyKey,
  IdParam,
  JsonRoute,
  Policy,
  queryOf,
  RequestCtx,
} from '@quarry/http';

/** Serves monitors: plans on a schedule, and what they have found. */
@Controller('v1/monitors')
export class MonitorsController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    client: {
      sdk: 'monitors.create',
      command: 'monitors create {body.prompt} --cron "0 9 * * 1" --time-zone Europe/Berlin',
    },
    spends: true,
    summary: 'Runs a plan on a schedule and reports what is new.',
    description:
      'Give a prompt, which is read once, or the plan_id of a plan; the intent never changes. Rows that an earlier run found are left out before anything is paid for. The schedule has the five fields of cron, in an IANA time zone, with at least one hour between two runs. With first_run silent, the first run only stores the existing rows, and reports and pays for nothing. At most 50 monitors.',
    answers: { 201: { description: 'The monitor, active.', body: Monitor } },
    errors: ['workspace_not_found', 'not_found', 'agent_error'],
    example: {
      name: 'New fintech companies in Berlin',
      prompt: 'fintech companies in Berlin',
      schedule: { cron: '0 9 * * 1', time_zone: 'Europe/Berlin' },
      first_run: 'silent',
      max_credits_per_run: 50,
    },
  })
  @Post()
  @JsonRoute({ rateClass: 'heavy', body: BODIES.ordinary })
  createMonitor(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreateMonitorRequest)) body: CreateMonitorRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, MONITORS_RPC.create, { body, idempotencyKey });
  }

  @Documented({
    client: { sdk: 'monitors.list', command: 'monitors list' },
    summary: 'Lists the monitors.',
    answers: { 200: { description: 'All monitors, the oldest first.', body: MonitorList } },
  })
  @Get()
  @JsonRoute()
  listMonitors(@RequestCtx() ctx: Ctx): Promise<string> {
    return this.rpc.call(ctx, MONITORS_RPC.list, {});
  }

  @Documented({
    client: { sdk: 'monitors.get', command: 'monitors get {id}' },
    summary: 'Reads a monitor.',
    answers: {
      200: {
        description: 'The monitor, with its next five scheduled times and its last run.',
        body: Monitor,
      },
    },
  })
  @Get(':id')
  @JsonRoute()
  getMonitor(@RequestCtx() ctx: Ctx, @IdParam('mon') monitorId: string): Promise<string> {
    return this.rpc.call(ctx, MONITORS_RPC.get, { monitorId });
  }

  @Documented({
    client: { sdk: 'monitors.update' },
    summary: 'Changes the name, schedule or budgets of a monitor.',
    description:
      'Omitted fields stay as they are. With expected, the fields as you have read them, a change by somebody else in the meantime is not overwritten.',
    answers: { 200: { description: 'The changed monitor.', body: Monitor } },
    errors: ['version_conflict'],
    example: { max_credits_per_month: 200 },
  })
  @Patch(':id')
  @JsonRoute({ body: BODIES.ordinary })
  changeMonitor(
    @RequestCtx() ctx: Ctx,
    @IdParam('mon') monitorId: string,
    @Body(bodyOf(ChangeMonitorRequest)) body: ChangeMonitorRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, MONITORS_RPC.change, { monitorId, body });
  }

  @Documented({
    client: { sdk: 'monitors.delete', command: 'monitors delete {id}' },
    summary: 'Deletes a monitor with its history.',
    description: 'A run in progress is cancelled. Tables stay.',
    answers: { 204: { description: 'Deleted.', body: null } },
  })
  @Delete(':id')
  @Policy({})
  async deleteMonitor(@RequestCtx() ctx: Ctx, @IdParam('mon') monitorId: string): Promise<void> {
    await this.rpc.call(ctx, MONITORS_RPC.remove, { monitorId });
  }

  @Documented({
    client: { sdk: 'monitors.pause', command: 'monitors pause {id}' },
    isRepeatable: true,
    summary: 'Pauses a monitor.',
    description: 'No further run starts; a run in progress goes on.',
    answers: { 200: { description: 'The monitor, paused.', body: Monitor } },
  })
  @Post(':id/pause')
  @JsonRoute()
  pauseMonitor(@RequestCtx() ctx: Ctx, @IdParam('mon') monitorId: string): Promise<string> {
    return this.rpc.call(ctx, MONITORS_RPC.pause, { monitorId });
  }

  @Documented({
    client: { sdk: 'monitors.resume', command: 'monitors resume {id}' },
    isRepeatable: true,
    summary: 'Resumes a paused monitor from its next scheduled time.',
    description: 'Its runs are charged through the key that resumes it.',
    answers: { 200: { description: 'The monitor, active.', body: Monitor } },
    errors: ['workspace_not_found'],
  })
  @Post(':id/resume')
  @JsonRoute()
  resumeMonitor(@RequestCtx() ctx: Ctx, @IdParam('mon') monitorId: string): Promise<string> {
    return this.rpc.call(ctx, MONITORS_RPC.resume, { monitorId });
  }

  @Documented({
    client: { sdk: 'monitors.trigger', command: 'monitors trigger {id}' },
    spends: true,
    summary: 'Runs a monitor now, outside its schedule.',
    description:
      'Also works on a paused monitor. When its budget or the balance does not cover one row, the run is skipped, and the answer says so.',
    answers: { 202: { description: 'The run of the monitor, running or skipped.', body: MonitorRun } },
    errors: ['conversation_busy'],
  })
  @Post(':id/trigger')
  @JsonRoute({ rateClass: 'heavy' })
  triggerMonitor(
    @RequestCtx() ctx: Ctx,
    @IdParam('mon') monitorId: string,
    @IdempotencyKey() idempotencyKey: string | null,
  ): Promise<string> {
    return this.rpc.call(ctx, MONITORS_RPC.trigger, { monitorId, idempotencyKey });
  }

  @Documented({
    client: { sdk: 'monitors.listRuns', command: 'monitors runs {id}' },
    summary: 'Lists the scheduled and manual runs of a monitor, the newest first.',
    answers: { 200: { description: 'A page of runs of the monitor.', body: MonitorRunPage } },
  })
  @Get(':id/runs')
  @JsonRoute({ query: 'validated' })
  listMonitorRuns(
    @RequestCtx() ctx: Ctx,
    @IdParam('mon') monitorId: string,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, MONITORS_RPC.listRuns, { monitorId, limit, cursor: cursor ?? null });
  }

  @Documented({
    client: { sdk: 'monitors.listItems', command: 'monitors items {id}' },
    summary: 'Lists the rows that a monitor has reported, over all of its runs.',
    description: 'The earliest first; with since, only what was reported at that time or later.',
    answers: {
      200: { description: 'A page of items, each with its row as it is now.', body: MonitorItemPage },
    },
  })
  @Get(':id/items')
  @JsonRoute({ query: 'validated' })
  listMonitorItems(
    @RequestCtx() ctx: Ctx,
    @IdParam('mon') monitorId: string,
    @Query(queryOf(MonitorItemQuery)) { since, limit, cursor }: MonitorItemQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, MONITORS_RPC.listItems, {
      monitorId,
      since: since ?? null,
      limit,
      cursor: cursor ?? null,
    });
  }
}
