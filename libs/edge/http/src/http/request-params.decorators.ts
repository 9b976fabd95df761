import { createParamDecorator, Param, type ExecutionContext } from '@nestjs/common';
import { requireId } from '@quarry/app';
import type { FastifyRequest } from 'fastify';
import { idempotencyKeyOf, isFreshWanted, maxCreditsOf } from './request-headers.js';

/** Prefix of the ids of a resource. */
export type ResourcePrefix = Parameters<typeof requireId>[0];

/**
 * Injects an id of the path. A text that cannot be an id gets the 404 of its resource.
 * @param prefix of the resource's ids
 * @param name of the parameter in the path; `id` when left out
 */
export const IdParam = (prefix: ResourcePrefix, name = 'id'): ParameterDecorator => {
  // The API description reads the prefix from here.
  const pipe = { prefix, transform: (id: string) => requireId(prefix, id) };
  return Param(name, pipe);
};

const Header = createParamDecorator(
  (name: string, host: ExecutionContext): unknown =>
    host.switchToHttp().getRequest<FastifyRequest>().headers[name],
);
function headerParam(header: string, transform: (value: string | string[] | undefined) => unknown) {
  // The API description reads the name of the header from here.
  const pipe = { header, transform };
  return (): ParameterDecorator => Header(header, pipe);
}

/** Injects the Idempotency-Key: a string, or null when there is none. */
export const IdempotencyKey = headerParam('idempotency-key', idempotencyKeyOf);
/** Injects Quarry-Max-Credits: a number of credits, or undefined when there is none. */
export const MaxCredits = headerParam('quarry-max-credits', maxCreditsOf);
/** Injects true when the request has Service-Fresh. */
export const IsFresh = headerParam('service-fresh', isFreshWanted);
