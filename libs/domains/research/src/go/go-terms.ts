import type { Millicredits } from '@quarry/credit-ledger';
import type { CreateGoRunRequest, GoEffort } from '@quarry/dto';

/** Minimum budget: the price of a step that leads to an answer, which is a page or a model call. Same source. */
export const ONE_STEP: Millicredits = 1000;

/** Maximum cost of a run in thousandths, and its time limit. Source of the credits: the same; times are ours. */
export const EFFORTS: Readonly<Record<GoEffort, { most: Millicredits; timeMs: number }>> = {
  low: { most: 5_000, timeMs: 120_000 },
  medium: { most: 20_000, timeMs: 300_000 },
  high: { most: 60_000, timeMs: 900_000 },
};
const EFFORT_DEFAULT: GoEffort = 'low';

/** Output schema of a request without one: one sentence. Source: the same. */
export const SCHEMA_DEFAULT = { type: 'object', properties: { answer: { type: 'string' } } };

/** Retention of a run and the texts of its pages after its end, in days. */
export const GO_DAYS = 30;

/** @returns the maximum cost of a run of this request, in thousandths */
export function mostOf({ effort = EFFORT_DEFAULT, max_credits: max }: CreateGoRunRequest): Millicredits {
  const { most } = EFFORTS[effort];
  return max === undefined ? most : Math.min(most, Math.round(max * 1000));
}

/** @returns the time limit of a run of this request, in milliseconds */
export function timeOf({ effort = EFFORT_DEFAULT }: CreateGoRunRequest): number {
  return EFFORTS[effort].timeMs;
}
