import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Ctx } from '@quarry/app';
import './request-state.js';

/** On whose behalf the request acts, as the gate found out. */
export const RequestCtx = createParamDecorator(
  (_data: unknown, host: ExecutionContext): Ctx => host.switchToHttp().getRequest<FastifyRequest>().ctx,
);
