import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type CompanyDirectory,
  type CompanyKey,
  companyMatches,
  type CompanyQuery,
  type CompanyRecord,
  type PeopleDirectory,
  type PersonKey,
  type PersonRecord,
  personMatches,
} from '@quarry/directory';
import { COUNTRIES, countryPlace, INDUSTRIES, type Role, roleAt, SENIORITIES } from '@quarry/vocabulary';

const ranges = fc
  .tuple(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 3000 }))
  .map(([a, b]) => [{ min: Math.min(a, b), max: Math.max(a, b) }]);
const years = fc
  .tuple(fc.integer({ min: 1900, max: 2025 }), fc.integer({ min: 1900, max: 2025 }))
  .map(([a, b]) => [{ min: Math.min(a, b), max: Math.max(a, b) }]);
const filters = fc.record(
  {
    industries: fc.subarray(
      INDUSTRIES.map(({ id }) => id),
      { minLength: 1, maxLength: 5 },
    ),
    places: fc.subarray(COUNTRIES.map(countryPlace), { minLength: 1, maxLength: 8 }),
    headcount: ranges,
    founded: years,
    is_hiring: fc.boolean(),
  },
  { requiredKeys: [] },
);
const queries: fc.Arbitrary<CompanyQuery> = fc
  .record({
    wanted: filters,
    ruledOut: fc.array(
      filters.filter((one) => Object.keys(one).length > 0),
      { maxLength: 2 },
    ),
  })
  .map(({ wanted, ruledOut }) => ({ ...wanted, not: ruledOut }));

/** Reads of a directory that also finds one company or person by key. */
interface Lookups {
  findCompany(key: CompanyKey): CompanyRecord | null | Promise<CompanyRecord | null>;
  findPerson(key: PersonKey): PersonRecord | null | Promise<PersonRecord | null>;
}

/** Tests the guarantees of every directory. Run it against each implementation of the ports. */
export function directoryContract(
  name: string,
  directory: CompanyDirectory & PeopleDirectory,
  lookups?: Lookups,
): void {
  describe(`directory contract: ${name}`, () => {
    it('names its provider and gives only companies that honour the query', async () => {
      await fc.assert(
        fc.asyncProperty(queries, async (query) => {
          const answer = await directory.searchCompanies(query, { limit: 40 });
          expect(answer.provider).toBe(directory.provider);
          expect(answer.items.length).toBe(Math.min(40, answer.total));
          expect(answer.items.every((company) => companyMatches(company, query))).toBe(true);
        }),
        { numRuns: 60, seed: 7 },
      );
    });

    it('gives only people who honour the query, at most so many of one company', async () => {
      const roles = [roleAt(['cto'], 0), roleAt(['heads', 'of', 'sales'], 0)].map(
        (match) => match?.meaning as Role,
      );
      await fc.assert(
        fc.asyncProperty(
          queries,
          fc.subarray(roles, { minLength: 1 }),
          fc.integer({ min: 1, max: 3 }),
          async (company, wanted, cap) => {
            const query = { company, roles: wanted, per_company: cap };
            const { items } = await directory.searchPeople(query, { limit: 60 });
            expect(items.every((person) => personMatches(person, query))).toBe(true);
            const counts = items.map(
              ({ company: { id } }) => items.filter((other) => other.company.id === id).length,
            );
            expect(Math.max(0, ...counts)).toBeLessThanOrEqual(cap);
          },
        ),
        { numRuns: 25, seed: 7 },
      );
    });

    it('gives the same order each time, and pages that join without gap or repeat', async () => {
      const whole = await directory.searchCompanies({}, { limit: 60 });
      const pages = await Promise.all(
        [0, 20, 40].map((offset) => directory.searchCompanies({}, { limit: 20, offset })),
      );
      expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(
        whole.items.map(({ id }) => id),
      );
    });

    it('takes the most senior people of each company where only so many are wanted', async () => {
      const rank = ({ seniority }: { seniority: string | null }) =>
        SENIORITIES.findIndex(({ id }) => id === seniority);
      for (const sort of [undefined, { by: 'headcount', direction: 'ascending' } as const]) {
        const options = { limit: 200, ...(sort ? { sort } : {}) };
        const { items } = await directory.searchPeople({ per_company: 1 }, options);
        for (const person of items.slice(0, 40)) {
          const company = { domains: [person.company.domain!] };
          const colleagues = await directory.searchPeople({ company }, { limit: 100 });
          expect(rank(person)).toBe(Math.min(...colleagues.items.map(rank)));
        }
      }
    });

    it('puts what is not known last, in either direction', async () => {
      for (const direction of ['ascending', 'descending'] as const) {
        const options = { limit: 5000, sort: { by: 'funding_amount_usd', direction } } as const;
        const { items } = await directory.searchCompanies({}, options);
        const amounts = items.map(({ funding_amount_usd: amount }) => amount);
        const known = amounts.filter((amount) => amount !== null);
        const sign = direction === 'ascending' ? 1 : -1;
        expect(known.length).toBeGreaterThan(0);
        expect(known.length).toBeLessThan(amounts.length);
        expect(amounts.slice(0, known.length)).toEqual([...known].sort((a, b) => sign * (a - b)));
      }
    });

    it('leaves out what the caller excludes, also from the total', async () => {
      const all = await directory.searchCompanies({}, { limit: 5 });
      const first = all.items[0]?.id;
      const rest = await directory.searchCompanies({}, { limit: 5, exclude: ({ id }) => id === first });
      expect(rest.total).toBe(all.total - 1);
      expect(rest.items.map(({ id }) => id)).not.toContain(first);
    });

    if (!lookups) return;
    it('finds a company by domain, web address and LinkedIn address, and null for an unknown one', async () => {
      const { items } = await directory.searchCompanies({}, { limit: 3 });
      for (const company of items) {
        expect((await lookups.findCompany({ domain: company.domain! }))?.id).toBe(company.id);
        expect((await lookups.findCompany({ domain: company.website! }))?.id).toBe(company.id);
        expect((await lookups.findCompany({ linkedin_url: `${company.linkedin_url}/` }))?.id).toBe(
          company.id,
        );
      }
      expect(await lookups.findCompany({ domain: 'nobody.invalid' })).toBeNull();
    });

    it('finds a person by LinkedIn address, and by both names with domain or company', async () => {
      const { items } = await directory.searchPeople({ per_company: 1 }, { limit: 5 });
      for (const person of items) {
        const { first_name, last_name, company } = person;
        expect((await lookups.findPerson({ linkedin_url: person.linkedin_url! }))?.id).toBe(person.id);
        const named = await lookups.findPerson({ first_name, last_name, domain: company.domain! });
        expect(named?.full_name).toBe(person.full_name);
        expect((await lookups.findPerson({ first_name, last_name, company: company.name }))?.company.id).toBe(
          company.id,
        );
      }
      expect(
        await lookups.findPerson({ first_name: 'Nobody', last_name: 'Atall', domain: 'nobody.invalid' }),
      ).toBeNull();
    });
  });
}
