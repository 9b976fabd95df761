import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import {
  ChangeDestinationRequest,
  CreateDestinationRequest,
  CursorPageQuery,
  Destination,
  DestinationList,
  DESTINATIONS_RPC,
  Push,
  PushFailurePage,
  PushPage,
  PushPreview,
  PushRequest,
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

const EXAMPLE = { table_id: 'tbl_01m8cxv81he00vh90g4am5mghn' };

/** Serves the destinations that rows of tables are pushed to. */
@Controller('v1/destinations')
export class DestinationsController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    client: { sdk: 'destinations.create' },
    summary: 'Creates a destination for rows: a webhook, a CRM or a sequencer.',
    description:
      'The secret is the API key of the vendor, or the signing secret of a webhook, and is never shown. A webhook needs settings.url, a sequencer settings.campaign_id. A test key can create webhooks only. At most 20 destinations.',
    answers: { 201: { description: 'The destination.', body: Destination } },
    example: { kind: 'hubspot_contacts', name: 'CRM', secret: 'pat-eu1-…' },
  })
  @Post()
  @JsonRoute({ body: BODIES.ordinary })
  createDestination(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreateDestinationRequest)) body: CreateDestinationRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, DESTINATIONS_RPC.create, { body, idempotencyKey });
  }

  @Documented({
    client: { sdk: 'destinations.list', command: 'destinations list' },
    summary: 'Lists the destinations.',
    answers: { 200: { description: 'All destinations, the oldest first.', body: DestinationList } },
  })
  @Get()
  @JsonRoute()
  listDestinations(@RequestCtx() ctx: Ctx): Promise<string> {
    return this.rpc.call(ctx, DESTINATIONS_RPC.list, {});
  }

  @Documented({
    client: { sdk: 'destinations.get' },
    summary: 'Reads a destination.',
    answers: { 200: { description: 'The destination, without its secret.', body: Destination } },
  })
  @Get(':id')
  @JsonRoute()
  getDestination(@RequestCtx() ctx: Ctx, @IdParam('dst') destinationId: string): Promise<string> {
    return this.rpc.call(ctx, DESTINATIONS_RPC.get, { destinationId });
  }

  @Documented({
    client: { sdk: 'destinations.update' },
    summary: 'Changes the name, the secret or the mapping of a destination.',
    description:
      'Omitted fields stay as they are. Rows that a new mapping sends differently count as changed. With expected, the fields as you have read them, a change by somebody else in the meantime is not overwritten.',
    answers: { 200: { description: 'The changed destination.', body: Destination } },
    errors: ['version_conflict'],
    example: { mapping: { email: 'email', jobtitle: 'title' } },
  })
  @Patch(':id')
  @JsonRoute({ body: BODIES.ordinary })
  changeDestination(
    @RequestCtx() ctx: Ctx,
    @IdParam('dst') destinationId: string,
    @Body(bodyOf(ChangeDestinationRequest)) body: ChangeDestinationRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, DESTINATIONS_RPC.change, { destinationId, body });
  }

  @Documented({
    client: { sdk: 'destinations.delete', command: 'destinations delete {id}' },
    summary: 'Deletes a destination with its pushes.',
    description: 'The record of sent rows is deleted, too: a new destination receives all rows.',
    answers: { 204: { description: 'Deleted.', body: null } },
  })
  @Delete(':id')
  @Policy({})
  async deleteDestination(@RequestCtx() ctx: Ctx, @IdParam('dst') destinationId: string): Promise<void> {
    await this.rpc.call(ctx, DESTINATIONS_RPC.remove, { destinationId });
  }

  @Documented({
    client: { sdk: 'destinations.preview', command: 'destinations preview {id} {body.table_id}' },
    isRepeatable: true,
    summary: 'Shows what a push would do, without sending anything.',
    description: 'How many rows are new, changed or left out, and five requests as they would be sent.',
    answers: { 200: { description: 'The preview.', body: PushPreview } },
    errors: ['table_not_found'],
    example: EXAMPLE,
  })
  @Post(':id/preview')
  @JsonRoute({ body: BODIES.ordinary })
  previewPush(
    @RequestCtx() ctx: Ctx,
    @IdParam('dst') destinationId: string,
    @Body(bodyOf(PushRequest)) body: PushRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, DESTINATIONS_RPC.preview, { destinationId, body });
  }

  @Documented({
    client: { sdk: 'destinations.push', command: 'destinations push {id} {body.table_id}' },
    summary: 'Pushes the rows of a table, or of a view on it, to a destination.',
    description:
      'Sends only rows that are new or have changed since they were sent. Excluded rows, rows without a key and fictional rows are left out. A rejected row does not stop the others.',
    answers: { 202: { description: 'The push, which begins within a second.', body: Push } },
    errors: ['table_not_found'],
    example: EXAMPLE,
  })
  @Post(':id/pushes')
  @JsonRoute({ body: BODIES.ordinary })
  createPush(
    @RequestCtx() ctx: Ctx,
    @IdParam('dst') destinationId: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(PushRequest)) body: PushRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, DESTINATIONS_RPC.push, { destinationId, body, idempotencyKey });
  }

  @Documented({
    client: { sdk: 'destinations.listPushes', command: 'destinations pushes {id}' },
    summary: 'Lists the pushes to a destination.',
    description: 'The newest first. Pushes are kept for 30 days after their end.',
    answers: { 200: { description: 'A page of pushes.', body: PushPage } },
  })
  @Get(':id/pushes')
  @JsonRoute({ query: 'validated' })
  listPushes(
    @RequestCtx() ctx: Ctx,
    @IdParam('dst') destinationId: string,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, DESTINATIONS_RPC.listPushes, { destinationId, limit, cursor: cursor ?? null });
  }

  @Documented({
    client: { sdk: 'destinations.getPush' },
    summary: 'Reads a push.',
    answers: { 200: { description: 'The push, as far as it has come.', body: Push } },
  })
  @Get(':id/pushes/:push_id')
  @JsonRoute()
  getPush(
    @RequestCtx() ctx: Ctx,
    @IdParam('dst') destinationId: string,
    @IdParam('psh', 'push_id') pushId: string,
  ): Promise<string> {
    return this.rpc.call(ctx, DESTINATIONS_RPC.getPush, { destinationId, pushId });
  }

  @Documented({
    client: { sdk: 'destinations.listFailures' },
    summary: 'Lists the rejected rows of a push, with the reason.',
    answers: { 200: { description: 'A page of rows.', body: PushFailurePage } },
  })
  @Get(':id/pushes/:push_id/failures')
  @JsonRoute({ query: 'validated' })
  listPushFailures(
    @RequestCtx() ctx: Ctx,
    @IdParam('dst') destinationId: string,
    @IdParam('psh', 'push_id') pushId: string,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, DESTINATIONS_RPC.listFailures, {
      destinationId,
      pushId,
      limit,
      cursor: cursor ?? null,
    });
  }
}
