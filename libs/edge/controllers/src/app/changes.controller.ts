import { Controller, Get, Headers, Res } from '@nestjs/common';
import type { OpenSession } from '@quarry/identity';
import { Policy, RequestSession } from '@quarry/http';
import type { FastifyReply } from 'fastify';
import { ChangeStreams } from '../changes/change-streams.js';

/** Streams the changes of an organisation, in both modes. */
@Controller('app/api/changes')
export class ChangesController {
  constructor(private readonly streams: ChangeStreams) {}

  @Get()
  @Policy({ access: 'session' })
  async streamChanges(
    @RequestSession() session: OpenSession,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Routes with GET also answer HEAD.
    if (reply.request.method === 'HEAD') return void reply.send('');
    await this.streams.openStream(session, lastEventId, reply);
  }
}
