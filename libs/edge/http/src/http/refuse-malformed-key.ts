import type { FastifyReply, FastifyRequest } from 'fastify';
import { idempotencyKeyOf } from './request-headers.js';

/** Fastify hook of routes that change something: a faulty Idempotency-Key is refused also where none is used. */
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
