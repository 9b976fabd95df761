import { faultsError, unrecognizedKey } from '@quarry/dto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseQuery } from '../validation/query-text.js';

/** Fastify hook of routes without a query: any parameter is unknown. */
export function refuseQuery(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  // Text: see querystringParser of the server.
  const text = request.query as string;
  if (text === '' || text === undefined) return done();
  const { values, faults } = parseQuery(text);
  const unknown = Object.keys(values).map((name) => unrecognizedKey(name));
  done(
    unknown.length + faults.length === 0
      ? undefined
      : faultsError(request.policy.style, [...unknown, ...faults]),
  );
}
