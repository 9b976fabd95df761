import {
  COLUMN_KINDS,
  QUALIFICATION_EFFECTS,
  isUsableKey,
  unrecognizedKey,
  type ColumnJson,
  type ColumnKind,
  type Qualification,
} from '@quarry/dto';
import { parseJson } from '@quarry/app';
import { isStorableText } from '../sql/storable-text.js';
import { cellFault } from './cell-fault.js';
import { isJsonObject, kindFault } from './column-kinds.js';
import { ImportedRows } from './imported-rows.js';
import { sliceMembers, type MemberSlice } from './json-slices.js';
import { KindInference } from './kind-inference.js';
import { RequestFaults } from './request-faults.js';

/** Limits of an import. Source: docs/contract.md#4-tables; names as for workspaces. */
export const IMPORT_LIMITS = {
  rowsMax: 100_000,
  columnsMax: 200,
  nameCharactersMax: 200,
  columnKeyCharactersMax: 64,
  criterionCharactersMax: 2000,
} as const;

// A few milliseconds for ten columns.
const STEP_ROWS = 1000;

/** A validated import. */
export interface ImportRequest {
  name: string;
  columns: ColumnJson[];
  rows: ImportedRows;
}

interface DeclaredColumn {
  key: string;
  name: string;
  kind: ColumnKind | null;
  qualification: Qualification;
}

/**
 * Validates the body of an import and infers missing kinds. To be run step by step with pauses: a body may have twenty million
 * cells, and other requests must not wait for all of them. A row is parsed, validated and dropped; only its position in the body
 * is kept.
 * @param body one well-formed JSON value without duplicate keys
 * @throws AppError invalid_request naming at most the first hundred invalid fields
 */
export function* validateImport(body: string): Generator<void, ImportRequest> {
  const faults = new RequestFaults();
  const members = (yield* sliceMembers(body)) ?? noObject(faults);
  const valueOf = (key: string): unknown => {
    const slice = members.get(key);
    return slice && parseJson(body.slice(slice.from, slice.to));
  };
  refuseUnknownKeys(faults, [...members.keys()], ['name', 'columns', 'rows'], '');
  const name = textField(faults, 'name', valueOf('name'), IMPORT_LIMITS.nameCharactersMax);
  const declared = parseColumns(faults, valueOf('columns'));
  const columns = declared ?? [];
  const sent = members.get('rows');
  if (!sent?.items) faults.add('rows', sent ? 'must be a list' : 'is required');
  const rows = new ImportedRows(
    body,
    // Without a list of columns the keys of rows cannot be validated.
    (declared && sent?.items) ?? [],
    columns.map(({ key }) => key),
  );
  const kinds = yield* validateRows(faults, rows, columns);
  faults.throwIfAny();
  return { name, columns: columns.map((column, at) => ({ ...column, kind: kinds[at]! })), rows };
}

function noObject(faults: RequestFaults): Map<string, MemberSlice> {
  faults.add('', 'The body must be a JSON object');
  faults.throwIfAny();
  return new Map();
}

/** @returns null when no list of columns was sent */
function parseColumns(faults: RequestFaults, value: unknown): DeclaredColumn[] | null {
  if (!Array.isArray(value)) {
    faults.add('columns', value === undefined ? 'is required' : 'must be a list');
    return null;
  }
  if (value.length < 1 || value.length > IMPORT_LIMITS.columnsMax)
    faults.add('columns', `must have 1 to ${IMPORT_LIMITS.columnsMax} items`);
  const taken = new Set<string>();
  return value
    .slice(0, IMPORT_LIMITS.columnsMax)
    .map((column: unknown, at) => parseColumn(faults, column, `columns[${at}]`, taken));
}

function parseColumn(
  faults: RequestFaults,
  value: unknown,
  path: string,
  taken: Set<string>,
): DeclaredColumn {
  if (!isJsonObject(value)) {
    faults.add(path, 'must be an object with key and name');
    return { key: '', name: '', kind: null, qualification: {} };
  }
  refuseUnknownKeys(faults, Object.keys(value), ['key', 'name', 'kind', 'qualification'], path);
  return {
    key: columnKey(faults, `${path}.key`, value.key, taken),
    name: textField(faults, `${path}.name`, value.name, IMPORT_LIMITS.nameCharactersMax),
    kind: columnKind(faults, `${path}.kind`, value.kind),
    qualification: parseQualification(faults, `${path}.qualification`, value.qualification),
  };
}

function columnKey(faults: RequestFaults, path: string, value: unknown, taken: Set<string>): string {
  const key = textField(faults, path, value, IMPORT_LIMITS.columnKeyCharactersMax);
  if (key === '') return key;
  if (!isUsableKey(key)) faults.add(path, `must not be "${key}"`);
  const normal = key.normalize('NFC');
  if (taken.has(normal)) faults.add(path, 'is used by an earlier column');
  taken.add(normal);
  return key;
}

function columnKind(faults: RequestFaults, path: string, value: unknown): ColumnKind | null {
  if (value === undefined) return null;
  const kind = COLUMN_KINDS.find((known) => known === value);
  if (!kind) faults.add(path, `must be one of ${COLUMN_KINDS.join(', ')}`);
  return kind ?? null;
}

function parseQualification(faults: RequestFaults, path: string, value: unknown): Qualification {
  if (value === undefined) return {};
  if (!isJsonObject(value)) {
    faults.add(path, 'must be an object');
    return {};
  }
  if (Object.keys(value).length === 0) return {};
  refuseUnknownKeys(faults, Object.keys(value), ['criterion', 'effect'], path);
  const criterion = textField(
    faults,
    `${path}.criterion`,
    value.criterion,
    IMPORT_LIMITS.criterionCharactersMax,
  );
  const effect = QUALIFICATION_EFFECTS.find((known) => known === value.effect);
  if (!effect) faults.add(`${path}.effect`, `must be one of ${QUALIFICATION_EFFECTS.join(', ')}`);
  return effect ? { criterion, effect } : {};
}

/** Validates all rows in one pass. @returns the kind of each column, declared or inferred */
function* validateRows(
  faults: RequestFaults,
  rows: ImportedRows,
  columns: DeclaredColumn[],
): Generator<void, ColumnKind[]> {
  const known = new Map(columns.map(({ key, kind }) => [key, { kind, inference: new KindInference() }]));
  if (rows.count > IMPORT_LIMITS.rowsMax)
    faults.add('rows', `must have at most ${IMPORT_LIMITS.rowsMax} items`);
  const count = Math.min(rows.count, IMPORT_LIMITS.rowsMax);
  for (let at = 0; at < count && !faults.isFull; at += 1) {
    const row = rows.parseRows(at);
    validateRow(faults, row, `rows[${at}]`, known);
    if (at % STEP_ROWS === STEP_ROWS - 1) yield;
  }
  return [...known.values()].map(({ kind, inference }) => kind ?? inference.kind);
}

/** Adds the faults of one row, and shows the values of columns without a kind to their inference. */
function validateRow(
  faults: RequestFaults,
  row: unknown,
  path: string,
  columns: ReadonlyMap<string, Pick<DeclaredColumn, 'kind'> & { inference: KindInference }>,
): void {
  if (!isJsonObject(row)) return faults.add(path, 'must be an object keyed by column key');
  for (const key of Object.keys(row)) {
    const column = columns.get(key);
    if (!column) {
      faults.add(`${path}.${key}`, 'is not a declared column');
      continue;
    }
    const value = row[key];
    const { kind, inference } = column;
    const fault = cellFault(value) ?? (kind && kindFault(kind, value));
    if (fault) faults.add(`${path}.${key}`, fault);
    else if (!kind) inference.observe(value);
  }
}

/** Adds a fault for each unknown member, with the empty path that the contract requires. */
function refuseUnknownKeys(
  faults: RequestFaults,
  keys: readonly string[],
  allowed: readonly string[],
  parent: string,
): void {
  for (const key of keys) {
    if (faults.isFull) return;
    if (allowed.includes(key)) continue;
    const { message, hint } = unrecognizedKey(key, allowed, parent === '' ? [] : [parent]);
    faults.add('', message + hint());
  }
}

function textField(faults: RequestFaults, path: string, value: unknown, charactersMax: number): string {
  const fault = textFault(value, charactersMax);
  if (fault) faults.add(path, fault);
  return fault ? '' : (value as string);
}

function textFault(value: unknown, charactersMax: number): string | null {
  if (value === undefined) return 'is required';
  if (typeof value !== 'string') return 'must be a string';
  if (value === '') return 'must not be empty';
  // Counts code points: an emoji is one character.
  if (value.length > charactersMax && [...value].length > charactersMax)
    return `must have at most ${charactersMax} characters`;
  return isStorableText(value) ? null : 'must not contain NUL or half of a surrogate pair';
}
