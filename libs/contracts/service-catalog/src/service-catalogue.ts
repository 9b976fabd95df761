import { schemaFaults, type Fault } from '@quarry/dto';
import { z } from 'zod';
import type { FastService, SlowService } from './service-definition.js';
import { FAST_SERVICES } from './services/fast.services.js';
import { getEmail } from './services/get-email.service.js';
import { getPhoneNumber } from './services/get-phone-number.service.js';
import { getLinkedInUserComments, getLinkedInUserReactions } from './services/linkedin-activity.services.js';
import { webResearch } from './services/web-research.service.js';

/** The five services that run as background jobs, by name. */
export const SLOW_SERVICES = {
  getEmail,
  getPhoneNumber,
  webResearch,
  getLinkedInUserComments,
  getLinkedInUserReactions,
} as const;

/** Slow service without its input type: its functions accept what its schema has validated. */
export type AnySlowService = SlowService<Record<string, unknown>>;
export type AnyService = AnySlowService | FastService;

/** @returns all services, slow ones first */
export function allServices(): AnyService[] {
  return [...(Object.values(SLOW_SERVICES) as unknown as AnySlowService[]), ...Object.values(FAST_SERVICES)];
}

export function findService(name: string): AnyService | null {
  return findSlowService(name) ?? (Object.hasOwn(FAST_SERVICES, name) ? FAST_SERVICES[name]! : null);
}

export function findSlowService(name: string): AnySlowService | null {
  if (!Object.hasOwn(SLOW_SERVICES, name)) return null;
  return SLOW_SERVICES[name as keyof typeof SLOW_SERVICES] as unknown as AnySlowService;
}

/**
 * Validates one input.
 * @param at steps from the root of the request to the input
 * @returns a sentence for each invalid field, with its path; empty when the schema accepts the input
 */
export function inputFaults(service: AnyService, input: unknown, at: Fault['path'] = []): Fault[] {
  const outcome = service.input.safeParse(input);
  return outcome.success ? [] : schemaFaults(outcome.error.issues, input, at, knownKeys(service.input));
}

function knownKeys(input: z.ZodType): string[] {
  return input instanceof z.ZodObject ? Object.keys(input.shape) : [];
}

/** @returns JSON Schema 2020-12 of input and output */
export function jsonSchemasOf(service: AnyService): Record<'input' | 'output', Record<string, unknown>> {
  return { input: z.toJSONSchema(service.input), output: z.toJSONSchema(service.output) };
}
