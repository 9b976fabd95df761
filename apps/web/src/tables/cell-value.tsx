import type { Cell, Column } from '../api/resources';
import css from './grid.module.css';
import { namesAlone, valueText } from './value-text';

/** @returns the link of a value; null when it is no address. Only web and mail addresses become links. */
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
  pending: 'searching …',
  failed: 'failed',
  skipped: 'skipped',
};

export function CellValue({
  value,
  cell,
  column,
}: {
  value: unknown;
  cell: Cell | undefined;
  column: Column;
}) {
  const { kind } = column;
  const text = valueText(namesAlone(value), column);
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
