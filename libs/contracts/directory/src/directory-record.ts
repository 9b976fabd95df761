import type { DepartmentId, SeniorityId } from '@quarry/vocabulary';

/** Company as a directory describes it. Unknown values are null, never an empty string. */
export interface CompanyRecord {
  readonly id: string;
  readonly name: string;
  /** Registrable domain, lower case. */
  readonly domain: string | null;
  readonly website: string | null;
  readonly linkedin_url: string | null;
  /** Id in the vocabulary's catalogue of industries; null when `industry` is not in it. */
  readonly industry_id: string | null;
  readonly industry: string | null;
  readonly description: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly country_code: string | null;
  /** Number of staff. */
  readonly headcount: number | null;
  readonly founded_year: number | null;
  /** Id of the vocabulary's funding stages; null when no round is known. */
  readonly funding_stage: string | null;
  /** Total funding so far in whole US dollars; 0 for a company without funding, null when unknown. */
  readonly funding_amount_usd: number | null;
  /** Annual revenue in whole US dollars. */
  readonly revenue_usd: number | null;
  readonly business_model: string | null;
  readonly ownership: string | null;
  /** Ids of the vocabulary's technologies. */
  readonly technologies: readonly string[];
  readonly keywords: readonly string[];
  readonly is_hiring: boolean | null;
  /** Departments with open positions; empty when the company is not hiring. */
  readonly hiring_departments: readonly DepartmentId[];
  /** E.164 number of the switchboard. */
  readonly phone: string | null;
}

export interface ExperienceRecord {
  readonly title: string;
  readonly company: string;
  readonly company_domain: string | null;
  readonly start_year: number;
  /** Null for a current position. */
  readonly end_year: number | null;
}

export interface EducationRecord {
  readonly school: string;
  readonly degree: string;
  readonly field: string;
  readonly end_year: number;
}

/** Person as a directory describes them, with their current company. */
export interface PersonRecord {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly full_name: string;
  readonly title: string | null;
  readonly seniority: SeniorityId | null;
  readonly department: DepartmentId | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly country_code: string | null;
  readonly linkedin_url: string | null;
  readonly experiences: readonly ExperienceRecord[];
  readonly educations: readonly EducationRecord[];
  readonly company: CompanyRecord;
}
