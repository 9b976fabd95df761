import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { requireShortNames, type Caller, type McpEndpoint } from '@quarry/mcp';
import { BODIES, Documented, KeyLimiter, Policy } from '@quarry/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { baseUrlOf } from './base-url.js';
import { APP_URL, MCP_ENDPOINT } from '../tokens.js';

/** Serves the Model Context Protocol: the same account for agents. */
@Controller('mcp')
export class McpController {
  constructor(
    @Inject(MCP_ENDPOINT) private readonly endpoint: McpEndpoint,
    @Inject(KeyLimiter) private readonly limiter: KeyLimiter,
    @Inject(APP_URL) private readonly appUrl: string | undefined,
  ) {}

  @Documented({
    isInternal: true,
    summary: 'Answers one message of the Model Context Protocol.',
    description:
      'Streamable HTTP, stateless, revisions 2025-11-25 and 2026-07-28. `Mcp-Session-Id` of the earlier revision only tells what the client supports. A tool that runs a service or starts a run counts in that rate class as well.',
    answers: {
      200: { description: 'The answer, as JSON or as a stream of events.', body: 'message' },
      202: {
        description: 'A notification, or the answer to a question of the server, was accepted.',
        body: null,
      },
      400: {
        description: 'The message is not valid in the protocol, or contradicts its headers.',
        body: 'message',
      },
      404: { description: 'The protocol has no such method.', body: 'message' },
      406: { description: 'The caller does not accept both JSON and a stream of events.', body: 'message' },
    },
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  @Post()
  @HttpCode(200)
  @Policy({ body: BODIES.ordinary, area: 'none', origin: 'own' })
  async callMcp(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireShortNames(request.body);
    const { raw } = reply;
    // The protocol's own code writes the answer, and must keep the headers of the gate.
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) raw.setHeader(name, value);
    reply.hijack();
    await this.endpoint.answer(this.callerOf(request), request.raw, raw, request.body);
  }

  private callerOf(request: FastifyRequest): Caller {
    const { ctx, key } = request;
    return {
      ctx,
      baseUrl: baseUrlOf(request, this.appUrl),
      admit: async (rateClass) => {
        const { refusal, release } = await this.limiter.admitRequest(key, rateClass);
        if (refusal) throw refusal;
        return release ?? (() => undefined);
      },
    };
  }
}
