import type { Millicredits } from '@quarry/credit-ledger';
import type { CreateGoRunRequest, GoEffort } from '@quarry/dto';

/** Below this no step can be paid that leads to an answer: a page that is read, or a call of a model. Same source. */
export const ONE_STEP: Millicredits = 1000;

/** The most that a run may spend, in thousandths, and how long it may take. Source of the credits: the same; times are ours. */
export const EFFORTS: Readonly<Record<GoEffort, { most: Millicredits; timeMs: number }>> = {
  low: { most: 5_000, timeMs: 120_000 },
  medium: { most: 20_000, timeMs: 300_000 },
  high: { most: 60_000, timeMs: 900_000 },
};
const EFFORT_DEFAULT: GoEffort = 'low';

/** Output schema of a request without one: one sentence. Source: the same. */
export const SCHEMA_DEFAULT = { type: 'object', properties: { answer: { type: 'string' } } };

/** Days that a run and the texts of its pages are kept after it has ended. */
export const GO_DAYS = 30;

/** @returns the most that a run of this request may cost, in thousandths */
export function mostOf({ effort = EFFORT_DEFAULT, max_credits: max }: CreateGoRunRequest): Millicredits {
  const { most } = EFFORTS[effort];
  return max === undefined ? most : Math.min(most, Math.round(max * 1000));
}

/** @returns how long a run of this request may take, in milliseconds */
export function timeOf({ effort = EFFORT_DEFAULT }: CreateGoRunRequest): number {
  return EFFORTS[effort].timeMs;
}
