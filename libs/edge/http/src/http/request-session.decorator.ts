import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Actor } from '@quarry/dto';
import type { OpenSession } from '@quarry/identity';
import type { FastifyRequest } from 'fastify';
import './request-state.js';

/** Injects the session of a request, on routes that need one. */
export const RequestSession = createParamDecorator((_data: unknown, host: ExecutionContext): OpenSession => {
  const { session } = host.switchToHttp().getRequest<FastifyRequest>();
  if (!session) throw new Error('This route does not need a session.');
  return session;
});

/** @returns the user of a session in the form that calls take */
export function actorOf({ id, userId, role }: OpenSession): Actor {
  return { sessionId: id, userId, role };
}
