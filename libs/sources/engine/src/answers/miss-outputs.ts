import { findService, findSlowService } from '@quarry/service-catalog';
import { z } from 'zod';

/** Values for an address that nobody could verify: the only fields without a null that no input gives. */
const UNKNOWN: Readonly<Record<string, unknown>> = {
  status: 'unknown',
  reason: 'No provider could tell whether the address accepts mail.',
};

/**
 * Returns the answer of a service that has searched and found nothing: no items, and null wherever its schema lets null
 * stand.
 * @param input accepted by the service; repeated values (such as the address of verifyEmail) are taken from it
 */
export function missOutput(
  service: string,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const schema = findService(service)?.output;
  if (!(schema instanceof z.ZodObject)) throw new Error(`${service} answers no object.`);
  return Object.fromEntries(
    Object.entries(schema.shape as Record<string, z.ZodType>)
      .filter(([field]) => field !== 'found' && field !== 'provider')
      .map(([field, type]) => {
        const nothing = nothingIn(type);
        return [field, nothing === undefined ? (input[field] ?? UNKNOWN[field]) : nothing];
      }),
  );
}

/** @returns undefined where something must stand */
function nothingIn(type: z.ZodType): [] | null | undefined {
  if (type.safeParse([]).success) return [];
  return type.safeParse(null).success ? null : undefined;
}

/** @returns the output with what every answer of a service says beside its data */
export function fullOutput(
  service: string,
  data: Readonly<Record<string, unknown>>,
  { found, provider }: { found: boolean; provider: string },
): Record<string, unknown> {
  return { ...data, ...(findSlowService(service) ? { found } : {}), provider };
}

/**
 * @param known fields of a profile; what is undefined, null or left out is not known
 * @returns all fields of the service's answer
 */
export function profileOf(
  service: 'enrichCompany' | 'enrichPerson',
  known: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(missOutput(service, {})).map(([field, nothing]) => [field, known[field] ?? nothing]),
  );
}
