import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { placeNamed, type Role } from '@quarry/vocabulary';
import {
  COMPANY_ATTRIBUTES,
  COMPANY_FILTERS,
  type CompanyFilters,
  type PersonFilters,
} from './attributes/attributes.js';
import { companyMatches, isInRanges, personMatches } from './directory-match.js';
import type { CompanyRecord, PersonRecord } from './directory-record.js';

const EMPTY = Object.fromEntries(
  COMPANY_ATTRIBUTES.map(({ key, kind }) => [key, kind === 'list' ? [] : null]),
) as unknown as CompanyRecord;
const company = (known: Partial<CompanyRecord>): CompanyRecord => ({ ...EMPTY, name: 'Engines', ...known });
const person = (known: Partial<PersonRecord>, of: Partial<CompanyRecord> = {}): PersonRecord =>
  ({
    title: null,
    seniority: null,
    department: null,
    city: null,
    state: null,
    country: null,
    ...known,
    company: company(of),
  }) as PersonRecord;

const range = fc.record({
  min: fc.option(fc.integer({ min: 0, max: 20 })),
  max: fc.option(fc.integer({ min: 0, max: 20 })),
});
const number = fc.option(fc.integer({ min: 0, max: 20 }));
const ids = fc.subarray(['react', 'aws', 'sap']);
const records = fc
  .record({
    headcount: number,
    founded_year: number,
    funding_stage: fc.option(fc.constantFrom('seed', 'series_a')),
    technologies: ids,
    is_hiring: fc.option(fc.boolean()),
    domain: fc.option(fc.constantFrom('a.example', 'b.example')),
    city: fc.option(fc.constantFrom('Berlin', 'Oslo')),
    country: fc.option(fc.constantFrom('Germany', 'Norway')),
  })
  .map(company);
const filters: fc.Arbitrary<CompanyFilters> = fc.record(
  {
    headcount: fc.array(range, { maxLength: 3 }),
    founded: fc.array(range, { maxLength: 2 }),
    funding_stages: fc.subarray(['seed', 'series_a']),
    technologies: ids,
    all_technologies: ids,
    is_hiring: fc.boolean(),
    domains: fc.subarray(['A.example', 'b.example']),
    places: fc.subarray([placeNamed('Berlin')!, placeNamed('Norway')!]),
  },
  { requiredKeys: [] },
);
const vouched = fc.subarray(COMPANY_FILTERS.map(({ name }) => name)).map((names) => new Set<string>(names));

describe('matching a company', () => {
  it('requires every filter, and any value of each', () => {
    fc.assert(
      fc.property(records, filters, (record, wanted) => {
        const each = Object.entries(wanted).map(([name, value]) => companyMatches(record, { [name]: value }));
        expect(companyMatches(record, wanted)).toBe(each.every(Boolean));
        const values = Object.entries(wanted).filter(
          ([name, value]) => Array.isArray(value) && name !== 'all_technologies',
        );
        for (const [name, value] of values)
          expect(companyMatches(record, { [name]: value })).toBe(
            (value as unknown[]).some((one) => companyMatches(record, { [name]: [one] })),
          );
      }),
      { numRuns: 300 },
    );
  });

  it('compares an industry outside the vocabulary by its words, in any case', () => {
    const own = { industries: ['own:Tidal Energy'] };
    const tidal = company({ industry_id: null, industry: 'tidal energy' });
    expect(companyMatches(tidal, own)).toBe(true);
    expect(companyMatches(tidal, { not: [own] })).toBe(false);
    expect(companyMatches(tidal, { industries: ['energy'] })).toBe(false);
    expect(companyMatches(company({ industry_id: null, industry: 'Wind' }), own)).toBe(false);
    expect(companyMatches(company({ industry_id: 'fintech', industry: 'Tidal Energy' }), own)).toBe(false);
  });

  it('requires that no exclusion matches, even if the source vouches for a filter', () => {
    fc.assert(
      fc.property(
        records,
        filters,
        fc.array(filters, { maxLength: 3 }),
        vouched,
        (record, wanted, not, names) => {
          const ruledOut = not.some((each) => companyMatches(record, each));
          expect(companyMatches(record, { not }, names)).toBe(!ruledOut);
          expect(companyMatches(record, { ...wanted, not }, names)).toBe(
            !ruledOut && companyMatches(record, wanted, names),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('trusts a source that vouches for a filter only if the record has no value', () => {
    fc.assert(
      fc.property(records, filters, vouched, (record, wanted, names) => {
        if (companyMatches(record, wanted)) expect(companyMatches(record, wanted, names)).toBe(true);
        const failing = Object.entries(wanted).filter(
          ([name, value]) => !companyMatches(record, { [name]: value }),
        );
        const known = failing.filter(([name]) => {
          const { attributes } = COMPANY_FILTERS.find((each) => each.name === name)!;
          const cells = attributes.map(({ key }) => record[key as keyof CompanyRecord]);
          return cells.some((cell) => cell !== null && !(Array.isArray(cell) && cell.length === 0));
        });
        expect(companyMatches(record, wanted, names)).toBe(
          known.length === 0 && failing.every(([name]) => names.has(name)),
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, Partial<CompanyRecord>, CompanyFilters, boolean]>([
    [
      'an unknown number is in no range, not even an open one',
      {},
      { headcount: [{ min: null, max: null }] },
      false,
    ],
    ['ranges include their ends', { headcount: 50 }, { headcount: [{ min: 50, max: 50 }] }, true],
    [
      'no number is in a range whose minimum exceeds its maximum',
      { headcount: 5 },
      { headcount: [{ min: 9, max: 1 }] },
      false,
    ],
    ['an empty list of ranges matches nothing', { headcount: 5 }, { headcount: [] }, false],
    ['zero is a number', { funding_amount_usd: 0 }, { funding_amount_usd: [{ min: null, max: 0 }] }, true],
    ['a company known not to hire matches', { is_hiring: false }, { is_hiring: false }, true],
    ['a company of which it is unknown does not match as not hiring', {}, { is_hiring: false }, false],
    [
      'one of two technologies matches any of them',
      { technologies: ['aws'] },
      { technologies: ['aws', 'sap'] },
      true,
    ],
    [
      'one of two technologies does not match all of them',
      { technologies: ['aws'] },
      { all_technologies: ['aws', 'sap'] },
      false,
    ],
    ['a part of a name does not match', { name: 'Engines Ltd' }, { names: ['Engines'] }, false],
    [
      'names match regardless of case, accents and punctuation',
      { name: 'Éngines, Ltd.' },
      { names: ['ENGINES LTD'] },
      true,
    ],
    ['names without a letter do not all match each other', { name: '!!!' }, { names: ['???'] }, false],
    ['an empty name matches nothing', { name: '—' }, { names: [''] }, false],
    ['domains match regardless of case', { domain: 'a.example' }, { domains: ['A.EXAMPLE'] }, true],
  ])('%s', (_, known, wanted, holds) => {
    expect(companyMatches(company(known), wanted)).toBe(holds);
  });

  it('handles ranges as they are defined', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), fc.array(range), (value, ranges) => {
        const within = ranges.some(
          (each) => value >= (each.min ?? -Infinity) && value <= (each.max ?? Infinity),
        );
        expect(isInRanges(value, ranges)).toBe(within);
      }),
    );
  });
});

describe('matching a person', () => {
  const role = (known: Partial<Role>): Role => ({
    name: 'x',
    seniorities: [],
    departments: [],
    titleWords: [],
    ...known,
  });

  it.each<[string, Partial<PersonRecord>, PersonFilters, boolean]>([
    ['one of the levels', { seniority: 'vp' }, { roles: [role({ seniorities: ['head', 'vp'] })] }, true],
    ['another level', { seniority: 'manager' }, { roles: [role({ seniorities: ['vp'] })] }, false],
    ['no known level', {}, { roles: [role({ seniorities: ['vp'] })] }, false],
    [
      'level without department',
      { seniority: 'vp' },
      { roles: [role({ seniorities: ['vp'], departments: ['sales'] })] },
      false,
    ],
    [
      'all words of a title',
      { title: 'Wizard of Light Bulbs' },
      { roles: [role({ titleWords: ['light', 'wizard'] })] },
      true,
    ],
    [
      'words within words',
      { title: 'Lighthouse wizards' },
      { roles: [role({ titleWords: ['light', 'wizard'] })] },
      false,
    ],
    ['no title', {}, { roles: [role({ titleWords: ['light'] })] }, false],
    ['any role', {}, { roles: [role({})] }, true],
    [
      'one of two roles',
      { seniority: 'vp' },
      { roles: [role({ titleWords: ['x'] }), role({ seniorities: ['vp'] })] },
      true,
    ],
  ])('compares the role: %s', (_, known, wanted, holds) => {
    expect(personMatches(person(known), wanted)).toBe(holds);
  });

  it('compares the company too, and what a source vouches for applies to only one of the two', () => {
    const ada = person({ city: 'Oslo', country: 'Norway' }, { city: 'Berlin', country: 'Germany' });
    const [oslo, berlin] = [placeNamed('Oslo')!, placeNamed('Berlin')!];
    expect(personMatches(ada, { places: [oslo], company: { places: [berlin] } })).toBe(true);
    expect(personMatches(ada, { places: [berlin] })).toBe(false);
    expect(personMatches(ada, { company: { places: [oslo] } })).toBe(false);
    expect(personMatches(ada, { company: { not: [{ places: [berlin] }] } })).toBe(false);
    expect(personMatches(ada, { not: [{ places: [oslo] }] })).toBe(false);
    const unknown = person({});
    const places = new Set(['places']);
    const none = new Set<string>();
    expect(personMatches(unknown, { places: [oslo] }, { own: places, company: none })).toBe(true);
    expect(personMatches(unknown, { places: [oslo] }, { own: none, company: places })).toBe(false);
    expect(personMatches(unknown, { company: { places: [oslo] } }, { own: none, company: places })).toBe(
      true,
    );
    expect(personMatches(unknown, { company: { places: [oslo] } }, { own: places, company: none })).toBe(
      false,
    );
  });
});
