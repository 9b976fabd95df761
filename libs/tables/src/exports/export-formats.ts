import type { ColumnJson, ExportFormat } from '@quarry/dto';
import { CsvEncoder } from './csv-encoder.js';
import { JsonEncoder } from './json-encoder.js';
import type { RowEncoder } from './row-encoder.js';

/** @returns an encoder for a table with these columns */
export function rowEncoder(format: ExportFormat, columns: readonly ColumnJson[]): RowEncoder {
  return format === 'csv' ? new CsvEncoder(columns) : new JsonEncoder();
}

export const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
};
