import type {
  CompanyRecord,
  DepartmentId,
  EducationRecord,
  ExperienceRecord,
  PersonRecord,
  SeniorityId,
} from '@quarry/directory';

/** Columns of a company that its record shows. */
export const COMPANY_COLUMNS = [
  'id',
  'name',
  'domain',
  'website',
  'linkedin_url',
  'industry_id',
  'industry',
  'description',
  'city',
  'state',
  'country',
  'country_code',
  'headcount',
  'founded_year',
  'funding_stage',
  'funding_amount_usd',
  'revenue_usd',
  'business_model',
  'ownership',
  'technologies',
  'keywords',
  'is_hiring',
  'hiring_departments',
  'phone',
] as const satisfies ReadonlyArray<keyof CompanyRecord>;

const PERSON_COLUMNS = [
  'id',
  'first_name',
  'last_name',
  'full_name',
  'title',
  'seniority',
  'department',
  'city',
  'state',
  'country',
  'country_code',
  'linkedin_url',
  'experiences',
  'educations',
] as const satisfies ReadonlyArray<keyof PersonRecord>;

/** Lists of columns as statements have them. */
export const COMPANY_SELECT = COMPANY_COLUMNS.join(', ');
export const PERSON_SELECT = [
  ...PERSON_COLUMNS,
  ...COMPANY_COLUMNS.map((column) => `company_${column}`),
].join(', ');

type Row = Readonly<Record<string, unknown>>;

/** Sums are of type bigint, which the driver gives as text. */
const SUMS = new Set<string>(['funding_amount_usd', 'revenue_usd']);

/** @param prefix of the company's columns */
export function companyRecord(row: Row, prefix = ''): CompanyRecord {
  const entries = COMPANY_COLUMNS.map((column) => {
    const value = row[prefix + column] ?? null;
    return [column, SUMS.has(column) && value !== null ? Number(value) : value];
  });
  return Object.fromEntries(entries) as CompanyRecord;
}

export function personRecord(row: Row): PersonRecord {
  const person = Object.fromEntries(PERSON_COLUMNS.map((column) => [column, row[column] ?? null])) as Omit<
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
