import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { AppError } from '@quarry/error-codes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { errorAnswer, type ErrorAnswer } from './error-answer.js';
import { LINGERING_CLOSE_MS } from './lingering-close.js';
import { JSON_TYPE } from '../policy/route-policy.js';

/** Bytes: a smaller body has usually arrived with the head; a larger one is still being sent. */
const PENDING_BODY_MIN = 64 * 1024;

/** Converts errors of Nest, Fastify and the gate to answers. */
@Catch()
export class ErrorSender implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  /** Called by Nest. */
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.send(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), error);
  }

  /** Answers with the envelope, and logs what the client must not know under the id of the request. */
  send(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const answer = errorAnswer(error);
    if (answer.status >= 500) this.reportError(request, error, answer.status);
    if (reply.sent || reply.raw.headersSent) {
      // The response has started: closing the connection is the only way left to show that it is incomplete.
      reply.raw.destroy();
      return reply;
    }
    reply.header('X-Request-Id', request.id);
    reply.code(answer.status).headers(answer.headers).header('Content-Type', JSON_TYPE);
    reply.removeHeader('Content-Length');
    return isBodyPending(request.raw) ? lingeringAnswer(request, reply, answer) : reply.send(answer.body);
  }

  private reportError(request: FastifyRequest, error: unknown, status: number): void {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : undefined;
    const facts = (error as { facts?: unknown } | null)?.facts;
    const route = request.routeOptions?.url ?? null;
    const where = { requestId: request.id, method: request.method, route, status };
    // An expected refusal without a cause, such as an unavailable or unconfigured service, is not logged.
    if (error instanceof AppError && error.code !== 'internal_error' && cause === undefined)
      this.log.warn({ ...where, code: error.code, reason: error.message, facts }, 'request refused');
    else this.log.error({ ...where, err: error, cause, facts }, 'request failed');
  }
}

function isBodyPending(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > PENDING_BODY_MIN;
}

/** Answers at once and closes a little later: at the end of the body, or after {@link LINGERING_CLOSE_MS}. */
function lingeringAnswer(request: FastifyRequest, reply: FastifyReply, answer: ErrorAnswer): FastifyReply {
  reply.header('Connection', 'close').header('Content-Length', Buffer.byteLength(answer.body));
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(answer.status, headers);
  raw.write(answer.body);
  const timer = setTimeout(finishResponse, LINGERING_CLOSE_MS);
  request.raw.once('end', finishResponse).once('close', finishResponse).resume();
  return reply;

  function finishResponse(): void {
    clearTimeout(timer);
    raw.end();
  }
}
