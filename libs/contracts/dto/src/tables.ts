import type { z } from 'zod';
import type {
  Cell,
  Column,
  Fit,
  FitCounts as FitCountsResource,
  Row,
  Table,
} from './resources/tables.resources.js';

/** Kinds of a column. Source: docs/contract.md#4-tables. */
export const COLUMN_KINDS = [
  'text',
  'number',
  'boolean',
  'date',
  'url',
  'domain',
  'email',
  'phone',
  'linkedin_url',
  'list',
  'experiences',
  'educations',
  'object',
] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

export const QUALIFICATION_EFFECTS = ['require', 'prefer', 'exclude'] as const;
export type QualificationEffect = (typeof QUALIFICATION_EFFECTS)[number];

/** `{}` for a column without a criterion. */
export type Qualification = ColumnJson['qualification'];
export type ColumnJson = z.infer<typeof Column>;
export type FitCounts = z.infer<typeof FitCountsResource>;
export type TableJson = z.infer<typeof Table>;
/** Metadata of one value. */
export type CellJson = z.infer<typeof Cell>;
export type Citation = CellJson['citations'][number];
export type FitJson = z.infer<typeof Fit>;
export type FitStatus = FitJson['status'];
export type RowJson = z.infer<typeof Row>;

/** Returns the metadata of a value that is written now; nothing is known but its status and what is given. */
export function cellOf(status: CellJson['status'], known: Partial<CellJson> = {}): CellJson {
  return {
    status,
    confidence: null,
    reasoning: null,
    citations: [],
    source: null,
    error: null,
    updated_at: new Date().toISOString(),
    ...known,
  };
}
