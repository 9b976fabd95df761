import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { VENTURE_STAGE_IDS } from '@quarry/vocabulary';
import { directoryContract } from '@quarry/testing';
import { SandboxDirectory } from './sandbox-directory.provider.js';

const directory = new SandboxDirectory();
directoryContract('sandbox', directory, {
  findCompany: (key) => directory.companyOf(key),
  findPerson: (key) => directory.personOf(key),
});

/** Hash of all records. Changing it changes the data that every sandbox user sees, so a change must be deliberate. */
const CONTENTS_SHA256 = '782d8d311451e2a76121aff6a2a63192e51bf6bf2af9223de88b6ac110c6cdb0';

function countBy<T>(items: readonly T[], key: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

describe('the fictional directory', () => {
  const companies = directory.companies();
  const people = directory.people();

  it('has exactly 5,000 companies and 20,000 people', () => {
    expect([companies.length, people.length]).toEqual([5000, 20_000]);
  });

  it('is the same in every process', () => {
    const contents = JSON.stringify([
      companies,
      people.map(({ company, ...person }) => [person, company.id]),
    ]);
    expect(createHash('sha256').update(contents).digest('hex')).toBe(CONTENTS_SHA256);
  });

  it('gives every company its own domain, name and LinkedIn URL, and every person their own address', () => {
    for (const key of ['id', 'domain', 'name', 'linkedin_url'] as const)
      expect(new Set(companies.map((company) => company[key])).size).toBe(companies.length);
    expect(new Set(people.map(({ linkedin_url }) => linkedin_url)).size).toBe(people.length);
  });

  it('covers 100 cities, 40 countries, all departments and seniorities', () => {
    expect(countBy(companies, ({ city, country }) => `${city}/${country}`).size).toBe(100);
    expect(countBy(companies, ({ country }) => country).size).toBe(40);
    expect(countBy(companies, ({ industry }) => industry).size).toBeGreaterThanOrEqual(40);
    expect(countBy(people, ({ department }) => department).size).toBe(16);
    expect(countBy(people, ({ seniority }) => seniority).size).toBe(9);
  });

  it('resembles the real economy: the United States first, most firms small', () => {
    const byCountry = [...countBy(companies, ({ country }) => country)].sort((a, b) => b[1] - a[1]);
    expect(byCountry[0]?.[0]).toBe('United States');
    expect((byCountry[0]?.[1] ?? 0) / companies.length).toBeGreaterThan(0.2);
    expect(companies.filter(({ headcount }) => headcount <= 50).length / companies.length).toBeGreaterThan(
      0.5,
    );
    expect(companies.some(({ headcount }) => headcount > 20_000)).toBe(true);
  });

  it('stays within 1 to 50,000 staff and 1900 to 2025', () => {
    expect(companies.every(({ headcount }) => headcount >= 1 && headcount <= 50_000)).toBe(true);
    expect(companies.every(({ founded_year }) => founded_year >= 1900 && founded_year <= 2025)).toBe(true);
  });

  it('has a funding amount for each known stage, rising from stage to stage, and none for bootstrapped firms', () => {
    const raised = (stage: string | null) =>
      companies.flatMap(({ funding_stage, funding_amount_usd }) =>
        funding_stage === stage ? [funding_amount_usd] : [],
      );
    expect(new Set(raised(null))).toEqual(new Set([null]));
    expect(new Set(raised('bootstrapped'))).toEqual(new Set([0]));
    const middles = VENTURE_STAGE_IDS.map((stage) => {
      const sums = raised(stage).map((sum) => sum ?? 0);
      expect(sums.length).toBeGreaterThan(10);
      return sums.sort((a, b) => a - b)[Math.floor(sums.length / 2)] ?? 0;
    });
    expect(middles).toEqual([...middles].sort((a, b) => a - b));
  });

  it('lists no more people of a company than its headcount', () => {
    const listed = countBy(people, ({ company }) => company.id);
    expect(companies.every(({ id, headcount }) => (listed.get(id) ?? 0) <= headcount)).toBe(true);
  });

  it('involves nobody real: domains end in .example, phone numbers are reserved for fiction', () => {
    expect(companies.every(({ domain }) => /^[a-z0-9-]+\.example$/.test(domain))).toBe(true);
    const fictional =
      /^\+(1\d{3}55501\d{2}|442079460\d{3}|6125550\d{4}|3319900\d{4}|493023125\d{3}|468465004\d{2}|3532091\d{5})$/;
    expect(companies.filter(({ phone }) => !fictional.test(phone))).toEqual([]);
  });
});
