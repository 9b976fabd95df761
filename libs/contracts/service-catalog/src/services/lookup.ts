import { z } from 'zod';
import { trimPasted } from '@quarry/dto';
import type { FastService, Millicredits } from '../service-definition.js';

/** Declaration of a fast service that does not search a directory. Prices: docs/contract.md#5-services-jobs-credits. */
export interface Lookup<Output extends z.ZodType = z.ZodType> {
  readonly title: string;
  readonly description: string;
  readonly category: FastService['category'];
  readonly input: z.ZodRawShape;
  readonly output: Output;
  readonly example: Readonly<Record<string, unknown>>;
  readonly cellField: string;
  readonly promptPattern: RegExp;
  /** Text about the charge; if omitted, it follows from the prices. */
  readonly chargeRule?: string;
  /** Thousandths of a credit for a hit and for a miss; equal when every call costs the same. */
  readonly hit: Millicredits;
  readonly miss: Millicredits;
}

/** Declares a fast service that does not search a directory. */
export function defineLookup<Output extends z.ZodType>(declared: Lookup<Output>): Lookup<Output> {
  return declared;
}

/** Returns the service for a lookup with this name. */
export function serviceOf(
  name: string,
  {
    title,
    description,
    category,
    input,
    output,
    example,
    cellField,
    promptPattern,
    hit,
    miss,
    ...sold
  }: Lookup,
): FastService {
  const { chargeRule = usualRule(hit, miss) } = sold;
  return {
    name,
    mode: 'fast',
    title,
    description,
    category,
    input: z.strictObject(input),
    output,
    examples: [example],
    cellField,
    promptPattern,
    chargeRule,
    price: { unit: 'call', hit, miss, max: hit },
    worstCase: () => hit,
    charge: (items) => (items > 0 ? hit : miss),
  };
}

function usualRule(hit: Millicredits, miss: Millicredits): string {
  return hit === miss
    ? 'Every answered call has the same price.'
    : 'A result is charged; an answer without one is free.';
}

// Fields of inputs.
export const text = z.string().overwrite(trimPasted).min(1).max(2000);
export const limit = z.int().min(1).max(100).optional();
export const url = { url: text.describe('Address of the page') };
export const domain = { domain: text.describe('Domain of the company') };
export const query = { query: text.describe('What to look for'), limit };
export const object = z.record(z.string(), z.unknown());

// Fields of outputs.
const provider = { provider: z.string() };
export const known = z.string().nullable();
export const time = z.iso.datetime({ offset: true });
export const confidence = z.enum(['high', 'medium', 'low']);

/** Creates the output schema of a service: its own fields, and the provider. */
export const answer = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({ ...shape, ...provider });

/** Creates the output schema of a service that returns items. */
export const list = <Shape extends z.ZodRawShape>(item: Shape) =>
  answer({ items: z.array(z.strictObject(item)) });
export const page = { title: known, url: z.string(), snippet: known, published_at: known };
