import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import {
  EventFeedQuery,
  EventPage,
  EventQuery,
  GO_RPC,
  parseResource,
  RUNS_RPC,
  SERVICES_RPC,
} from '@quarry/dto';
import { EventLog } from '@quarry/events';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import { type Documentation, Documented, IdParam, JsonRoute, queryOf, RequestCtx } from '@quarry/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventReads } from '../events/event-reads.js';
import { acceptsStream } from '../events/accepts-stream.js';
import { EventStreams, type StreamContent, type StreamOwner } from '../events/event-streams.js';

const ANSWERS: Documentation['answers'] = {
  200: {
    description: 'A page of events, or a stream of them where text/event-stream is accepted.',
    body: EventPage,
    isStream: true,
  },
  204: { description: 'For a stream: it has ended, and everything was sent.', body: null },
};
const RESUMED =
  'A stream resumes after the event in Last-Event-ID or `after`, and ends with the event `end`.';

/** Request of a route, without its subject. */
interface EventRequest {
  ctx: Ctx;
  query: EventQuery & { types?: string[] };
  lastEventId: string | undefined;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Serves events, as a page, a held read or a stream. */
@Controller()
export class EventsController {
  constructor(
    private readonly rpc: RpcTransport,
    private readonly log: EventLog,
    private readonly reads: EventReads,
    private readonly streams: EventStreams,
  ) {}

  @Documented({
    client: { sdk: 'runs.followEvents', command: 'run follow {id}' },
    summary: 'Reads or follows the events of a run.',
    description: RESUMED,
    answers: ANSWERS,
    errors: ['invalid_cursor'],
  })
  @Get('v1/runs/:id/events')
  @JsonRoute({ query: 'validated', isHeld: true })
  async listRunEvents(
    @RequestCtx() ctx: Ctx,
    @IdParam('run') runId: string,
    @Query(queryOf(EventQuery)) query: EventQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const run = parseResource(await this.rpc.call(ctx, RUNS_RPC.getRun, { runId }));
    const hasEnded = ['completed', 'failed', 'cancelled'].includes(run.status);
    await this.answerEvents({ ctx, query, lastEventId, request, reply }, runId, hasEnded);
  }

  @Documented({
    client: { sdk: 'go.followEvents' },
    summary: 'Reads or follows the events of a Go run.',
    description: RESUMED,
    answers: ANSWERS,
    errors: ['invalid_cursor'],
  })
  @Get('v1/go/runs/:id/events')
  @JsonRoute({ query: 'validated', area: 'services', isHeld: true })
  async listGoRunEvents(
    @RequestCtx() ctx: Ctx,
    @IdParam('gorun') runId: string,
    @Query(queryOf(EventQuery, 'services')) query: EventQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { hasEnded } = await this.rpc.call(ctx, GO_RPC.get, { runId, waitSeconds: 0 });
    await this.answerEvents({ ctx, query, lastEventId, request, reply }, runId, hasEnded);
  }

  @Documented({
    client: { sdk: 'batches.followEvents' },
    summary: 'Reads or follows the events of a batch.',
    description: RESUMED,
    answers: ANSWERS,
    errors: ['invalid_cursor'],
  })
  @Get('v1/services/jobs/batch/:id/events')
  @JsonRoute({ area: 'services', style: 'resources', query: 'validated', isHeld: true })
  async listBatchEvents(
    @RequestCtx() ctx: Ctx,
    @IdParam('svcbatch') batchId: string,
    @Query(queryOf(EventQuery)) query: EventQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const batch = parseResource(await this.rpc.call(ctx, SERVICES_RPC.getBatch, { batchId, waitSeconds: 0 }));
    await this.answerEvents(
      { ctx, query, lastEventId, request, reply },
      batchId,
      batch.status === 'completed',
    );
  }

  @Documented({
    client: { sdk: 'events.list', command: 'events list' },
    summary: 'Reads or follows all events.',
    description: `A page starts with the oldest event that is kept, a stream with new events. Events of one subject come in the order of their seq. ${RESUMED.replace(', and ends with the event `end`', '')}`,
    answers: { 200: ANSWERS[200]! },
    errors: ['invalid_cursor'],
  })
  @Get('v1/events')
  @JsonRoute({ query: 'validated', isHeld: true })
  async listEvents(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(EventFeedQuery)) query: EventFeedQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answerEvents({ ctx, query, lastEventId, request, reply }, null, false);
  }

  /**
   * @param subject null for the feed of the organisation
   * @param hasEnded whether the subject has ended; evaluated before the log is read
   */
  private async answerEvents(
    eventRequest: EventRequest,
    subject: string | null,
    hasEnded: boolean,
  ): Promise<void> {
    const { ctx, query, lastEventId, request, reply } = eventRequest;
    const isStream = wantsStream(request);
    const after = (isStream ? lastEventId : undefined) ?? query.after;
    const types = query.types ?? null;
    const { place, lastId = null } = await this.findStart(ctx, subject, { after, isStream });
    if (!isStream) {
      const { limit, wait_seconds: waitSeconds } = query;
      return void reply.send(
        await this.reads.readPage(ctx, { place, types, limit, waitSeconds: hasEnded ? 0 : waitSeconds }),
      );
    }
    // The EventSource of a browser reconnects for ever, unless 204 tells it to stop.
    if (hasEnded && (await this.log.readAfter(ctx, place, { limit: 1 })).length === 0)
      return void reply.removeHeader('content-type').code(204).send();
    this.streams.openStream(ownerOf(request), { place, types, lastId }, reply);
  }

  /** @returns the place behind an event; without one the beginning, or for a stream of the feed its current end */
  private async findStart(
    ctx: Ctx,
    subject: string | null,
    { after, isStream }: { after: string | undefined; isStream: boolean },
  ): Promise<Pick<StreamContent, 'place'> & { lastId?: string | null }> {
    if (after !== undefined) return { place: await this.log.placeBehind(ctx, subject, after) };
    if (isStream && subject === null) return this.log.placeAtEnd(ctx);
    return { place: this.log.placeBefore(subject) };
  }
}

function wantsStream({ method, headers }: FastifyRequest): boolean {
  // Routes with GET also answer HEAD.
  return method === 'GET' && acceptsStream(headers.accept);
}

function ownerOf({ ctx: { orgId, mode }, key, session }: FastifyRequest): StreamOwner {
  return session
    ? { orgId, mode, kind: 'session', id: session.id }
    : { orgId, mode, kind: 'key', id: key.id };
}
