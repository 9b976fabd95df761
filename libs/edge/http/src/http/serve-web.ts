import type { FastifyReply, FastifyRequest } from 'fastify';
import { APP_API } from './app-path.js';
import { methodNotAllowed, notFound } from './error-answer.js';
import type { ErrorSender } from './error-sender.js';
import { UNKNOWN_ROUTE_POLICY } from '../policy/route-policy.js';
import { APP_ROOT, type WebAnswer, type WebFiles } from './web-files.js';

/**
 * Serves the web application at addresses without a route. Not rate-limited: a file from memory costs no more than a refusal.
 * @returns a handler that returns undefined for requests that are not for the application
 */
export function serveWeb(
  files: WebFiles,
  errors: ErrorSender,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined {
  return (request, reply) => {
    const [path = ''] = (request.raw.url ?? '').split('?');
    const { accept, 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = request.raw.headers;
    const isRead = request.raw.method === 'GET' || request.raw.method === 'HEAD';
    if (path === '/') {
      const welcome = isRead ? files.findWelcome(accept) : null;
      return welcome ? sendAnswer(request, reply, welcome) : undefined;
    }
    if (path !== '/app' && (!path.startsWith(APP_ROOT) || path.startsWith(APP_API))) return undefined;
    request.policy = UNKNOWN_ROUTE_POLICY;
    if (!isRead) return errors.send(request, reply, methodNotAllowed(['GET', 'HEAD']));
    const answer = files.findAnswer({ path, accept, acceptEncoding, ifNoneMatch });
    return answer ? sendAnswer(request, reply, answer) : errors.send(request, reply, notFound());
  };
}

function sendAnswer({ id, raw }: FastifyRequest, reply: FastifyReply, { status, headers, body }: WebAnswer) {
  reply.code(status).headers(headers).header('X-Request-Id', id);
  if (raw.method !== 'HEAD') return reply.send(body ?? '');
  return reply.header('Content-Length', body?.length ?? 0).send('');
}
