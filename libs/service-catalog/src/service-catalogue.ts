import { z } from 'zod';
import type { SlowService } from './service-definition.js';
import { getEmail } from './services/get-email.service.js';
import { getPhoneNumber } from './services/get-phone-number.service.js';

/** Everything that is sold, by name. */
export const SERVICES = { getEmail, getPhoneNumber } as const;

export type ServiceName = keyof typeof SERVICES;
export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[];

/** A service with its input type forgotten: its functions take what its schema has accepted. */
export type AnyService = SlowService<Record<string, unknown>>;

/** @returns the service of that name, or null. */
export function findService(name: string): AnyService | null {
  return Object.hasOwn(SERVICES, name) ? SERVICES[name as ServiceName] : null;
}

/** Judges one input. @returns the faults, each with its path; empty when the schema accepts it */
export function inputFaults(service: AnyService, input: unknown): Array<{ path: string[]; message: string }> {
  const outcome = service.input.safeParse(input);
  if (outcome.success) return [];
  return outcome.error.issues.map((issue) => ({ path: issue.path.map(String), message: issue.message }));
}

/** @returns JSON Schema 2020-12 of what goes in and what comes out. */
export function jsonSchemasOf(service: AnyService): { input: unknown; output: unknown } {
  return { input: z.toJSONSchema(service.input), output: z.toJSONSchema(service.output) };
}
