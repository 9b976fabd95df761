import type { FastifyReply, FastifyRequest } from 'fastify';
import { idempotencyKeyOf } from './request-headers.js';

/** Fastify hook of routes that change something: an invalid Idempotency-Key is refused even when the route does not use it. */
export function refuseMalformedKey(
  { headers }: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  try {
    idempotencyKeyOf(headers['idempotency-key']);
  } catch (error) {
    return done(error as Error);
  }
  done();
}
