import { IDEMPOTENCY_KEY } from '@quarry/dto';
import { z } from 'zod';

/** Maximum seconds that a call may wait: clients commonly time out after 60. */
const WAIT_SECONDS_MAX = 50;

/** Creates the schema of a tool's arguments, without additional ones. */
export const args = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape);

export const id = (of: string) => z.string().min(1).describe(of);

export const limit = (most: number, usual: number) =>
  z.int().min(1).max(most).default(usual).describe('Maximum number of items.');

/** The next_cursor of the previous page. */
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

/** @returns the Idempotency-Key of the underlying call */
export function keyOf({ idempotency_key: key }: { idempotency_key?: string | undefined }): string | null {
  return key ?? null;
}

/** Fields of a page in a result. */
export const paged = { next_cursor: z.union([z.string(), z.null()]) };
