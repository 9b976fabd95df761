import { Controller } from '@nestjs/common';
import { MONITORS_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { MonitorStore } from './monitor.store.js';

type Rpc = typeof MONITORS_RPC;

/** Handles the RPC calls for monitors and their items. */
@Controller()
export class MonitorsController {
  constructor(private readonly monitors: MonitorStore) {}

  @Answers(MONITORS_RPC.create)
  createMonitor(ctx: Ctx, { body, idempotencyKey = null }: RequestOf<Rpc['create']>) {
    return this.monitors.createMonitor(ctx, body, idempotencyKey);
  }

  @Answers(MONITORS_RPC.list)
  listMonitors(ctx: Ctx) {
    return this.monitors.listMonitors(ctx);
  }

  @Answers(MONITORS_RPC.get)
  getMonitor(ctx: Ctx, { monitorId }: RequestOf<Rpc['get']>) {
    return this.monitors.readMonitor(ctx, monitorId);
  }

  @Answers(MONITORS_RPC.change)
  changeMonitor(ctx: Ctx, { monitorId, body }: RequestOf<Rpc['change']>) {
    return this.monitors.changeMonitor(ctx, monitorId, body);
  }

  @Answers(MONITORS_RPC.remove)
  async removeMonitor(ctx: Ctx, { monitorId }: RequestOf<Rpc['remove']>) {
    await this.monitors.removeMonitor(ctx, monitorId);
    return null;
  }

  @Answers(MONITORS_RPC.pause)
  pauseMonitor(ctx: Ctx, { monitorId }: RequestOf<Rpc['pause']>) {
    return this.monitors.pauseMonitor(ctx, monitorId);
  }

  @Answers(MONITORS_RPC.resume)
  resumeMonitor(ctx: Ctx, { monitorId }: RequestOf<Rpc['resume']>) {
    return this.monitors.resumeMonitor(ctx, monitorId);
  }

  @Answers(MONITORS_RPC.trigger)
  triggerMonitor(ctx: Ctx, { monitorId, idempotencyKey = null }: RequestOf<Rpc['trigger']>) {
    return this.monitors.triggerMonitor(ctx, monitorId, idempotencyKey);
  }

  @Answers(MONITORS_RPC.listRuns)
  listRuns(ctx: Ctx, { monitorId, ...page }: RequestOf<Rpc['listRuns']>) {
    return this.monitors.listRuns(ctx, monitorId, page);
  }

  @Answers(MONITORS_RPC.listItems)
  listItems(ctx: Ctx, { monitorId, ...page }: RequestOf<Rpc['listItems']>) {
    return this.monitors.listItems(ctx, monitorId, page);
  }
}
