import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Ctx } from '@quarry/app';
import './request-state.js';

/** Injects the context of the request, as the gate has determined it. */
export const RequestCtx = createParamDecorator(
  (_data: unknown, host: ExecutionContext): Ctx => host.switchToHttp().getRequest<FastifyRequest>().ctx,
);
