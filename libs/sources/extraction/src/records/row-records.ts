import {
  COMPANY_ATTRIBUTES,
  COMPANY_KEYS,
  type CompanyRecord,
  type EducationRecord,
  type ExperienceRecord,
  PERSON_KEYS,
  type PersonRecord,
} from '@quarry/directory';
import type { DepartmentId, SeniorityId } from '@quarry/vocabulary';

type Row = Readonly<Record<string, unknown>>;

/** Columns of type bigint, which the driver returns as text. */
const SUMS = new Set<string>(
  COMPANY_ATTRIBUTES.filter(({ measure }) => measure?.unit === 'usd').map(({ key }) => key),
);

/** @param prefix of the company's columns */
export function companyRecord(row: Row, prefix = ''): CompanyRecord {
  const entries = COMPANY_KEYS.map((column) => {
    const value = row[prefix + column] ?? null;
    return [column, SUMS.has(column) && value !== null ? Number(value) : value];
  });
  return Object.fromEntries(entries) as CompanyRecord;
}

export function personRecord(row: Row): PersonRecord {
  const person = Object.fromEntries(PERSON_KEYS.map((column) => [column, row[column] ?? null])) as Omit<
    PersonRecord,
    'company'
  > & {
    seniority: SeniorityId | null;
    department: DepartmentId | null;
    experiences: ExperienceRecord[];
    educations: EducationRecord[];
  };
  return { ...person, company: companyRecord(row, 'company_') };
}
