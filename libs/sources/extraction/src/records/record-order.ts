import type { CompanyRecord, DirectorySort, PersonRecord } from '@quarry/directory';
import { SENIORITIES } from '@quarry/vocabulary';

const seniorityRank = new Map<string, number>(SENIORITIES.map(({ id }, rank) => [id, rank]));

/** Compares companies in the order defined by the directory port: by default by size, largest first. */
export function compareCompanies(
  a: CompanyRecord,
  b: CompanyRecord,
  sort: DirectorySort | undefined,
): number {
  return compareBy(a, b, sort ?? { by: 'headcount', direction: 'descending' }) || compareText(a.id, b.id);
}

/** Compares people by level and then by company; the reverse when an order of companies is requested. */
export function comparePeople(a: PersonRecord, b: PersonRecord, sort: DirectorySort | undefined): number {
  const bySeniority = rankOf(a) - rankOf(b);
  const byCompany = compareCompanies(a.company, b.company, sort);
  return (sort ? byCompany || bySeniority : bySeniority || byCompany) || compareText(a.id, b.id);
}

/** Returns the rank of a person's level; unknown levels come last. */
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

/** Compares by code unit, which, unlike a locale, gives the same result on every machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @returns the first `cap` people of each company */
export function capPerCompany(people: readonly PersonRecord[], cap: number): PersonRecord[] {
  const counts = new Map<string, number>();
  return people.filter(({ company }) => {
    const count = (counts.get(company.id) ?? 0) + 1;
    counts.set(company.id, count);
    return count <= cap;
  });
}
