import { companyValues, personValues, type CompanyRecord, type PersonRecord } from '@quarry/directory';
import type { ColumnKind } from '@quarry/dto';
import type { PlanColumn } from '@quarry/plan';
import type { RowValues } from '../selection/matches-predicate.js';

/** @returns every attribute of a record by its key. */
export function recordValues(record: CompanyRecord | PersonRecord): RowValues {
  return 'company' in record ? personValues(record) : companyValues(record);
}

/** @returns the values of a row by column key; columns filled by a service or a criterion are still null. */
export function rowValues(columns: readonly PlanColumn[], attributes: RowValues): RowValues {
  return Object.fromEntries(
    columns.map(({ key, kind, source }) => [
      key,
      source.from === 'directory' ? valueOfKind(kind, attributes[source.attribute] ?? null) : null,
    ]),
  );
}

/** Kinds whose values are not texts. */
const OTHER_KINDS = new Set<ColumnKind>(['number', 'boolean', 'list', 'experiences', 'educations', 'object']);

/** Writes a value as text if a contract gives its column a kind of text: a kind defines the JSON type of its values. */
function valueOfKind(kind: ColumnKind, value: unknown): unknown {
  if (OTHER_KINDS.has(kind)) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isOfTexts = Array.isArray(value) && value.every((each) => typeof each === 'string');
  return isOfTexts ? value.join('; ') : value;
}
