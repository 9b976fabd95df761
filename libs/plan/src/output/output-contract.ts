import {
  COLUMN_KINDS,
  FAULTS_SHOWN_MAX,
  QUALIFICATION_EFFECTS,
  type ColumnKind,
  type Qualification,
} from '@quarry/dto';
import { AppError, excerpt, type ErrorDetail } from '@quarry/error-codes';
import { schemaFaults } from './json-schema-subset.js';

/** A table that the caller wants, in either form of the contract. */
export interface WantedTable {
  key: string;
  name: string | null;
  entity: 'company' | 'person' | null;
  maxRows: number | null;
  /** The part of the contract that speaks of this table, as the planner reads it. */
  contract: Record<string, unknown>;
}

export type OutputContract =
  | { form: 'schema'; schema: Record<string, unknown>; tables: WantedTable[] }
  | { form: 'tables'; tables: WantedTable[] };

// 64 KiB and the same bound on rows as an import has. Source: contract decisions, sections 3 and 4.
const CONTRACT_BYTES_MAX = 65_536;
const ROWS_MAX = 100_000;
const TABLES_MAX = 10;
const COLUMNS_MAX = 200;

/**
 * Reads the `output` of a run, which takes exactly one of two forms.
 * @throws AppError invalid_request naming every faulty place, the first hundred at most
 */
export function readOutputContract(output: Record<string, unknown>): OutputContract {
  const faults: ErrorDetail[] = [];
  const keys = Object.keys(output);
  for (const key of keys.filter((each) => each !== 'schema' && each !== 'tables')) {
    faults.push({ path: '', message: `Unrecognized key: "output.${key}"` });
  }
  if ((output.schema === undefined) === (output.tables === undefined)) {
    faults.push({ path: 'output', message: 'must have exactly one of schema and tables' });
  } else if (output.schema !== undefined) faults.push(...judgeSchema(output.schema));
  else faults.push(...judgeTables(output.tables));
  if (Buffer.byteLength(JSON.stringify(output)) > CONTRACT_BYTES_MAX) {
    faults.push({ path: 'output', message: 'must be at most 64 KiB' });
  }
  if (faults.length > 0) {
    // The size is a fault like the others, so what is judged may still be as large as a body.
    const shown = faults.slice(0, FAULTS_SHOWN_MAX);
    const named = shown.map(
      (fault) => `${excerpt(String(fault.path)) || 'output'}: ${excerpt(fault.message)}`,
    );
    const more = faults.length - shown.length;
    if (more > 0) named.push(`and ${more} more`);
    throw new AppError('invalid_request', `The output contract is not valid. ${named.join('; ')}`, {
      details: shown,
    });
  }
  return output.schema === undefined
    ? tablesForm(output.tables as TableContract[])
    : schemaForm(output.schema as Schema);
}

type Schema = Record<string, unknown>;

interface TableContract {
  key: string;
  name?: string;
  entity?: 'company' | 'person';
  max_rows?: number;
  columns: Array<{
    key: string;
    name?: string;
    kind?: ColumnKind;
    required?: boolean;
    qualification?: Qualification;
  }>;
}

function tablesForm(tables: TableContract[]): OutputContract {
  return {
    form: 'tables',
    tables: tables.map((table) => ({
      key: table.key,
      name: table.name ?? null,
      entity: table.entity ?? null,
      maxRows: table.max_rows ?? null,
      contract: { tables: [table] },
    })),
  };
}

/** A top-level property that is an array of objects is a table with the property's name as its key. */
function schemaForm(schema: Schema): OutputContract {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const tables = Object.entries(properties)
    .filter(
      ([, property]) =>
        property.type === 'array' && isRecord(property.items) && property.items.type === 'object',
    )
    .map(([key, property]) => ({
      key,
      name: typeof property.title === 'string' ? property.title : null,
      entity: null,
      maxRows: null,
      contract: { schema: { ...schema, properties: { [key]: property } } },
    }));
  return { form: 'schema', schema, tables };
}

function judgeSchema(schema: unknown): ErrorDetail[] {
  if (!isRecord(schema)) return [{ path: 'output.schema', message: 'must be a JSON Schema object' }];
  return schemaFaults(schema, 'output.schema');
}

function judgeTables(tables: unknown): ErrorDetail[] {
  if (!Array.isArray(tables) || tables.length === 0 || tables.length > TABLES_MAX) {
    return [{ path: 'output.tables', message: `must be an array of 1 to ${TABLES_MAX} tables` }];
  }
  const faults = tables.flatMap((table: unknown, i) => judgeTable(table, `output.tables[${i}]`));
  const keys = tables.map((table: unknown) => (isRecord(table) ? table.key : undefined));
  keys.forEach((key, i) => {
    if (key !== undefined && keys.indexOf(key) < i)
      faults.push({ path: `output.tables[${i}].key`, message: 'must be unique within output' });
  });
  return faults;
}

function judgeTable(table: unknown, path: string): ErrorDetail[] {
  if (!isRecord(table)) return [{ path, message: 'must be an object' }];
  const faults = unknownKeys(table, ['key', 'name', 'entity', 'max_rows', 'columns'], path);
  const { key, name, entity, max_rows: maxRows, columns } = table;
  if (!isKey(key)) faults.push({ path: `${path}.key`, message: 'must be a string of 1 to 64 characters' });
  if (name !== undefined && !isText(name))
    faults.push({ path: `${path}.name`, message: 'must be a non-empty string' });
  if (entity !== undefined && entity !== 'company' && entity !== 'person')
    faults.push({ path: `${path}.entity`, message: 'must be company or person' });
  if (
    maxRows !== undefined &&
    !(Number.isInteger(maxRows) && Number(maxRows) >= 1 && Number(maxRows) <= ROWS_MAX)
  ) {
    faults.push({ path: `${path}.max_rows`, message: `must be a whole number from 1 to ${ROWS_MAX}` });
  }
  if (!Array.isArray(columns) || columns.length === 0 || columns.length > COLUMNS_MAX) {
    return [
      ...faults,
      { path: `${path}.columns`, message: `must be an array of 1 to ${COLUMNS_MAX} columns` },
    ];
  }
  const seen = new Set<unknown>();
  columns.forEach((column: unknown, i) => {
    faults.push(...judgeColumn(column, `${path}.columns[${i}]`));
    const columnKey = isRecord(column) ? column.key : undefined;
    if (columnKey !== undefined && seen.has(columnKey))
      faults.push({ path: `${path}.columns[${i}].key`, message: 'must be unique within the table' });
    seen.add(columnKey);
  });
  return faults;
}

function judgeColumn(column: unknown, path: string): ErrorDetail[] {
  if (!isRecord(column)) return [{ path, message: 'must be an object' }];
  const faults = unknownKeys(column, ['key', 'name', 'kind', 'required', 'qualification'], path);
  if (!isKey(column.key))
    faults.push({ path: `${path}.key`, message: 'must be a string of 1 to 64 characters' });
  if (column.name !== undefined && !isText(column.name))
    faults.push({ path: `${path}.name`, message: 'must be a non-empty string' });
  if (column.kind !== undefined && !(COLUMN_KINDS as readonly unknown[]).includes(column.kind)) {
    faults.push({ path: `${path}.kind`, message: `must be one of ${COLUMN_KINDS.join(', ')}` });
  }
  if (column.required !== undefined && typeof column.required !== 'boolean')
    faults.push({ path: `${path}.required`, message: 'must be true or false' });
  if (column.qualification !== undefined)
    faults.push(...judgeQualification(column.qualification, `${path}.qualification`));
  return faults;
}

function judgeQualification(qualification: unknown, path: string): ErrorDetail[] {
  if (!isRecord(qualification)) return [{ path, message: 'must be an object' }];
  if (Object.keys(qualification).length === 0) return [];
  const faults = unknownKeys(qualification, ['criterion', 'effect'], path);
  if (!isText(qualification.criterion))
    faults.push({ path: `${path}.criterion`, message: 'must be a non-empty string' });
  if (!(QUALIFICATION_EFFECTS as readonly unknown[]).includes(qualification.effect)) {
    faults.push({ path: `${path}.effect`, message: `must be one of ${QUALIFICATION_EFFECTS.join(', ')}` });
  }
  return faults;
}

function unknownKeys(value: Record<string, unknown>, known: string[], path: string): ErrorDetail[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: '', message: `Unrecognized key: "${path}.${key}"` }));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && value.length >= 1 && [...value].length <= 64 && value !== '__proto__';
}
