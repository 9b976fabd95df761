import { DIRECTORY_SORT_FIELDS, type DirectorySort } from '@quarry/providers';
import type { Draft } from '../draft.js';

const SORTABLE = new Map<string, DirectorySort['by']>(DIRECTORY_SORT_FIELDS.map((field) => [field, field]));

/** The order of the rows: said at once ("largest"), or as a column after "sorted by". */
export class SortOrder {
  /** True after "sorted by", until a column or something else is said: the next column is the order, not wanted. */
  isExpected = false;

  constructor(private readonly draft: Pick<Draft, 'sort'>) {}

  /** The first of several orders counts. */
  set(sort: DirectorySort): void {
    this.draft.sort ??= sort;
    this.isExpected = false;
  }

  /** @returns false when rows cannot be sorted by the column. */
  setColumn(attribute: string): boolean {
    this.isExpected = false;
    const by = SORTABLE.get(attribute === 'full_name' ? 'name' : attribute);
    if (!by) return false;
    // Sizes are looked at from the largest down, years and names from the first on.
    const isSize = by === 'headcount' || by === 'revenue_usd';
    this.draft.sort = { by, direction: isSize ? 'descending' : 'ascending' };
    return true;
  }

  setDirection(direction: DirectorySort['direction']): void {
    if (this.draft.sort) this.draft.sort = { ...this.draft.sort, direction };
  }
}
