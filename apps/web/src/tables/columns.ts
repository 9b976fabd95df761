import type { Column, Table } from '../api/resources';
import { formatField } from '../ui/format';
import { fieldLabel } from './guess-inputs';

/** A user's arrangement of a table's columns, stored in this browser. */
export interface Layout {
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  readonly frozen: readonly string[];
  readonly widths: Readonly<Record<string, number>>;
}
export const WIDTH_MIN = 64;
export const WIDTH_MAX = 640;
const WIDE = new Set(['url', 'email', 'linkedin_url', 'list', 'experiences', 'educations', 'object']);

export interface ShownColumn extends Column {
  readonly width: number;
  readonly isFrozen: boolean;
  /** Distance from the left edge of the row, in pixels. */
  readonly left: number;
}

/** Width of the first column of the grid: the row's number and its fit. */
export const MARKER_WIDTH = 72;

function usualWidth({ kind, name }: Column, index: number): number {
  if (index === 0) return 200;
  if (kind === 'date') return Math.max(116, name.length * 8 + 68);
  if (kind === 'number' || kind === 'boolean') return Math.max(96, name.length * 8 + 68);
  return WIDE.has(kind) ? 216 : 152;
}

/** @returns all columns, including hidden ones, in the user's order */
export function orderedColumns({ columns }: Table, { order }: Layout): Column[] {
  const place = new Map(order.map((key, index) => [key, index]));
  return columns.toSorted((a, b) => (place.get(a.key) ?? 1e6) - (place.get(b.key) ?? 1e6));
}

/** @returns the visible columns in the user's order, followed by the hidden ones */
export function exportedColumns(table: Table, layout: Layout): Array<{ column: Column; isShown: boolean }> {
  const hidden = table.columns.filter(({ key }) => layout.hidden.includes(key));
  return [
    ...shownColumns(table, layout).map((column) => ({ column, isShown: true })),
    ...hidden.map((column) => ({ column, isShown: false })),
  ];
}

/** @returns the visible columns with their positions, frozen ones first */
export function shownColumns(table: Table, layout: Layout): ShownColumn[] {
  const shown = orderedColumns(table, layout).filter(({ key }) => !layout.hidden.includes(key));
  const isFrozen = ({ key }: Column) => layout.frozen.includes(key);
  const widths = new Map(Object.entries(layout.widths));
  let left = MARKER_WIDTH;
  return [...shown.filter(isFrozen), ...shown.filter((column) => !isFrozen(column))].map((column, index) => {
    const width = widths.get(column.key) ?? usualWidth(column, index);
    const placed = { ...column, width, isFrozen: isFrozen(column), left };
    left += width;
    return placed;
  });
}

/** @returns an unused key for a new column, ignoring case: `Website` and `website` would be confused in templates */
export function freeKey({ columns }: Table, wanted: string): string {
  const taken = new Set(columns.map(({ key }) => key.toLowerCase()));
  let key = wanted || 'value';
  for (let number = 2; taken.has(key.toLowerCase()); number += 1) key = `${wanted}_${number}`;
  return key;
}

/** Services with many answers, or with an answer to any question: their own name says nothing about a column. */
const OF_ANY_KIND = /^(Enrich|Research) /;

/** @returns the answer field that a new column shows at first */
export function firstField({ columns }: Table, title: string, fields: readonly string[]): string {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  const isNew = (field: string) => !names.has(fieldLabel(field).toLowerCase());
  return (OF_ANY_KIND.test(title) ? fields.find(isNew) : undefined) ?? fields[0] ?? '';
}

/** @returns the name of a new column with the field of a service's answer */
export function columnTitle(table: Table, title: string, field: string, fields: readonly string[]): string {
  const isOfService = field === fields[0] && !OF_ANY_KIND.test(title);
  const ofService = formatField(title.replace(/^(Find|Get|Detect) (a |an |the )?/, ''));
  return freeTitle(table, isOfService ? ofService : fieldLabel(field));
}

/** @returns an unused title for a new column, ignoring case */
function freeTitle({ columns }: Table, wanted: string): string {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  let title = wanted;
  for (let number = 2; taken.has(title.toLowerCase()); number += 1) title = `${wanted} ${number}`;
  return title;
}
