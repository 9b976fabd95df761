import type { CellJson, ColumnJson } from '@quarry/dto';
import { SANDBOX } from './settings/providers-file.js';
import { isReservedName } from './reserved-names.js';

const NAMING_KINDS = ['email', 'domain', 'linkedin_url', 'url', 'text'];

/**
 * Text counts, too: one faulty value makes an imported column of addresses text.
 *
 * @returns whether a row names a person or company of the sandbox, or the sandbox filled one of its cells
 */
export function isFromSandbox(
  columns: readonly ColumnJson[],
  { values, cells }: { values: Record<string, unknown>; cells: Record<string, CellJson> },
): boolean {
  return (
    Object.values(cells).some(({ source }) => source?.provider === SANDBOX) ||
    columns.some(({ key, kind }) => NAMING_KINDS.includes(kind) && namesSandbox(values[key]))
  );
}

/** Returns true for addresses of the sandbox's people and companies, and for reserved names. */
function namesSandbox(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    (isReservedName(value) || /linkedin\.com\/(in|company)\/sandbox-/i.test(value))
  );
}
