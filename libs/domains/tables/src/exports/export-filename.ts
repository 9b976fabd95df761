import type { ExportFormat } from '@quarry/dto';

/** @returns a file name in plain ASCII, which needs no escaping in a header */
export function exportFilename(tableName: string, format: ExportFormat): string {
  const plain = tableName
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80);
  return `${plain || 'export'}.${format}`;
}
