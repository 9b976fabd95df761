import { findService, findSlowService } from '@quarry/service-catalog';
import { z } from 'zod';

/**
 * Values for an address that could not be verified. They are the only non-nullable output fields that do not repeat an
 * input.
 */
const UNKNOWN: Readonly<Record<string, unknown>> = {
  status: 'unknown',
  reason: 'No provider could tell whether the address accepts mail.',
};

/**
 * Returns the output of a service that searched and found nothing: no items, and null wherever the schema allows it.
 * @param input accepted by the service; fields that the output repeats (such as the address of verifyEmail) are copied from
 *   it
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

/** @returns the empty value of a type; undefined when the type has none */
function nothingIn(type: z.ZodType): [] | null | undefined {
  if (type.safeParse([]).success) return [];
  return type.safeParse(null).success ? null : undefined;
}

/** @returns the output with the fields that every response of a service has beside its data */
export function fullOutput(
  service: string,
  data: Readonly<Record<string, unknown>>,
  { found, provider }: { found: boolean; provider: string },
): Record<string, unknown> {
  return { ...data, ...(findSlowService(service) ? { found } : {}), provider };
}

/**
 * @param known fields of a profile; undefined, null and omitted fields are unknown
 * @returns all fields of the service's output
 */
export function profileOf(
  service: 'enrichCompany' | 'enrichPerson',
  known: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(missOutput(service, {})).map(([field, nothing]) => [field, known[field] ?? nothing]),
  );
}
