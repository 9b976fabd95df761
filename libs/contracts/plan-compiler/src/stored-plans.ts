import type { CompanyQuery } from '@quarry/directory';
import { COLUMN_KINDS, QUALIFICATION_EFFECTS, type Qualification } from '@quarry/dto';
import {
  PLAN_INTENT,
  ENTITIES,
  RUN_PLAN_VERSIONS,
  type PlanIntent,
  type ContractTable,
  type RunPlan,
  type Predicate,
} from '@quarry/plan';
import { z } from 'zod';

/** Plan of one table of a run, as stored in its journal. */
export interface StoredPlan {
  /** Null when it has words that this version does not know: the plan can be executed, but no conversation continues it. */
  readonly intent: PlanIntent | null;
  readonly plan: RunPlan;
  /** Contract that defined the columns of the table; null when there was none. */
  readonly shape: ContractTable | null;
  /** Unconfirmed parts; absent when paid columns may be filled. */
  readonly unconfirmed?: Unconfirmed | undefined;
}

/** Reasons why paid columns wait for a confirmation. */
export interface Unconfirmed {
  /** Words of the conversation's prompts that no item uses. */
  readonly words: readonly string[];
  /** Plan whose execution is the consent; null when no column is paid. */
  readonly plan_id: string | null;
}

/** Error for a plan stored by a newer version. */
export class UnknownPlanVersionError extends Error {
  override readonly name = 'UnknownPlanVersionError';
}

const named = z.looseObject({ kind: z.string(), id: z.string(), name: z.string() });
const range = z.looseObject({ min: z.number().nullable(), max: z.number().nullable() });
const query = z.record(z.string(), z.unknown());
const direction = z.enum(['ascending', 'descending']);

const test: z.ZodType = z.union([
  ...(['one_of', 'contains', 'has_words', 'starts_with', 'ends_with'] as const).map((op) =>
    z.looseObject({ op: z.literal(op), values: z.array(z.string()) }),
  ),
  ...(['number', 'year'] as const).map((op) => z.looseObject({ op: z.literal(op), ranges: z.array(range) })),
  z.looseObject({
    op: z.literal('date'),
    range: z.looseObject({ from: z.string().nullable(), to: z.string().nullable() }),
  }),
  ...(['address', 'place'] as const).map((op) =>
    z.looseObject({ op: z.literal(op), places: z.array(named) }),
  ),
  z.looseObject({ op: z.literal('role'), roles: z.array(z.looseObject({ name: z.string() })) }),
  z.looseObject({ op: z.literal('is'), value: z.boolean() }),
  z.looseObject({ op: z.literal('filled') }),
  z.looseObject({
    op: z.enum(['every', 'any']),
    get parts() {
      return z.array(predicate);
    },
  }),
]);

const predicate: z.ZodType<Predicate> = z.looseObject({
  column_keys: z.array(z.string()),
  negate: z.boolean(),
  test,
  text: z.string(),
}) as unknown as z.ZodType<Predicate>;

const qualification = z.record(z.string(), z.string()) as unknown as z.ZodType<Qualification>;

const column = z.looseObject({
  key: z.string(),
  name: z.string(),
  kind: z.enum(COLUMN_KINDS),
  required: z.boolean(),
  qualification,
  source: z.discriminatedUnion('from', [
    z.looseObject({ from: z.literal('directory'), attribute: z.string() }),
    z.looseObject({
      from: z.literal('service'),
      service: z.string(),
      inputs: z.record(z.string(), z.union([z.string(), z.looseObject({ value: z.json() })])).optional(),
      field: z.string().optional(),
    }),
    z.looseObject({ from: z.literal('table'), column_key: z.string() }),
    z.looseObject({ from: z.literal('web') }),
    z.looseObject({ from: z.literal('criterion') }),
    z.looseObject({ from: z.literal('nothing') }),
  ]),
});

const plan = z.looseObject({
  version: z.literal(RUN_PLAN_VERSIONS),
  isEmpty: z.literal(true).optional(),
  isNoRequest: z.literal(true).optional(),
  question: z.string().optional(),
  within: z
    .looseObject({
      table_id: z.string(),
      run_id: z.string(),
      checks: z.array(predicate),
      filled: z.array(z.looseObject({ key: z.string(), is_sure: z.boolean() })),
    })
    .optional(),
  source: z.discriminatedUnion('kind', [
    z.looseObject({ kind: z.literal('directory') }),
    z.looseObject({ kind: z.literal('table'), table_id: z.string(), table_name: z.string() }),
    z.looseObject({
      kind: z.literal('web'),
      wanted: z.string(),
      max_credits: z.number(),
      keeps_disqualified: z.boolean(),
    }),
  ]),
  entity: z.enum(ENTITIES),
  count: z.number().nullable(),
  limit: z.number(),
  companies: query as unknown as z.ZodType<CompanyQuery>,
  people: query,
  per_company: z.number().nullable(),
  companies_max: z.number().optional(),
  companies_table: z.number().optional(),
  predicates: z.array(predicate),
  sort: z.looseObject({ by: z.string(), direction }).nullable(),
  table_sort: z.looseObject({ column_key: z.string(), direction }).nullable(),
  columns: z.array(column),
  criteria: z.array(
    z.looseObject({
      column_key: z.string(),
      criterion: z.string(),
      effect: z.enum(QUALIFICATION_EFFECTS),
      test: predicate.nullable(),
    }),
  ),
  table: z.looseObject({ key: z.string(), name: z.string() }),
  notes: z.array(z.string()),
  notUnderstood: z.array(z.string()),
});

/** Schema of the plan as this version writes it. */
export const RUN_PLAN = plan as unknown as z.ZodType<RunPlan>;

const shape = z
  .looseObject({
    key: z.string(),
    name: z.string().nullable(),
    entity: z.enum(ENTITIES).nullable(),
    maxRows: z.number().nullable(),
    byCompany: z
      .looseObject({
        companiesMax: z.number().nullable(),
        peopleMax: z.number().nullable(),
        contact: z.looseObject({ role: z.string().nullable() }).optional(),
      })
      .optional(),
    columns: z.array(
      z.looseObject({
        key: z.string(),
        spoken: z.string().optional(),
        name: z.string().nullable(),
        kind: z.enum(COLUMN_KINDS).nullable(),
        required: z.boolean(),
        qualification,
      }),
    ),
  })
  .nullable();

/** An intent that this version cannot read counts as none. */
const CURRENT = z.looseObject({
  intent: PLAN_INTENT.nullable().catch(null),
  plan: RUN_PLAN,
  shape,
  unconfirmed: z.looseObject({ words: z.array(z.string()), plan_id: z.string().nullable() }).optional(),
});

/**
 * Reads the plans of a run from its journal.
 * @throws UnknownPlanVersionError for another version, ZodError for an invalid plan
 */
export function readStoredPlans(stored: unknown): StoredPlan[] {
  return z
    .array(z.looseObject({ plan: z.looseObject({ version: z.int() }) }))
    .parse(stored)
    .map((each) => {
      const { version } = each.plan;
      if (RUN_PLAN_VERSIONS.some((known) => known === version)) return CURRENT.parse(each);
      throw new UnknownPlanVersionError(
        `This version of the product cannot read a plan of version ${version}.`,
      );
    });
}
