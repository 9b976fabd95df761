import { companyValues, personValues, type CompanyRecord, type PersonRecord } from '@quarry/directory';
import type { PlanColumn } from '@quarry/plan';
import type { RowValues } from '../selection/matches-predicate.js';

/** @returns every attribute of a record by its key. */
export function recordValues(record: CompanyRecord | PersonRecord): RowValues {
  return 'company' in record ? personValues(record) : companyValues(record);
}

/** @returns the values of a row by column key; columns filled by a service or a criterion are still null. */
export function rowValues(columns: readonly PlanColumn[], attributes: RowValues): RowValues {
  return Object.fromEntries(
    columns.map(({ key, source }) => [
      key,
      source.from === 'directory' ? (attributes[source.attribute] ?? null) : null,
    ]),
  );
}
