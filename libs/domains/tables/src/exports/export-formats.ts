import type { ColumnJson, ExportFormat } from '@quarry/dto';
import { CsvEncoder } from './csv-encoder.js';
import { JsonEncoder } from './json-encoder.js';
import type { RowEncoder } from './row-encoder.js';

/** A column of a file: a column of the table, under its key or another heading. */
export type ExportColumn = Pick<ColumnJson, 'key' | 'kind'> & { readonly header?: string };

/** The shape of an export file. */
export interface ExportShape {
  readonly columns: readonly ExportColumn[];
  /** True when columns were chosen: JSON then contains only these. */
  readonly isChosen?: boolean;
  readonly hasBom?: boolean;
}

/** @returns an encoder for a file of this shape */
export function rowEncoder(
  format: ExportFormat,
  { columns, isChosen = false, hasBom = false }: ExportShape,
): RowEncoder {
  return format === 'csv' ? new CsvEncoder(columns, hasBom) : new JsonEncoder(isChosen ? columns : null);
}

export const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
};
