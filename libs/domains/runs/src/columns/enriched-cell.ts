import { isDeepStrictEqual } from 'node:util';
import { cellOf, type CellJson, type Citation } from '@quarry/dto';
import type { FilledColumn, ServiceCall } from '@quarry/plan-compiler';
import { valueAt } from '@quarry/service-catalog';
import type { CallEnd } from './call-end.js';
import type { RowToEnrich } from './enrich-request.js';

/** A value with its cell: where it is from, and how sure it is. */
export interface EnrichedCell {
  value: unknown;
  cell: CellJson;
}

/** Outcome of a call for one column of one row. */
export interface ColumnEnd extends EnrichedCell {
  key: string;
  /** The row already has a value there, and keeps it. */
  isKept: boolean;
}

/** @returns the cell of each column of a call; none for a call that was still open when the work was cancelled */
export function columnEnds(
  call: ServiceCall,
  row: RowToEnrich,
  end: CallEnd | null,
  isFresh: boolean,
): ColumnEnd[] {
  if (end === null) return [];
  return call.columns.map((column) => {
    const cell = enrichedCell(call.service.name, column, end);
    const isKept = isHeld(row, column.key, cell.value) && !(isFresh && end.state === 'answered');
    return { ...cell, key: column.key, isKept };
  });
}

/** @returns whether the row already has a different value in the column */
function isHeld({ held }: RowToEnrich, key: string, found: unknown): boolean {
  const value = held?.[key] ?? null;
  // An equal value was written by this same work before its agent was killed, so it counts as found.
  return value !== null && value !== '' && !isDeepStrictEqual(value, found);
}

/** @returns the cell of one column from the outcome of its row's call */
export function enrichedCell(service: string, { field }: FilledColumn, end: CallEnd): EnrichedCell {
  if (end.state === 'skipped') return { value: null, cell: cellOf('skipped', { error: end.error }) };
  const { jobId } = end;
  if (end.state === 'failed') {
    const source = { service, provider: null, job_id: jobId };
    return { value: null, cell: cellOf('failed', { source, error: end.error }) };
  }
  const { output } = end;
  const value = valueAt(output, field);
  return {
    value,
    cell: cellOf(value === null ? 'empty' : 'filled', {
      confidence: (output.confidence ?? null) as CellJson['confidence'],
      reasoning: textOf(output.reasoning) ?? textOf(output.reason),
      citations: citationsOf(output),
      source: { service, provider: textOf(output.provider), job_id: jobId },
    }),
  };
}

/** Sources of a research, proofs of extracted data, or the page that was read. */
function citationsOf({
  sources,
  basis,
  url,
  title,
  retrieved_at: at,
}: Readonly<Record<string, unknown>>): Citation[] {
  if (Array.isArray(sources)) return sources as Citation[];
  if (Array.isArray(basis)) {
    const each = (basis as ReadonlyArray<{ citations: Citation[] }>).flatMap(({ citations }) => citations);
    return [...new Map(each.map((citation) => [JSON.stringify(citation), citation])).values()];
  }
  return typeof url === 'string' && typeof at === 'string'
    ? [{ url, title: textOf(title), excerpt: null, retrieved_at: at }]
    : [];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
