import type { DirectorySort } from '@quarry/directory';

/** Sort columns that differ from the attribute: a size may only have a lower bound. */
const COLUMN: Readonly<Record<string, string>> = { headcount: 'headcount_min' };
const DEFAULT: DirectorySort = { by: 'headcount', direction: 'descending' };

/** @returns comma-separated expressions. Unknown values come last in either direction */
function orderSql({ by, direction }: DirectorySort, prefix: string): string {
  const column = prefix + (COLUMN[by] ?? by);
  return direction === 'ascending' ? `${column} ASC NULLS LAST` : `${column} DESC NULLS LAST`;
}

/** @returns the order of companies; equal ones keep the order of the file */
export function companyOrder(sort: DirectorySort = DEFAULT): string {
  return `${orderSql(sort, '')}, position`;
}

/** @returns the order of people: by level and then by company, or the reverse when an order of companies is requested */
export function personOrder(sort: DirectorySort | undefined): string {
  const ofCompany = `${orderSql(sort ?? DEFAULT, 'company_')}, company_id`;
  return sort ? `${ofCompany}, seniority_rank, position` : `seniority_rank, ${ofCompany}, position`;
}
