import { COMPANY_ATTRIBUTES, isSortable, type DirectorySort } from '@quarry/directory';
import type { Draft } from '../draft.js';

const attributes = new Map<string, (typeof COMPANY_ATTRIBUTES)[number]>(
  COMPANY_ATTRIBUTES.map((attribute) => [attribute.key, attribute]),
);

/** Sort order of the rows: stated directly ("largest"), or as a column after "sorted by". */
export class SortOrder {
  /** True after "sorted by", until a column or another kind of item: the next column is the sort key, not requested. */
  isExpected = false;
  /** False for "the largest", which selects the rows, so that no direction reverses it. */
  private isTurnable = false;

  constructor(private readonly draft: Pick<Draft, 'sort' | 'tableSort'>) {}

  /**
   * Sets the order; the first of several counts. "Sorted by founding year, newest first": after an order by the same
   * attribute, or by a column of a table, the words determine its direction.
   * @param cue its folded words
   * @returns false when the rows already have another order
   */
  set(sort: DirectorySort, cue: string): boolean {
    this.isExpected = false;
    const known = this.draft.sort;
    const isFirst = cue.endsWith(' first');
    if (isFirst && (this.draft.tableSort || (known && isSameKind(known.by, sort.by))))
      return this.setDirection(sort.direction) || known?.direction === sort.direction;
    if (known) return known.by === sort.by && known.direction === sort.direction;
    this.draft.sort = sort;
    this.isTurnable = sort.by === 'name' || isFirst || cue.startsWith('by ');
    return true;
  }

  /** @returns false when rows cannot be sorted by the column, or already have another order */
  setColumn(attribute: string): boolean {
    this.isExpected = false;
    const { key: by, sort } = attributes.get(attribute === 'full_name' ? 'name' : attribute) ?? {};
    if (!by || !sort || !isSortable(by) || (this.draft.sort && this.draft.sort.by !== by)) return false;
    this.isTurnable = true;
    // "Newest by year of foundation": the direction is already known.
    this.draft.sort ??= { by, direction: sort.usual };
    return true;
  }

  /** @returns false when there is no order to reverse */
  setDirection(direction: DirectorySort['direction']): boolean {
    const { sort, tableSort } = this.draft;
    if (tableSort) this.draft.tableSort = { ...tableSort, direction };
    else if (sort && this.isTurnable) this.draft.sort = { ...sort, direction };
    return Boolean(tableSort) || this.isTurnable;
  }
}

/** Returns whether two orders are compatible. "Largest first" also applies to amounts. */
function isSameKind(by: DirectorySort['by'], requested: DirectorySort['by']): boolean {
  return by === requested || (requested === 'headcount' && attributes.get(by)?.measure?.unit === 'usd');
}
