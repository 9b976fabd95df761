import type { ColumnKind, Qualification } from '@quarry/dto';
import type { Entity } from '../run-plan.js';

/** Maximum number of rows of a requested table: that of an import. Source: docs/contract.md#9-limits. */
export const ROWS_MAX = 100_000;

/** Requested column of an output contract. */
export interface ContractColumn {
  readonly key: string;
  /** Words by which its value is known in place of the key: `company name` for `name` in a row of a company's person. */
  readonly spoken?: string | undefined;
  readonly name: string | null;
  readonly kind: ColumnKind | null;
  readonly required: boolean;
  readonly qualification: Qualification;
}

/** Maximum numbers of an output that shows people in companies; null for none. */
export interface CompanyLimits {
  readonly companiesMax: number | null;
  readonly peopleMax: number | null;
  /** Set when a company has one person, as values of its row. The role holds unless the prompt names one; null for any. */
  readonly contact?: { readonly role: string | null } | undefined;
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
