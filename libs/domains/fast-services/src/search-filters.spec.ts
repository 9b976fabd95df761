import { describe, expect, it } from '@jest/globals';
import type { CompanyQuery, PeopleQuery } from '@quarry/directory';
import { countryPlace, COUNTRIES, OwnVocabulary, withOwnVocabulary } from '@quarry/vocabulary';
import { SandboxDirectory } from '@quarry/prompt-fixtures';
import { readFilters } from './search-filters.js';

const directory = new SandboxDirectory();
const companies = (input: Record<string, unknown>) => readFilters('searchCompanies', input);
const people = (input: Record<string, unknown>) => readFilters('searchPeople', input);
const countOf = async (input: Record<string, unknown>) =>
  (await directory.searchPeople(people(input).wanted!.query as PeopleQuery, { limit: 1 })).total;

describe('search filters', () => {
  it('accept an industry by name, common word or id, and a group word for all its industries', () => {
    const industries = (word: string) =>
      (companies({ industries: [word] }).wanted!.query as CompanyQuery).industries;
    expect(industries('Fintech')).toEqual(['fintech']);
    expect(industries('SaaS')).toEqual(['software']);
    expect(industries('it_services')).toEqual(['it_services']);
    expect(industries('healthcare')!.length).toBeGreaterThan(1);
  });

  it('accept cities of imported directories, even without a country', () => {
    const own = new OwnVocabulary([
      { kind: 'city', name: 'Palo Alto', countryCode: 'US' },
      { kind: 'city', name: 'Boston', countryCode: null },
    ]);
    const input = { cities: ['palo alto', 'Boston'] };
    expect(companies(input).faults).toHaveLength(1);
    const { wanted, faults } = withOwnVocabulary(own, () => companies(input));
    expect(faults).toEqual([]);
    expect((wanted!.query as CompanyQuery).places!.map(({ id }) => id)).toEqual([
      'US-Palo Alto',
      'US-boston',
      'ZZ-Boston',
    ]);
  });

  it('accept the lines of business of imported directories', () => {
    const own = new OwnVocabulary([{ kind: 'industry', name: 'Tidal Energy', countryCode: null }]);
    const input = { industries: ['tidal energy', 'Fintech'] };
    expect(companies(input).faults.map(({ path }) => path)).toEqual([['industries', 0]]);
    const { wanted, faults } = withOwnVocabulary(own, () => companies(input));
    expect([wanted!.query, faults]).toEqual([{ industries: ['own:Tidal Energy', 'fintech'] }, []]);
  });

  it('accept every country of the directory by name and by code, in any case', () => {
    for (const country of COUNTRIES)
      for (const word of [country.name, country.name.toUpperCase(), country.code, country.code.toLowerCase()])
        expect(companies({ countries: [word] })).toEqual({
          wanted: { entity: 'company', query: { places: [countryPlace(country)] } },
          faults: [],
        });
  });

  it('accept a city that has the name of its country', () => {
    const { query } = companies({ cities: ['Singapore'] }).wanted!;
    expect((query as CompanyQuery).places).toMatchObject([{ kind: 'city', name: 'Singapore' }]);
  });

  it('combine cities and countries as cities in those countries', () => {
    const places = (countries: string[]) =>
      (companies({ countries, cities: ['Berlin', 'Paris'] }).wanted!.query as CompanyQuery).places;
    expect(places(['Germany'])).toMatchObject([{ name: 'Berlin' }]);
    expect(places(['Japan'])).toEqual([]);
  });

  it('accept a lower bound, an upper bound or both', () => {
    const query = (input: Record<string, unknown>) => companies(input).wanted!.query;
    expect(query({ funding_amount_usd_min: 10_000_000 })).toEqual({
      funding_amount_usd: [{ min: 10_000_000, max: null }],
    });
    expect(query({ headcount_min: 5, headcount_max: 9, founded_max: 2000 })).toEqual({
      headcount: [{ min: 5, max: 9 }],
      founded: [{ min: null, max: 2000 }],
    });
  });

  it('name every value that the vocabulary lacks, with its position', () => {
    const { faults } = people({
      industries: ['Fintech', 'Fintehc'],
      countries: ['Europe'],
      cities: ['Atlantis'],
      seniorities: ['king'],
      departments: ['magic'],
      roles: ['!'],
    });
    expect(faults.map(({ path }) => path.join('.')).sort()).toEqual([
      'cities.0',
      'countries.0',
      'departments.0',
      'industries.1',
      'roles.0',
      'seniorities.0',
    ]);
    expect(faults.find(({ path }) => path[0] === 'roles')?.message).toBe('roles[0]: unknown role "!"');
  });

  it('suggest the nearest value of the vocabulary', () => {
    const { faults } = people({ countries: ['Germny'], cities: ['Londno'], seniorities: ['mangaer'] });
    expect(faults.map(({ message }) => message)).toEqual([
      'seniorities[0]: unknown seniority "mangaer"; the nearest: Manager',
      'countries[0]: unknown country "Germny"; the nearest: Germany',
      'cities[0]: unknown city "Londno"; the nearest: London',
    ]);
  });

  it('require roles, levels and departments together', async () => {
    const [vps, sales, both] = await Promise.all([
      countOf({ seniorities: ['VP'] }),
      countOf({ departments: ['sales'] }),
      countOf({ seniorities: ['vp'], departments: ['Sales'] }),
    ]);
    expect(both).toBeGreaterThan(0);
    expect(both).toBeLessThan(Math.min(vps, sales));
    expect(await countOf({ roles: ['VP of Sales'] })).toBe(both);
    expect(await countOf({ roles: ['CTO'], seniorities: ['intern'] })).toBe(0);
  });

  it('search an unknown role word by word in titles', () => {
    expect(people({ roles: ['Chief Happiness Wizard'] }).wanted!.query).toMatchObject({
      roles: [{ titleWords: ['chief', 'happiness', 'wizard'] }],
    });
  });

  it('reduce a URL to its domain', () => {
    expect(companies({ domains: ['https://www.Dunera.example/about'] }).wanted!.query).toEqual({
      domains: ['dunera.example'],
    });
  });

  it('are empty for a service that is not a search', () => {
    expect(readFilters('webSearch', { query: 'x' })).toEqual({ wanted: null, faults: [] });
  });
});
