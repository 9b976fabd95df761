import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CompanyDirectory,
  companyMatches,
  type CompanyQuery,
  type CompanyRecord,
  type PeopleDirectory,
  type PeopleQuery,
  personMatches,
  type PersonRecord,
} from '@quarry/directory';
import { countryNamed, placeNamed, roleNamed } from '@quarry/vocabulary';
import { AddressGuard, OutboundClient } from '@quarry/safe-http';
import { VendorSimulator, type SimulatedVendorCall, type VendorReply } from '@quarry/test-servers';
import { PolicedProvider, VENDOR_POLICY } from '@quarry/engine';
import { directoryContract } from '@quarry/testing';
import { SandboxDirectory } from '@quarry/prompt-fixtures';
import { apollo } from './apollo.vendor.js';
import { ApolloWorld } from './apollo.world.fixture.js';
import { peopleDataLabs } from './people-data-labs.vendor.js';
import { PeopleDataLabsWorld } from './people-data-labs.world.fixture.js';
import { vendorDirectories } from './vendor-directory.js';
import { VendorProvider } from './vendor.provider.js';
import type { Vendor } from './vendor.js';

const KEY = 'k3y';
const sandbox = new SandboxDirectory();
const companies = sandbox.companies().slice(0, 300);
const staffed = new Set(companies.slice(0, 40).map(({ id }) => id));
const people = sandbox.people().filter(({ company }) => staffed.has(company.id));

interface Scene {
  vendor: Vendor;
  world: { reply(call: SimulatedVendorCall): VendorReply | null };
  /** Returns the number of records that a call is charged for. */
  bought: (call: SimulatedVendorCall) => number;
  /** True when the vendor supports negated filters. */
  saysNot: boolean;
  /** Filters that neither the vendor nor its records can answer. */
  cannot: { companies: CompanyQuery; people: PeopleQuery };
}

const SCENES: readonly Scene[] = [
  {
    vendor: peopleDataLabs,
    world: new PeopleDataLabsWorld(companies, people),
    bought: ({ body }) => (body as { size: number }).size,
    saysNot: true,
    cannot: { companies: { technologies: ['react'] }, people: { company: { not: [{ is_hiring: true }] } } },
  },
  {
    vendor: apollo,
    world: new ApolloWorld(companies, people),
    bought: ({ body }) => {
      const { domains, details } = body as { domains?: unknown[]; details?: unknown[] };
      return (domains ?? details ?? []).length;
    },
    saysNot: false,
    cannot: { companies: { business_models: ['b2b'] }, people: { company: { names: ['Halbrook'] } } },
  },
];

const place = (name: string) => placeNamed(name)!;
const role = (name: string) => roleNamed(name)!;
const within = (min: number | null, max: number | null) => [{ min, max }];

const COMPANY_QUERIES: ReadonlyArray<readonly [string, CompanyQuery]> = [
  ['everything', {}],
  ['countries', { places: [place('Germany'), place('France')] }],
  ['a region', { places: [place('dach')] }],
  ['a city and a state', { places: [place('Munich'), place('California')] }],
  [
    'an industry in a size',
    { industries: ['software'], headcount: [...within(10, 500), ...within(5000, null)] },
  ],
  ['a year', { founded: within(1990, 2010) }],
  ['a domain and a name', { domains: [companies[3]!.domain], names: [companies[3]!.name] }],
  ['money raised', { funding_amount_usd: within(1_000_000, null), funding_stages: ['series_a', 'seed'] }],
  ['traded shares', { ownerships: ['public'] }],
  [
    'what is ruled out',
    {
      places: [place('United States')],
      not: [{ industries: ['software'] }, { headcount: within(null, 50) }],
    },
  ],
];
const PEOPLE_QUERIES: ReadonlyArray<readonly [string, PeopleQuery]> = [
  ['everybody', {}],
  ['roles', { roles: [role('CTO'), role('heads of sales')] }],
  ['a title by its words', { roles: [role('software engineer')] }],
  ['places', { places: [place('United States')] }],
  ['one name', { names: [people[5]!.full_name] }],
  ['employers', { company: { places: [place('United States')], headcount: within(50, null) } }],
  [
    'what is ruled out',
    { not: [{ roles: [role('CEO')] }], company: { not: [{ industries: ['software'] }] } },
  ],
];

describe.each(SCENES.map((scene) => [scene.vendor.id, scene] as const))(
  '%s as a directory',
  (id, { vendor, world, bought, saysNot, cannot }) => {
    let simulator: VendorSimulator;
    /** Creates a directory that has not made any call yet. */
    const opened = (): CompanyDirectory & PeopleDirectory => {
      const client = new OutboundClient(new AddressGuard({ allowHosts: [simulator.host] }), 'Quarry');
      const setup = { vendor, key: KEY, baseUrl: simulator.url, settings: {}, services: [] };
      const provider = new PolicedProvider(new VendorProvider(setup, client), VENDOR_POLICY);
      const { companies: ofCompanies, people: ofPeople } = vendorDirectories(vendor, provider);
      simulator.playAlways((call) => world.reply(call));
      return {
        ...ofCompanies!,
        ...ofPeople!,
        cannotTell: (query: CompanyQuery & PeopleQuery) =>
          'company' in query ? ofPeople!.cannotTell!(query) : ofCompanies!.cannotTell!(query),
      };
    };
    const spent = () => simulator.calls.reduce((sum, call) => sum + bought(call), 0);
    let whole: CompanyDirectory & PeopleDirectory;
    beforeAll(async () => {
      simulator = await VendorSimulator.start({
        key: { header: vendor.key!.header, prefix: vendor.key!.prefix, value: KEY },
        refusal: { status: 401 },
      });
      whole = opened();
    });
    afterAll(() => simulator.stop());

    // Filled in once the vendor exists: the contract needs a directory before any hook has run.
    directoryContract(id, {
      provider: id,
      searchCompanies: (query, options) => whole.searchCompanies(query, options),
      searchPeople: (query, options) => whole.searchPeople(query, options),
    });

    const domains = (items: readonly CompanyRecord[]) => items.map(({ domain }) => domain).sort();
    const names = (items: readonly PersonRecord[]) => items.map(({ full_name }) => full_name).sort();

    it.each(COMPANY_QUERIES)('finds every company, and no other, by %s', async (_, query) => {
      const wanted = companies.filter((each) => companyMatches(each, query));
      const { items, total } = await opened().searchCompanies(query, { limit: 400 });
      expect([domains(items), total]).toEqual([domains(wanted), wanted.length]);
      expect(wanted.length).toBeGreaterThan(0);
      expect(simulator.unexpectedCalls).toEqual([]);
    });

    it.each(PEOPLE_QUERIES)('finds every person, and no other, by %s', async (_, query) => {
      const wanted = people.filter((each) => personMatches(each, query));
      const { items } = await opened().searchPeople(query, { limit: 400 });
      expect(names(items)).toEqual(names(wanted));
      expect(wanted.length).toBeGreaterThan(0);
    });

    it("buys only the requested records if the vendor supports all filters, and returns the vendor's total", async () => {
      const query = { places: [place('United States')] };
      const total = companies.filter((each) => companyMatches(each, query)).length;
      const answer = await opened().searchCompanies(query, { limit: 5 });
      expect([answer.items.length, answer.total, answer.isTotalEstimated]).toEqual([5, total, undefined]);
      expect(spent()).toBe(5);
    });

    it('returns bought records again for free, and appends pages to them', async () => {
      const query = { places: [place('United States')] };
      const directory = opened();
      const [first, same] = await Promise.all(
        [5, 5].map((limit) => directory.searchCompanies(query, { limit })),
      );
      expect(same).toEqual(first);
      const second = await directory.searchCompanies(query, { limit: 5, offset: 5 });
      const ids = [...first!.items, ...second.items].map((each) => each.id);
      expect([new Set(ids).size, spent()]).toEqual([10, 10]);
    });

    it('buys more if records do not match, up to a limit for all repetitions', async () => {
      const never = { not: [{}] };
      const directory = opened();
      for (let repeat = 0; repeat < 3; repeat += 1)
        await expect(directory.searchCompanies(never, { limit: 6 })).rejects.toMatchObject({
          code: 'provider_rejected',
          message: 'None of the first 30 companies found matches all filters. Narrow the filters.',
        });
      expect(spent()).toBe(30);
      // At least 20 for a search that requests fewer.
      const other = opened();
      await expect(other.searchPeople(never, { limit: 1 })).rejects.toThrow('None of the first 20 people');
      expect(spent()).toBe(20);
    });

    it("returns the vendor's total as exact only if the vendor supports the exclusion", async () => {
      const all = companies.filter((each) => companyMatches(each, { places: [place('United States')] }));
      const query = { places: [place('United States')], not: [{ domains: [all.at(-1)!.domain!] }] };
      const { items, total, isTotalEstimated } = await opened().searchCompanies(query, { limit: 5 });
      expect([items.length, isTotalEstimated]).toEqual([5, saysNot ? undefined : true]);
      if (saysNot) expect(total).toBe(all.length - 1);
    });

    it('buys replacements for records that the caller excludes', async () => {
      const directory = opened();
      const [first] = (await directory.searchCompanies({}, { limit: 2 })).items;
      const rest = await directory.searchCompanies(
        {},
        { limit: 2, exclude: (each) => each.id === first!.id },
      );
      expect([rest.items.length, rest.total]).toEqual([2, companies.length - 1]);
      expect(spent()).toBe(3);
    });

    it('names the filters it does not support, and buys nothing for them', async () => {
      const directory = opened();
      expect(directory.cannotTell!(cannot.companies).length).toBe(1);
      expect(directory.cannotTell!(cannot.people as never).length).toBe(1);
      expect((await directory.searchCompanies(cannot.companies, { limit: 5 })).total).toBe(0);
      expect((await directory.searchCompanies({ industries: [] }, { limit: 5 })).total).toBe(0);
      expect(simulator.calls).toEqual([]);
      expect(directory.cannotTell!({ places: [countryNamed('DE')!] })).toEqual([]);
    });

    it('resumes after a failed call with the records already paid', async () => {
      const directory = opened();
      await directory.searchCompanies({}, { limit: 3 });
      simulator.playAlways(() => ({ status: 500 }));
      await expect(directory.searchCompanies({}, { limit: 6 })).rejects.toMatchObject({
        code: 'provider_error',
      });
      simulator.playAlways((call) => world.reply(call));
      expect((await directory.searchCompanies({}, { limit: 6 })).items.length).toBe(6);
      expect(spent()).toBe(3);
    });

    it('is aborted with its caller', async () => {
      const abort = new AbortController();
      const directory = opened();
      simulator.playAlways(() => ({ hangs: true }));
      const first = directory.searchCompanies({}, { limit: 1, signal: abort.signal });
      const second = directory.searchCompanies({}, { limit: 1, signal: abort.signal });
      abort.abort(new Error('too late'));
      await expect(first).rejects.toThrow('too late');
      await expect(second).rejects.toThrow('too late');
    });
  },
);
