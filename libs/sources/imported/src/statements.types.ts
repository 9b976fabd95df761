// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { Flag, Num, Text, Texts, Typed } from '@quarry/postgres';

interface StatementTypes {
  'directory.firstImport': Typed<[], { imported_at: Date }>;
  'directory.list': Typed<[], { kind: 'companies' | 'people'; name: string; number: number }>;
  'directory.summaries': Typed<
    [],
    {
      kind: 'companies' | 'people';
      name: string;
      number: number;
      row_count: number;
      rejected_count: number;
      file: string;
      imported_at: Date;
      bytes: Text;
    }
  >;
  'imported-directory.companies': Typed<
    [],
    {
      id: string;
      industry_id: Text;
      country_code: Text;
      name: string;
      domain: Text;
      website: Text;
      linkedin_url: Text;
      industry: Text;
      description: Text;
      city: Text;
      state: Text;
      country: Text;
      headcount: Num;
      founded_year: Num;
      funding_stage: Text;
      funding_amount_usd: Text;
      revenue_usd: Text;
      business_model: Text;
      ownership: Text;
      technologies: ReadonlyArray<string | null>;
      keywords: ReadonlyArray<string | null>;
      is_hiring: Flag;
      hiring_departments: ReadonlyArray<string | null>;
      phone: Text;
    }
  >;
  'imported-directory.count': Typed<[], { total: Num }>;
  'imported-directory.empty': Typed<[], { keys: Texts }>;
  'imported-directory.explained': Typed<[], { 'QUERY PLAN': unknown }>;
  'imported-directory.people': Typed<
    [],
    {
      id: string;
      country_code: Text;
      full_name: string;
      first_name: string;
      last_name: string;
      title: Text;
      seniority: Text;
      department: Text;
      city: Text;
      state: Text;
      country: Text;
      linkedin_url: Text;
      experiences: unknown;
      educations: unknown;
      company_id: string;
      company_industry_id: Text;
      company_country_code: Text;
      company_name: string;
      company_domain: Text;
      company_website: Text;
      company_linkedin_url: Text;
      company_industry: Text;
      company_description: Text;
      company_city: Text;
      company_state: Text;
      company_country: Text;
      company_headcount: Num;
      company_founded_year: Num;
      company_funding_stage: Text;
      company_funding_amount_usd: Text;
      company_revenue_usd: Text;
      company_business_model: Text;
      company_ownership: Text;
      company_technologies: ReadonlyArray<string | null>;
      company_keywords: ReadonlyArray<string | null>;
      company_is_hiring: Flag;
      company_hiring_departments: ReadonlyArray<string | null>;
      company_phone: Text;
    }
  >;
  'imported-directory.words': Typed<[], { city: Text; country_code: Text }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
