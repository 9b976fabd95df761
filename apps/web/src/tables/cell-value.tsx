import type { Cell, Column } from '../api/resources';
import { formatDay, formatNumber } from '../ui/format';
import css from './grid.module.css';

/** @returns a value as text in the reader's form; lists are parted by commas */
export function valueText(value: unknown, kind?: Column['kind']): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number')
    return Number.isInteger(value) && isYear(value, kind) ? String(value) : formatNumber(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (kind === 'date' && typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) return formatDay(value);
  if (Array.isArray(value)) return value.map((each) => valueText(each)).join(', ');
  if (typeof value === 'object')
    return Object.values(value as Record<string, unknown>)
      .filter((each) => each !== null && typeof each !== 'object')
      .map((each) => valueText(each))
      .join(' · ');
  return String(value);
}

/** A whole number of four digits is read as a year: founded in 2,015 is nobody's form. */
function isYear(value: number, kind: Column['kind'] | undefined): boolean {
  return kind !== undefined && value >= 1000 && value <= 2100;
}

/** @returns where a value leads; null where it is no address. Only addresses of the web and of mail are links. */
export function linkOf(value: unknown, kind: Column['kind']): string | null {
  if (typeof value !== 'string' || value === '') return null;
  switch (kind) {
    case 'email':
      return `mailto:${encodeURIComponent(value).replace('%40', '@')}`;
    case 'phone':
      return /^\+?[\d\s().-]+$/.test(value) ? `tel:${value.replace(/[^\d+]/g, '')}` : null;
    case 'domain':
      return /^[\p{L}\p{N}.-]+$/u.test(value) ? `https://${value}` : null;
    case 'url':
    case 'linkedin_url':
      return /^https?:\/\//i.test(value) && URL.canParse(value) ? value : null;
    default:
      return null;
  }
}

const WITHOUT_VALUE: Readonly<Record<Cell['status'], string>> = {
  filled: '',
  empty: 'not found',
  pending: 'looking …',
  failed: 'failed',
  skipped: 'skipped',
};

export function CellValue({
  value,
  cell,
  kind,
}: {
  value: unknown;
  cell: Cell | undefined;
  kind: Column['kind'];
}) {
  const text = valueText(value, kind);
  if (text === '') {
    if (!cell || cell.status === 'filled') return null;
    return (
      <span className={css[cell.status]} title={cell.error?.message}>
        {WITHOUT_VALUE[cell.status]}
      </span>
    );
  }
  const link = linkOf(value, kind);
  if (link)
    return (
      <a href={link} target="_blank" rel="noreferrer" tabIndex={-1} className={css.link}>
        {kind === 'url' || kind === 'linkedin_url' ? text.replace(/^https?:\/\/(www\.)?/i, '') : text}
      </a>
    );
  return <>{text}</>;
}
