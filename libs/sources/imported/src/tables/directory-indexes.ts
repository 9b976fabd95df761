import type { DirectoryKind } from './target-fields.catalogue.js';

/**
 * Index by size; companies of equal size keep the order of the file. The INCLUDE columns allow counting with the index
 * alone.
 */
const BY_SIZE = '(headcount_min DESC NULLS LAST, position) INCLUDE (headcount_max, founded_year)';
const bySizeWithin = (columns: string): string => BY_SIZE.replace('(', `(${columns}, `);

/**
 * Indexes of a directory's table, built after its rows are inserted. Each supports common searches; its cost and benefit
 * were measured with bench/directory-search.bench.mjs.
 */
export const DIRECTORY_INDEXES: Readonly<Record<DirectoryKind, Readonly<Record<string, string>>>> = {
  companies: {
    domain: '(domain)',
    slug: '(linkedin_slug)',
    name: '(name_folded)',
    size: BY_SIZE,
    smallest: '(headcount_min, position) INCLUDE (headcount_max)',
    country: bySizeWithin('country_code'),
    industry: bySizeWithin('industry_id'),
    own_industry: `${bySizeWithin('industry')} WHERE industry_id IS NULL`,
    country_industry: bySizeWithin('country_code, industry_id'),
    city: bySizeWithin('country_code, city'),
    city_industry: bySizeWithin('country_code, city, industry_id'),
    founded: '(founded_year, position)',
    funded: '(funding_amount_usd DESC NULLS LAST, position) WHERE funding_amount_usd IS NOT NULL',
    technologies: "USING gin (technologies) WHERE technologies <> '{}'",
  },
  people: {
    slug: '(linkedin_slug)',
    name: '(full_name_folded)',
    company: '(company_domain, seniority_rank)',
    company_name: '(company_name_folded, seniority_rank)',
    level: '(seniority_rank, company_headcount_min DESC NULLS LAST, company_id, position)',
    role: '(department, seniority, company_headcount_min DESC NULLS LAST)',
    country: '(country_code, department, seniority)',
    company_industry: '(company_industry_id, department, seniority)',
    title: 'USING gin (title_words)',
  },
};
