import { IDEMPOTENCY_KEY } from '@quarry/dto';
import { z } from 'zod';

/** Seconds that a call may wait: clients commonly give up after 60. */
const WAIT_SECONDS_MAX = 50;

/** Arguments of a tool, none beside them. */
export const args = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape);

export const id = (of: string) => z.string().min(1).describe(of);

export const limit = (most: number, usual: number) =>
  z.int().min(1).max(most).default(usual).describe('Maximum number of items.');

/** The next_cursor of the page before, as its name says. */
export const cursor = z.string().optional();

export const waitSeconds = z
  .int()
  .min(0)
  .max(WAIT_SECONDS_MAX)
  .default(0)
  .describe('Maximum seconds to wait for the end.');

export const idempotencyKey = z
  .string()
  .refine((key) => IDEMPOTENCY_KEY.test(key), 'must be 1 to 255 visible ASCII characters')
  .optional()
  .describe('Repeating a call with the same key runs it once.');

/** Arguments of every tool that spends. */
export const spending = {
  max_credits: z
    .number()
    .nonnegative()
    .optional()
    .describe('Maximum cost of the call. Required above 5 credits, after the user agreed.'),
  idempotency_key: idempotencyKey,
};

/** @returns the Idempotency-Key of the call behind a tool */
export function keyOf({ idempotency_key: key }: { idempotency_key?: string | undefined }): string | null {
  return key ?? null;
}

/** The page of a list in an answer. */
export const paged = {
  next_cursor: z.union([z.string(), z.null()]),
};
