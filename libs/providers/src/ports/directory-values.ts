import { departmentName, seniorityName, traitName } from '../vocabulary/index.js';
import type { CompanyRecord, PersonRecord } from './directory-record.js';

/** A record as tables and answers show it. */
export type RecordValues = Readonly<Record<string, unknown>>;

/** @returns every attribute of a company by its key, with names instead of catalogue ids. */
export function companyValues(company: CompanyRecord): RecordValues {
  return {
    name: company.name,
    domain: company.domain,
    website: company.website,
    linkedin_url: company.linkedin_url,
    industry: company.industry,
    description: company.description,
    city: company.city,
    state: company.state,
    country: company.country,
    headcount: company.headcount,
    founded_year: company.founded_year,
    funding_stage: company.funding_stage === null ? null : traitName('funding', company.funding_stage),
    revenue_usd: company.revenue_usd,
    business_model: traitName('business_model', company.business_model),
    ownership: traitName('ownership', company.ownership),
    technologies: company.technologies.map((id) => traitName('technology', id)),
    keywords: [...company.keywords],
    is_hiring: company.is_hiring,
    hiring_departments: company.hiring_departments.map(departmentName),
    phone: company.phone,
  };
}

/** @returns every attribute of a person by its key; those of the company carry the prefix `company_`. */
export function personValues(person: PersonRecord): RecordValues {
  const company = Object.entries(companyValues(person.company)).map(([key, value]) => [
    `company_${key}`,
    value,
  ]);
  return {
    full_name: person.full_name,
    first_name: person.first_name,
    last_name: person.last_name,
    title: person.title,
    seniority: seniorityName(person.seniority),
    department: departmentName(person.department),
    city: person.city,
    state: person.state,
    country: person.country,
    linkedin_url: person.linkedin_url,
    experiences: person.experiences,
    educations: person.educations,
    ...(Object.fromEntries(company) as RecordValues),
  };
}
