import { Controller } from '@nestjs/common';
import { DESTINATIONS_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { DestinationStore } from './destination.store.js';
import { PushStore } from './push.store.js';

type Rpc = typeof DESTINATIONS_RPC;

/** Handles the calls for destinations and pushes. */
@Controller()
export class DestinationsController {
  constructor(
    private readonly destinations: DestinationStore,
    private readonly pushes: PushStore,
  ) {}

  @Answers(DESTINATIONS_RPC.create)
  createDestination(ctx: Ctx, { body, idempotencyKey = null }: RequestOf<Rpc['create']>) {
    return this.destinations.createDestination(ctx, body, idempotencyKey);
  }

  @Answers(DESTINATIONS_RPC.list)
  listDestinations(ctx: Ctx) {
    return this.destinations.listDestinations(ctx);
  }

  @Answers(DESTINATIONS_RPC.get)
  getDestination(ctx: Ctx, { destinationId }: RequestOf<Rpc['get']>) {
    return this.destinations.readDestination(ctx, destinationId);
  }

  @Answers(DESTINATIONS_RPC.change)
  changeDestination(ctx: Ctx, { destinationId, body }: RequestOf<Rpc['change']>) {
    return this.destinations.changeDestination(ctx, destinationId, body);
  }

  @Answers(DESTINATIONS_RPC.remove)
  async removeDestination(ctx: Ctx, { destinationId }: RequestOf<Rpc['remove']>) {
    await this.destinations.removeDestination(ctx, destinationId);
    return null;
  }

  @Answers(DESTINATIONS_RPC.preview)
  previewPush(ctx: Ctx, { destinationId, body }: RequestOf<Rpc['preview']>) {
    return this.pushes.previewPush(ctx, destinationId, body);
  }

  @Answers(DESTINATIONS_RPC.push)
  pushRows(ctx: Ctx, { destinationId, body, idempotencyKey = null }: RequestOf<Rpc['push']>) {
    return this.pushes.createPush(ctx, destinationId, body, idempotencyKey);
  }

  @Answers(DESTINATIONS_RPC.listPushes)
  listPushes(ctx: Ctx, { destinationId, ...page }: RequestOf<Rpc['listPushes']>) {
    return this.pushes.listPushes(ctx, destinationId, page);
  }

  @Answers(DESTINATIONS_RPC.getPush)
  getPush(ctx: Ctx, { destinationId, pushId }: RequestOf<Rpc['getPush']>) {
    return this.pushes.readPush(ctx, destinationId, pushId);
  }

  @Answers(DESTINATIONS_RPC.listFailures)
  listFailures(ctx: Ctx, { destinationId, pushId, ...page }: RequestOf<Rpc['listFailures']>) {
    return this.pushes.listFailures(ctx, { destinationId, pushId }, page);
  }
}
