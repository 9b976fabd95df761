import {
  COLUMN_KINDS,
  faultsError,
  isUsableKey,
  pathText,
  QUALIFICATION_EFFECTS,
  readJsonSchema,
  type JsonSchemaNode,
  type Qualification,
} from '@quarry/dto';
import { excerpt, type AppError } from '@quarry/error-codes';
import { z } from 'zod';
import { ENTITIES } from '../run-plan.js';
import { ROWS_MAX, type ContractTable } from './contract-table.js';
import { nameFaults, outputFaults, tablesOfSchema, unfilledFaults } from './schema-tables.js';

/** Required format of the output of a run. */
export type OutputContract =
  | { readonly form: 'schema'; readonly schema: Json; readonly tables: readonly ContractTable[] }
  | { readonly form: 'tables'; readonly tables: readonly ContractTable[] };

type Json = JsonSchemaNode;

// 64 KiB. Source: docs/contract.md#3-runs.
const CONTRACT_BYTES_MAX = 65_536;
const TABLES_MAX = 10;
const COLUMNS_MAX = 200;
const KEY_CHARACTERS_MAX = 64;

const KEY_FAULT = `must be a string of 1 to ${KEY_CHARACTERS_MAX} characters, and not . or ..`;
const key = z
  .string(KEY_FAULT)
  .refine((text) => text !== '' && [...text].length <= KEY_CHARACTERS_MAX && isUsableKey(text), KEY_FAULT);
const TEXT_FAULT = 'must be a non-empty string';
const text = z.string(TEXT_FAULT).refine((value) => value.trim() !== '', TEXT_FAULT);
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values, fault: string) =>
  z.enum(values, fault);

const criterion = z.strictObject({
  criterion: text,
  effect: oneOf(QUALIFICATION_EFFECTS, `must be one of ${QUALIFICATION_EFFECTS.join(', ')}`),
});
/** `{}` for a column without a criterion. */
const qualification = z.looseObject({}, 'must be an object').superRefine((value, ctx) => {
  if (Object.keys(value).length === 0) return;
  for (const issue of criterion.safeParse(value).error?.issues ?? [])
    ctx.addIssue(issue as z.core.$ZodRawIssue);
});

const column = z.strictObject(
  {
    key,
    name: text.optional(),
    kind: oneOf(COLUMN_KINDS, `must be one of ${COLUMN_KINDS.join(', ')}`).optional(),
    required: z.boolean('must be true or false').optional(),
    qualification: qualification.optional(),
  },
  'must be an object',
);

const ROWS_FAULT = `must be a whole number from 1 to ${ROWS_MAX}`;
const table = z.strictObject(
  {
    key,
    name: text.optional(),
    entity: oneOf(ENTITIES, 'must be company or person').optional(),
    max_rows: z.int(ROWS_FAULT).min(1, ROWS_FAULT).max(ROWS_MAX, ROWS_FAULT).optional(),
    columns: listOf(column, COLUMNS_MAX, 'columns', 'the table'),
  },
  'must be an object',
);

const FORMS = {
  tables: z.strictObject({ tables: listOf(table, TABLES_MAX, 'tables', 'output') }),
  schema: z.strictObject({ schema: z.record(z.string(), z.unknown(), 'must be a JSON Schema object') }),
};

/**
 * Reads the `output` of a run, which has exactly one of two forms. Only this function interprets it: tables with their
 * name, entity, columns and row limit.
 * @throws AppError invalid_request with all faults, at most a hundred
 */
export function readOutputContract(output: Json): OutputContract {
  const faults: Fault[] = [];
  let contract: OutputContract | null = null;
  if ((output.schema === undefined) === (output.tables === undefined)) {
    const known = ['schema', 'tables'];
    for (const name of Object.keys(output).filter((each) => !known.includes(each)))
      faults.push(unknownKey([], name));
    faults.push({ path: [], message: 'must have exactly one of schema and tables' });
  } else if (output.tables === undefined) {
    const read = FORMS.schema.safeParse(output);
    faults.push(...faultsOf(read));
    if (read.data) {
      const { schema, faults: schemaFaults } = readJsonSchema(read.data.schema);
      const found = [...schemaFaults, ...outputFaults(schema)];
      if (found.length === 0 && faults.length === 0) {
        const tables = tablesOfSchema(schema);
        contract = { form: 'schema', schema, tables };
        const isWide = tables.some(({ columns }) => columns.length > COLUMNS_MAX);
        if (isWide) found.push({ path: [], message: `must have at most ${COLUMNS_MAX} values in a row` });
        found.push(...nameFaults(tables), ...unfilledFaults(schema, tables));
      }
      faults.push(...found.map(({ path, message }) => ({ path: ['schema', ...path], message })));
    }
  } else {
    const read = FORMS.tables.safeParse(output);
    faults.push(...faultsOf(read));
    if (read.data) contract = { form: 'tables', tables: read.data.tables.map(declaredTable) };
  }
  if (Buffer.byteLength(JSON.stringify(output)) > CONTRACT_BYTES_MAX)
    faults.push({ path: [], message: 'must be at most 64 KiB' });
  if (!contract || faults.length > 0) throw refusalOf(faults);
  return contract;
}

/** Fault with its path as steps below `output`; null for an undeclared field, which the message names. */
interface Fault {
  readonly path: readonly PropertyKey[] | null;
  readonly message: string;
}

function refusalOf(faults: readonly Fault[]): AppError {
  return faultsError(
    'resources',
    faults.map(({ path, message }) =>
      path ? { path: stepsOf(path), message: `${excerpt(pathOf(path))} ${message}` } : { path: [], message },
    ),
  );
}

function faultsOf({ error }: z.ZodSafeParseResult<unknown>): Fault[] {
  return (error?.issues ?? []).flatMap((issue): Fault[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((name) => unknownKey(issue.path, name))
      : [{ path: issue.path, message: issue.message }],
  );
}

function unknownKey(parent: readonly PropertyKey[], name: string): Fault {
  return { path: null, message: `Unrecognized key: "${pathOf(parent)}.${name}"` };
}

function pathOf(path: readonly PropertyKey[]): string {
  return pathText(stepsOf(path));
}

function stepsOf(path: readonly PropertyKey[]): Array<string | number> {
  return ['output', ...path.map((step) => (typeof step === 'number' ? step : String(step)))];
}

/**
 * Creates the schema of an array of 1 to `max` items with unique keys; each item is validated even if others are invalid.
 */
function listOf<Item extends z.ZodType<{ key: string }>>(
  item: Item,
  max: number,
  noun: string,
  within: string,
) {
  const fault = `must be an array of 1 to ${max} ${noun}`;
  const unique = z.check<unknown[]>(({ value, issues }) => {
    if (!Array.isArray(value)) return;
    const keys = value.map((each) => (each as { key?: unknown } | null)?.key);
    keys.forEach((one, at) => {
      if (one === undefined || keys.indexOf(one) === at) return;
      issues.push({
        code: 'custom',
        path: [at, 'key'],
        message: `must be unique within ${within}`,
        input: value,
      });
    });
  });
  // Also runs when an item is invalid, so that all faults are reported.
  unique._zod.def.when = () => true;
  return z.array(item, fault).min(1, fault).max(max, fault).check(unique);
}

function declaredTable({ name, entity, max_rows, columns, ...rest }: z.infer<typeof table>): ContractTable {
  return {
    key: rest.key,
    name: name ?? null,
    entity: entity ?? null,
    maxRows: max_rows ?? null,
    columns: columns.map((one) => ({
      key: one.key,
      name: one.name ?? null,
      kind: one.kind ?? null,
      required: one.required ?? false,
      qualification: (one.qualification ?? {}) as Qualification,
    })),
  };
}
