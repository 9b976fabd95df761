// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'directory.firstImport': { params: readonly []; row: { imported_at: Date } };
  'directory.list': {
    params: readonly [];
    row: { kind: 'companies' | 'people'; name: string; number: number };
  };
  'directory.summaries': {
    params: readonly [];
    row: {
      kind: 'companies' | 'people';
      name: string;
      number: number;
      row_count: number;
      rejected_count: number;
      file: string;
      imported_at: Date;
      bytes: string | null;
    };
  };
  'imported-directory.companies': {
    params: readonly [];
    row: {
      id: string;
      industry_id: string | null;
      country_code: string | null;
      name: string;
      domain: string | null;
      website: string | null;
      linkedin_url: string | null;
      industry: string | null;
      description: string | null;
      city: string | null;
      state: string | null;
      country: string | null;
      headcount: number | null;
      founded_year: number | null;
      funding_stage: string | null;
      funding_amount_usd: string | null;
      revenue_usd: string | null;
      business_model: string | null;
      ownership: string | null;
      technologies: ReadonlyArray<string | null>;
      keywords: ReadonlyArray<string | null>;
      is_hiring: boolean | null;
      hiring_departments: ReadonlyArray<string | null>;
      phone: string | null;
    };
  };
  'imported-directory.count': { params: readonly []; row: { total: number | null } };
  'imported-directory.empty': { params: readonly []; row: { keys: ReadonlyArray<string | null> | null } };
  'imported-directory.explained': { params: readonly []; row: { 'QUERY PLAN': unknown } };
  'imported-directory.people': {
    params: readonly [];
    row: {
      id: string;
      country_code: string | null;
      full_name: string;
      first_name: string;
      last_name: string;
      title: string | null;
      seniority: string | null;
      department: string | null;
      city: string | null;
      state: string | null;
      country: string | null;
      linkedin_url: string | null;
      experiences: unknown;
      educations: unknown;
      company_id: string;
      company_industry_id: string | null;
      company_country_code: string | null;
      company_name: string;
      company_domain: string | null;
      company_website: string | null;
      company_linkedin_url: string | null;
      company_industry: string | null;
      company_description: string | null;
      company_city: string | null;
      company_state: string | null;
      company_country: string | null;
      company_headcount: number | null;
      company_founded_year: number | null;
      company_funding_stage: string | null;
      company_funding_amount_usd: string | null;
      company_revenue_usd: string | null;
      company_business_model: string | null;
      company_ownership: string | null;
      company_technologies: ReadonlyArray<string | null>;
      company_keywords: ReadonlyArray<string | null>;
      company_is_hiring: boolean | null;
      company_hiring_departments: ReadonlyArray<string | null>;
      company_phone: string | null;
    };
  };
  'imported-directory.words': {
    params: readonly [];
    row: { city: string | null; country_code: string | null };
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
