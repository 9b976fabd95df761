import { PLAN_INTENT, type ContractTable, type PlanIntent } from '@quarry/plan';
import { shapeFaults } from '@quarry/plan-compiler';

/** Fields of an intent that follow from the request, and that a model must not set. */
const GIVEN = ['version', 'output_table', 'notes'] as const;

/** Entry without any request, for omitted fields. */
const EMPTY = {
  continues: false,
  filters: [],
  exclusions: [],
  count: null,
  per_company: null,
  order: null,
  columns: [],
  hidden: [],
  criteria: [],
  name: null,
  not_understood: [],
};

/** Entry of a model's response as an intent, or the reasons why it is invalid. */
export type ReadEntry =
  { readonly intent: PlanIntent } | { readonly faults: readonly string[]; readonly written: unknown };

/**
 * @param written one entry of a model's response
 * @param output table of the output contract that it belongs to
 */
export function readEntry(written: unknown, output: ContractTable | null): ReadEntry {
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    return { faults: ['tables: each entry must be an object'], written };
  const own = GIVEN.filter((field) => field in written);
  if (own.length > 0) return { faults: own.map((field) => `${field}: is not yours to write`), written };
  const whole = { ...EMPTY, ...written, version: 1, output_table: output?.key ?? null, notes: [] };
  const read = PLAN_INTENT.safeParse(whole);
  if (read.success) return { intent: read.data };
  return { faults: shapeFaults(whole, read.error.issues), written };
}
