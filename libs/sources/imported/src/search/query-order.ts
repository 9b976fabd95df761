import type { DirectorySort } from '@quarry/directory';

/** Columns that order rows where they are not the attribute's own: a size is known by its lower bound as well. */
const COLUMN: Readonly<Record<string, string>> = { headcount: 'headcount_min' };
const DEFAULT: DirectorySort = { by: 'headcount', direction: 'descending' };

/** @returns expressions, parted by commas. Unknown values come last in either direction */
function orderSql({ by, direction }: DirectorySort, prefix: string): string {
  const column = prefix + (COLUMN[by] ?? by);
  return direction === 'ascending' ? `${column} ASC NULLS LAST` : `${column} DESC NULLS LAST`;
}

/** @returns the order of companies; those that are equal stay in the order of the file */
export function companyOrder(sort: DirectorySort = DEFAULT): string {
  return `${orderSql(sort, '')}, position`;
}

/** @returns the order of people: by level and then by their company, or the reverse where an order of companies is wanted */
export function personOrder(sort: DirectorySort | undefined): string {
  const ofCompany = `${orderSql(sort ?? DEFAULT, 'company_')}, company_id`;
  return sort ? `${ofCompany}, seniority_rank, position` : `seniority_rank, ${ofCompany}, position`;
}
