import { COMPANY_ATTRIBUTES, isSortable, type DirectorySort } from '@quarry/directory';
import type { Draft } from '../draft.js';

const attributes = new Map<string, (typeof COMPANY_ATTRIBUTES)[number]>(
  COMPANY_ATTRIBUTES.map((attribute) => [attribute.key, attribute]),
);

/** The order of the rows: said at once ("largest"), or as a column after "sorted by". */
export class SortOrder {
  /** True after "sorted by", until a column or something else is said: the next column is the order, not wanted. */
  isExpected = false;
  /** False for "the largest": it chooses the rows, so that no direction turns it round. */
  private isTurnable = false;

  constructor(private readonly draft: Pick<Draft, 'sort' | 'tableSort'>) {}

  /**
   * The first of several orders counts. "Sorted by founding year, newest first": behind an order by the same, or by a
   * column of a table, the words give its direction.
   * @param cue its words, folded
   * @returns false when the rows are sorted otherwise already
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

  /** @returns false when rows cannot be sorted by the column, or are sorted by another one already. */
  setColumn(attribute: string): boolean {
    this.isExpected = false;
    const { key: by, sort } = attributes.get(attribute === 'full_name' ? 'name' : attribute) ?? {};
    if (!by || !sort || !isSortable(by) || (this.draft.sort && this.draft.sort.by !== by)) return false;
    this.isTurnable = true;
    // "Newest by year of foundation": the direction is said already.
    this.draft.sort ??= { by, direction: sort.usual };
    return true;
  }

  /** @returns false when there is no order that it could turn round. */
  setDirection(direction: DirectorySort['direction']): boolean {
    const { sort, tableSort } = this.draft;
    if (tableSort) this.draft.tableSort = { ...tableSort, direction };
    else if (sort && this.isTurnable) this.draft.sort = { ...sort, direction };
    return Boolean(tableSort) || this.isTurnable;
  }
}

/** "Largest first" is said of sums too. */
function isSameKind(by: DirectorySort['by'], requested: DirectorySort['by']): boolean {
  return by === requested || (requested === 'headcount' && attributes.get(by)?.measure?.unit === 'usd');
}
