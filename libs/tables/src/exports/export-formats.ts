import type { ColumnJson, ExportFormat } from '@quarry/dto';
import { csvHeader, csvRow } from './csv.js';

interface FormatWriter {
  contentType: string;
  before(columns: readonly ColumnJson[]): string;
  /** @param valuesJson a row's values as PostgreSQL writes them */
  row(columns: readonly ColumnJson[], valuesJson: string, isFirst: boolean): string;
  after: string;
}

/** How each format is written, piece by piece. */
export const FORMAT_WRITERS: Record<ExportFormat, FormatWriter> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    before: csvHeader,
    row: (columns, valuesJson) => csvRow(columns, JSON.parse(valuesJson) as Record<string, unknown>),
    after: '',
  },
  json: {
    contentType: 'application/json; charset=utf-8',
    before: () => '[',
    row: (_columns, valuesJson, isFirst) => (isFirst ? `\n${valuesJson}` : `,\n${valuesJson}`),
    after: '\n]\n',
  },
};

/** @returns a file name of plain ASCII, so that it needs no escaping in a header */
export function exportFilename(tableName: string, format: ExportFormat): string {
  const plain = tableName
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80);
  return `${plain || 'export'}.${format}`;
}
