import { describe, expect, it } from '@jest/globals';
import type { Entity } from '@quarry/plan';
import { contractColumn } from './contract-columns.js';

const sourceOf = (key: string, entity: Entity) => {
  const { source } = contractColumn(
    { key, name: null, kind: null, required: false, qualification: {} },
    entity,
  );
  return source.from === 'directory' ? source.attribute : source.from;
};

describe('a column of an output contract', () => {
  it.each<[Entity, string, string]>([
    ['company', 'companyName', 'name'],
    ['company', 'linkedInUrl', 'linkedin_url'],
    ['person', 'LinkedIn', 'linkedin_url'],
    ['person', 'companyLinkedIn', 'company_linkedin_url'],
    ['company', 'numEmployees', 'headcount'],
    ['company', 'about', 'description'],
    ['company', 'foundedIn', 'founded_year'],
    ['company', 'hiring', 'is_hiring'],
    ['company', 'tech', 'technologies'],
    ['person', 'employer', 'company_name'],
    ['person', 'organization_website', 'company_website'],
    ['person', 'current_company', 'company_name'],
    ['person', 'summary', 'nothing'],
    ['company', 'summary', 'description'],
    ['company', 'organization', 'name'],
    ['company', 'contact_name', 'nothing'],
    ['company', 'person name', 'nothing'],
    ['person', 'contact_name', 'full_name'],
    ['person', 'person city', 'city'],
    ['company', 'startup_name', 'name'],
    ['person', 'firmName', 'company_name'],
    ['company', 'totalFundingUsd', 'funding_amount_usd'],
    ['company', 'primary_industry', 'industry'],
    ['company', 'age', 'nothing'],
    ['company', 'companyAge', 'nothing'],
    ['person', 'company_age', 'nothing'],
    ['person', 'age', 'nothing'],
    ['person', 'company_tech', 'company_technologies'],
    ['person', 'company_totalFundingUsd', 'company_funding_amount_usd'],
    ['company', 'constructor', 'nothing'],
  ])('of a %s with the key %s is %s', (entity, key, attribute) => {
    expect(sourceOf(key, entity)).toBe(attribute);
  });
});
