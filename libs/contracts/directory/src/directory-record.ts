import type { DepartmentId, SeniorityId } from '@quarry/vocabulary';

/** A company as a directory describes it. Absent knowledge is null, never an empty string. */
export interface CompanyRecord {
  readonly id: string;
  readonly name: string;
  /** Registrable domain, lower case. */
  readonly domain: string | null;
  readonly website: string | null;
  readonly linkedin_url: string | null;
  /** Id of the vocabulary's catalogue of industries; null where the words of `industry` are not in it. */
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
  /** Id of the vocabulary's funding stages; null where no round is known. */
  readonly funding_stage: string | null;
  /** All money raised so far, in whole US dollars; 0 where a company took none, null where it is not known. */
  readonly funding_amount_usd: number | null;
  /** Yearly revenue in whole US dollars. */
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
  /** Null for the present position. */
  readonly end_year: number | null;
}

export interface EducationRecord {
  readonly school: string;
  readonly degree: string;
  readonly field: string;
  readonly end_year: number;
}

/** A person as a directory describes them, with the company they work for now. */
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
