import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { notFound } from './error-answer.js';
import type { UserRole } from '@quarry/dto';
import type { FastifyRequest } from 'fastify';
import './request-state.js';

const LEAST_TO_MOST: readonly UserRole[] = ['viewer', 'member', 'owner'];

/** Injects the role of the caller, on routes whose body decides which role they need. */
export const RequestRole = createParamDecorator(
  (_data: unknown, host: ExecutionContext): UserRole => host.switchToHttp().getRequest<FastifyRequest>().role,
);

/** @throws AppError not_found when the role may do less than the needed one */
export function requireRole(role: UserRole, needed: UserRole): void {
  if (LEAST_TO_MOST.indexOf(role) < LEAST_TO_MOST.indexOf(needed)) throw notFound();
}
