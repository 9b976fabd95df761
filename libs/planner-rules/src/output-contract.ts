import { COLUMN_KINDS, type ColumnKind, type Qualification } from '@quarry/dto';
import type { Entity } from '../run-plan.js';

/** A column that the output contract wants. */
export interface ContractColumn {
  readonly key: string;
  readonly name: string | null;
  readonly kind: ColumnKind | null;
  readonly required: boolean;
  readonly qualification: Qualification;
}

/** A table that the output contract wants. */
export interface ContractTable {
  readonly key: string;
  readonly name: string | null;
  readonly entity: Entity | null;
  readonly maxRows: number | null;
  readonly columns: readonly ContractColumn[];
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the tables out of an output contract in either of its forms. The contract is taken to be valid; parts that
 * are not are left out. Source: contract decisions, section 3.
 */
export function contractTables(output: Json): ContractTable[] {
  if (isObject(output['schema'])) return schemaTables(output['schema']);
  const tables = output['tables'];
  return Array.isArray(tables) ? tables.filter(isObject).map(declaredTable) : [];
}

function declaredTable(table: Json): ContractTable {
  const columns = Array.isArray(table['columns']) ? table['columns'].filter(isObject) : [];
  const { entity, max_rows } = table;
  return {
    key: String(table['key'] ?? 'table'),
    name: textOrNull(table['name']),
    entity: entity === 'company' || entity === 'person' ? entity : null,
    maxRows: typeof max_rows === 'number' ? max_rows : null,
    columns: columns.map(declaredColumn),
  };
}

function declaredColumn(column: Json): ContractColumn {
  const { kind, qualification } = column;
  return {
    key: String(column['key'] ?? ''),
    name: textOrNull(column['name']),
    kind: COLUMN_KINDS.find((known) => known === kind) ?? null,
    required: column['required'] === true,
    qualification: isObject(qualification) ? (qualification as Qualification) : {},
  };
}

function schemaTables(schema: Json): ContractTable[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).flatMap(([key, property]) => {
    const items = isObject(property) ? property['items'] : null;
    if (!isObject(items) || !isObject(items['properties'])) return [];
    const required = Array.isArray(items['required']) ? items['required'] : [];
    const columns = Object.entries(items['properties']).map(([name, column]) => ({
      key: name,
      name: null,
      kind: isObject(column) ? kindOfSchema(column) : null,
      required: required.includes(name),
      qualification: {},
    }));
    const maxItems = isObject(property) ? property['maxItems'] : null;
    return [
      {
        key,
        name: null,
        entity: entityOfKey(key),
        maxRows: typeof maxItems === 'number' ? maxItems : null,
        columns,
      },
    ];
  });
}

function kindOfSchema(column: Json): ColumnKind | null {
  const { type, format } = column;
  if (format === 'email') return 'email';
  if (format === 'uri') return 'url';
  if (format === 'date') return 'date';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'boolean' ? 'boolean' : type === 'array' ? 'list' : null;
}

function entityOfKey(key: string): Entity | null {
  if (/compan|firm|business|startup|account/i.test(key)) return 'company';
  return /people|person|contact|lead|prospect/i.test(key) ? 'person' : null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
