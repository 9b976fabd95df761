import type { CompanyRecord, DirectorySort, PersonRecord } from '@quarry/directory';
import { SENIORITIES } from '@quarry/vocabulary';

const seniorityRank = new Map<string, number>(SENIORITIES.map(({ id }, rank) => [id, rank]));

/** Orders companies as the port of directories says: by size, largest first, where nothing else is wanted. */
export function compareCompanies(
  a: CompanyRecord,
  b: CompanyRecord,
  sort: DirectorySort | undefined,
): number {
  return compareBy(a, b, sort ?? { by: 'headcount', direction: 'descending' }) || compareText(a.id, b.id);
}

/** Orders people by level and then by their company; the reverse where an order of companies is wanted. */
export function comparePeople(a: PersonRecord, b: PersonRecord, sort: DirectorySort | undefined): number {
  const bySeniority = rankOf(a) - rankOf(b);
  const byCompany = compareCompanies(a.company, b.company, sort);
  return (sort ? byCompany || bySeniority : bySeniority || byCompany) || compareText(a.id, b.id);
}

/** A level that is not known comes last. */
function rankOf({ seniority }: PersonRecord): number {
  return seniorityRank.get(seniority ?? '') ?? SENIORITIES.length;
}

function compareBy(a: CompanyRecord, b: CompanyRecord, { by, direction }: DirectorySort): number {
  const [left, right] = [a[by], b[by]];
  // Unknown values come last in either direction.
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  const order =
    typeof left === 'number' && typeof right === 'number'
      ? left - right
      : compareText(String(left), String(right));
  return direction === 'ascending' ? order : -order;
}

/** Compares by code unit, which, unlike a locale, is the same on every machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @returns so many of each company, the first ones */
export function capPerCompany(people: readonly PersonRecord[], cap: number): PersonRecord[] {
  const counts = new Map<string, number>();
  return people.filter(({ company }) => {
    const count = (counts.get(company.id) ?? 0) + 1;
    counts.set(company.id, count);
    return count <= cap;
  });
}
