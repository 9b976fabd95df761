import type { ColumnKind, Qualification } from '@quarry/dto';
import type { Entity } from '../run-plan.js';

/** Maximum number of rows of a requested table: that of an import. Source: docs/contract.md#9-limits. */
export const ROWS_MAX = 100_000;

/** Requested column of an output contract. */
export interface ContractColumn {
  readonly key: string;
  readonly name: string | null;
  readonly kind: ColumnKind | null;
  readonly required: boolean;
  readonly qualification: Qualification;
}

/** Maximum numbers of an output that lists people in companies; null for none. */
export interface CompanyLimits {
  readonly companiesMax: number | null;
  readonly peopleMax: number | null;
}

/** Requested table of an output contract, in either form. */
export interface ContractTable {
  readonly key: string;
  readonly name: string | null;
  /** Kind of a row, if the contract defines it: by its field, or in a JSON Schema by the name of the property. */
  readonly entity: Entity | null;
  readonly maxRows: number | null;
  /** Set when rows are the people of companies, whom the output lists in the companies. */
  readonly byCompany?: CompanyLimits | undefined;
  /** Empty when a JSON Schema does not define columns. */
  readonly columns: readonly ContractColumn[];
}
