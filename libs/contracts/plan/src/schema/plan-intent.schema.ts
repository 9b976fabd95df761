import type { Direction } from '@quarry/directory';
import { QUALIFICATION_EFFECTS, type QualificationEffect } from '@quarry/dto';
import { allServices } from '@quarry/service-catalog';
import { z } from 'zod';
import { ENTITIES, type Entity, type ServiceInputs } from '../run-plan.js';
import { COLUMN_CHECK, EITHER_CHECK, type ColumnCheck } from './column-check.schema.js';
import { DIRECTORY_FILTER, type DirectoryFilter } from './directory-filter.schema.js';
import { PROMPT_ORIGIN, type PromptOrigin } from './prompt-origin.schema.js';

/** Version that is incremented when the meaning of a stored intent changes. */
const PLAN_INTENT_VERSION = 1;

/** Condition on rows. */
export type IntentFilter = DirectoryFilter | ColumnCheck;

/** Conditions that rows must meet, and conditions that they must not meet. */
export interface Conditions {
  /** Filters that must all match. */
  readonly filters: readonly IntentFilter[];
  /** Groups of filters: a row is excluded when it matches all filters of one group. */
  readonly exclusions: ReadonlyArray<readonly IntentFilter[]>;
}

/** Web as the source, for a description that no filter of the directory can express. */
export interface WebSource extends PromptOrigin {
  readonly kind: 'web';
  /** Description of the wanted rows, in the words of the prompt, or of the user who changed the intent. */
  readonly wanted: string;
  /** Maximum cost of sourcing; if omitted, the product's default. */
  readonly max_credits?: number | undefined;
}

export type IntentSource =
  | { readonly kind: 'directory' }
  | { readonly kind: 'table'; readonly table_id: string }
  | WebSource
  /**
   * Nothing is searched: no rows are described, the named table does not exist, the prompt is not a request for rows, or it
   * is `unclear` what it refers to, and the notes contain a question.
   */
  | {
      readonly kind: 'nothing';
      readonly reason: 'no_rows_described' | 'unknown_table' | 'no_request' | 'unclear';
    };

/** Source of a column's values. */
export type IntentColumnSource =
  | { readonly from: 'directory'; readonly attribute: string }
  | { readonly from: 'table'; readonly column: string }
  | {
      readonly from: 'service';
      /** Name in the service catalogue. */
      readonly service: string;
      /** Sources of its inputs; if omitted, the default columns. */
      readonly inputs?: ServiceInputs | undefined;
      /** Field of its output with the value; if omitted, the service's default field. */
      readonly field?: string | undefined;
    };

/** Column requested in addition to the default ones. */
export interface IntentColumn extends PromptOrigin {
  readonly source: IntentColumnSource;
  /** Column of the output contract that it fills, or the key of a service's column; absent for the default key. */
  readonly key?: string | undefined;
  readonly required: boolean;
}

/** Criterion by which rows are evaluated. */
export interface IntentCriterion extends PromptOrigin {
  readonly effect: QualificationEffect;
  /** Column of the output contract with this criterion; null for a criterion of the prompt. */
  readonly column: string | null;
  /** Null for text that cannot be converted to a check: it is unknown for every row. */
  readonly conditions: Conditions | null;
}

/**
 * Request of a prompt in terms of the vocabulary, each item with its fragment of the prompt. A planner creates it, a user
 * may change it, and the compiler creates the plan from it; no part of it follows from another part.
 */
export interface PlanIntent {
  readonly version: typeof PLAN_INTENT_VERSION;
  /** Key of the table in the output contract; null without a contract. */
  readonly output_table: string | null;
  readonly source: IntentSource;
  /** Kind of a row. */
  readonly entity: Entity;
  /** True for a change of the previous intent of the conversation, whose items it repeats. */
  readonly continues: boolean;
  readonly filters: readonly IntentFilter[];
  readonly exclusions: ReadonlyArray<readonly IntentFilter[]>;
  /** Number of rows requested; null for all. */
  readonly count: (PromptOrigin & { readonly value: number }) | null;
  /** Maximum number of people per company. */
  readonly per_company: (PromptOrigin & { readonly value: number }) | null;
  /** Sort order. `by`: a company attribute, or a column of the table. */
  readonly order: (PromptOrigin & { readonly by: string; readonly direction: Direction }) | null;
  readonly columns: readonly IntentColumn[];
  /** Keys of columns to remove. */
  readonly hidden: ReadonlyArray<PromptOrigin & { readonly key: string }>;
  readonly criteria: readonly IntentCriterion[];
  /** Name of the table. */
  readonly name: (PromptOrigin & { readonly value: string }) | null;
  /** Assumptions, each one readable sentence. */
  readonly notes: readonly string[];
  /** Meaningful fragments of the prompt that no item uses. */
  readonly not_understood: readonly string[];
}

const key = z.string().min(1).max(200);
/** Key as the output contract spells it; in a JSON Schema a property may have any name. */
const contractKey = z.string();
const filter = z.union([DIRECTORY_FILTER, COLUMN_CHECK, EITHER_CHECK]).meta({ id: 'filter' });
const conditions = {
  filters: z.array(filter).describe('All of them must hold.'),
  exclusions: z
    .array(z.array(filter).min(1))
    .describe('A row falls when it is everything that one of the groups says.'),
};
const services = z
  .enum(allServices().map(({ name }) => name) as [string, ...string[]])
  .meta({ id: 'service' });
const serviceInput = z.union([
  key.describe('Key of the attribute or column that gives it.'),
  z
    .strictObject({ value: z.json().register(z.globalRegistry, { id: 'json' }) })
    .describe('The same for every row; in its texts, {{key}} stands for what the row has there.'),
]);

const source = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('directory') }),
  z.strictObject({ kind: z.literal('table'), table_id: key }),
  z.strictObject({
    kind: z
      .literal('web')
      .describe('Rows are looked for on the web, and judged by the criteria and filters.'),
    wanted: z.string().min(1).max(2_000).describe('What is looked for, in the words of the prompt.'),
    max_credits: z
      .number()
      .min(1)
      .max(1_000)
      .multipleOf(0.001)
      .optional()
      .describe('The most that it may cost.'),
    ...PROMPT_ORIGIN,
  }),
  z.strictObject({
    kind: z.literal('nothing'),
    reason: z.enum(['no_rows_described', 'unknown_table', 'no_request', 'unclear']),
  }),
]);

const columnSource = z.discriminatedUnion('from', [
  z.strictObject({
    from: z.literal('directory'),
    attribute: key.describe('On rows of people, an attribute of the company begins with company_.'),
  }),
  z.strictObject({ from: z.literal('table'), column: key }),
  z.strictObject({
    from: z.literal('service'),
    service: services,
    inputs: z
      .record(z.string().min(1).max(64), serviceInput)
      .optional()
      .describe(
        'Inputs of the service by their names; a column may read what another one is filled with. Left out: the usual ones.',
      ),
    field: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'Field of the answer that is the value, such as mx.0.host; a name behind a list gives that of every item.',
      ),
  }),
]);

const column = z.strictObject({
  source: columnSource,
  key: contractKey
    .optional()
    .describe(
      'The column of the output contract that it fills; where there is no contract, the key of a column that a service fills.',
    ),
  required: z.boolean(),
  ...PROMPT_ORIGIN,
});

const criterion = z.strictObject({
  effect: z.enum(QUALIFICATION_EFFECTS),
  column: contractKey.nullable().describe('The column of the output contract whose criterion it is.'),
  conditions: z.strictObject(conditions).nullable(),
  ...PROMPT_ORIGIN,
});

/** Schema of the JSON that a planner creates and that the API returns and accepts. */
export const PLAN_INTENT: z.ZodType<PlanIntent> = z
  .strictObject({
    version: z.literal(PLAN_INTENT_VERSION),
    output_table: contractKey.nullable(),
    source,
    entity: z.enum(ENTITIES),
    continues: z.boolean(),
    ...conditions,
    count: z.strictObject({ value: z.int().min(0), ...PROMPT_ORIGIN }).nullable(),
    per_company: z.strictObject({ value: z.int().min(1), ...PROMPT_ORIGIN }).nullable(),
    order: z
      .strictObject({ by: key, direction: z.enum(['ascending', 'descending']), ...PROMPT_ORIGIN })
      .nullable()
      .describe('By an attribute of companies, or by a column of the table.'),
    columns: z.array(column),
    hidden: z.array(z.strictObject({ key, ...PROMPT_ORIGIN })),
    criteria: z.array(criterion),
    name: z.strictObject({ value: z.string().min(1).max(200), ...PROMPT_ORIGIN }).nullable(),
    notes: z.array(z.string()),
    not_understood: z.array(z.string()),
  })
  .meta({ id: 'intent' }) as unknown as z.ZodType<PlanIntent>;

/** Schema of a plan's intents in the API: one, or one per table of an output contract with several tables. */
const PLAN_INTENTS = z.union([
  PLAN_INTENT,
  z.strictObject({ tables: z.array(PLAN_INTENT).min(2).describe('One for each table, in their order.') }),
]);

let intentSchema: Readonly<Record<string, unknown>> | null = null;

/** Returns it as JSON Schema 2020-12; created on the first call, since it is not needed at startup. */
export function readIntentSchema(): Readonly<Record<string, unknown>> {
  return (intentSchema ??= z.toJSONSchema(PLAN_INTENTS, { io: 'input' }));
}

/** Creates an intent without any request, for a planner to fill. */
export function emptyIntent(
  entity: Entity,
  { source, output_table }: Pick<PlanIntent, 'source' | 'output_table'>,
): PlanIntent {
  return {
    version: PLAN_INTENT_VERSION,
    output_table,
    source,
    entity,
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
    notes: [],
    not_understood: [],
  };
}
