import type { ExportFormat } from '@quarry/dto';

/** @returns a file name of the letters and digits of a table's name, in any script; the header of a download encodes it */
export function exportFilename(tableName: string, format: ExportFormat): string {
  const words = tableName
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-/, '');
  const short = [...words].slice(0, 80).join('').replace(/-$/, '');
  return `${short || 'export'}.${format}`;
}
