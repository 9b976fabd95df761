import type { IncomingMessage } from 'node:http';
import { randomBase62 } from '@quarry/identity';

// Short enough for a log line, and without characters that a log viewer could take for markup or a new line.
const SANE = /^[A-Za-z0-9._-]{1,64}$/;
const PROCESS = randomBase62(10);
let counter = 0;

/** @returns a new id: a random part per process and a counter, which is unique and needs no entropy */
export function newRequestId(): string {
  counter += 1;
  return `req-${PROCESS}-${counter.toString(36)}`;
}

/** @returns the caller's X-Request-Id when it is valid, otherwise a new one */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : newRequestId();
}
