import type { Direction } from '@quarry/directory';
import { QUALIFICATION_EFFECTS, type QualificationEffect } from '@quarry/dto';
import { allServices } from '@quarry/service-catalog';
import { z } from 'zod';
import { ENTITIES, type Entity, type ServiceInputs } from '../run-plan.js';
import { COLUMN_CHECK, EITHER_CHECK, type ColumnCheck } from './column-check.schema.js';
import { DIRECTORY_FILTER, type DirectoryFilter } from './directory-filter.schema.js';
import { PROMPT_ORIGIN, type PromptOrigin } from './prompt-origin.schema.js';

/** Raised when the meaning of a stored intent changes. */
const PLAN_INTENT_VERSION = 1;

/** One thing that rows must be. */
export type IntentFilter = DirectoryFilter | ColumnCheck;

/** Conditions that rows must meet, and those that they must not. */
export interface Conditions {
  /** All of them must hold. */
  readonly filters: readonly IntentFilter[];
  /** A row falls when it is everything that one of the groups says. */
  readonly exclusions: ReadonlyArray<readonly IntentFilter[]>;
}

/** Condition that no filter of the directory expresses: candidates are looked for on the web. */
export interface WebSource extends PromptOrigin {
  readonly kind: 'web';
  /** Description of the wanted rows, in the words of the prompt, or of the author of a changed intent. */
  readonly wanted: string;
  /** The most that looking may cost; left out, what the product sets. */
  readonly max_credits?: number | undefined;
}

export type IntentSource =
  | { readonly kind: 'directory' }
  | { readonly kind: 'table'; readonly table_id: string }
  | WebSource
  /**
   * Nothing is searched: no rows are described, the table that is named does not exist, the prompt is no request for rows, or it is
   * `unclear` what it refers to, and the notes ask.
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
      /** Sources of its inputs; left out: the columns that they are usually taken from. */
      readonly inputs?: ServiceInputs | undefined;
      /** Field of its answer that is the value; left out: the service's own. */
      readonly field?: string | undefined;
    };

/** A column that is asked for beyond the usual ones. */
export interface IntentColumn extends PromptOrigin {
  readonly source: IntentColumnSource;
  /** The column of the output contract that it fills, or the key of a service's own column; absent for the usual key. */
  readonly key?: string | undefined;
  readonly required: boolean;
}

/** Something that rows are evaluated by. */
export interface IntentCriterion extends PromptOrigin {
  readonly effect: QualificationEffect;
  /** The column of the output contract whose criterion it is; null for one of the prompt. */
  readonly column: string | null;
  /** Null for words that no check could be made of: every row is unknown by them. */
  readonly conditions: Conditions | null;
}

/**
 * Request of a prompt in the words of the vocabulary, each item with the fragment that says it. A planner writes it, a
 * user may change it, the compiler makes the plan of it; nothing in it follows from something else in it.
 */
export interface PlanIntent {
  readonly version: typeof PLAN_INTENT_VERSION;
  /** Key of the table of the output contract that this is for; null without a contract. */
  readonly output_table: string | null;
  readonly source: IntentSource;
  /** Kind of a row. */
  readonly entity: Entity;
  /** True for a change to the intent before it in the conversation, whose items it repeats. */
  readonly continues: boolean;
  readonly filters: readonly IntentFilter[];
  readonly exclusions: ReadonlyArray<readonly IntentFilter[]>;
  /** Rows wanted; null for all. */
  readonly count: (PromptOrigin & { readonly value: number }) | null;
  /** Most people of one company. */
  readonly per_company: (PromptOrigin & { readonly value: number }) | null;
  /** `by`: an attribute of companies, or a column of the table. */
  readonly order: (PromptOrigin & { readonly by: string; readonly direction: Direction }) | null;
  readonly columns: readonly IntentColumn[];
  /** Columns that are taken away, by key. */
  readonly hidden: ReadonlyArray<PromptOrigin & { readonly key: string }>;
  readonly criteria: readonly IntentCriterion[];
  /** Name that the table gets. */
  readonly name: (PromptOrigin & { readonly value: string }) | null;
  /** Assumptions, each one readable sentence. */
  readonly notes: readonly string[];
  /** Fragments of the prompt that carry meaning and became nothing. */
  readonly not_understood: readonly string[];
}

const key = z.string().min(1).max(200);
/** As the output contract spells it; in a JSON Schema a property may have any name. */
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

/** The JSON that a planner writes and that the interface shows and takes. */
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

/** Intents of a plan as it shows and takes them: one, or one for each table of an output contract that names several. */
const PLAN_INTENTS = z.union([
  PLAN_INTENT,
  z.strictObject({ tables: z.array(PLAN_INTENT).min(2).describe('One for each table, in their order.') }),
]);

let intentSchema: Readonly<Record<string, unknown>> | null = null;

/** Returns the same as JSON Schema 2020-12; made when it is first called, since a process at its start has no use for it. */
export function readIntentSchema(): Readonly<Record<string, unknown>> {
  return (intentSchema ??= z.toJSONSchema(PLAN_INTENTS, { io: 'input' }));
}

/** An intent that asks for nothing yet: what a planner fills in. */
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
