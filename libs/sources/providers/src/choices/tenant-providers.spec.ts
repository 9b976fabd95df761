import { describe, expect, it, jest } from '@jest/globals';
import { readingOrganisation } from '@quarry/safe-http';
import { SealedSecrets } from '@quarry/app';
import { allServices } from '@quarry/service-catalog';
import { VendorSimulator } from '@quarry/test-servers';
import { ConfiguredProviders } from '../operator/configured-providers.js';
import type { ProviderCall, Waterfall } from '@quarry/engine';
import { TenantProviders } from './tenant-providers.js';
import { bindingOf } from './vendor-choices.js';

const NOTHING_IMPORTED = {
  directoriesOf: async () => ({ companies: [], people: [] }),
  listLookups: async () => [],
  hasHadAny: async () => false,
  vocabularyOf: async () => null,
};
const secrets = new SealedSecrets(['a'.repeat(64)]);
const TENANT = { orgId: 'org_a', mode: 'live' } as const;

const keyOf = (
  text: string,
  vendor = 'people-data-labs',
  tenant: { orgId: string; mode: 'live' } = TENANT,
) => ({ sealed: secrets.sealSecret(bindingOf(tenant, vendor), text), hint: 'key' });

/** @param reads behaviour of each read of the choices; the last one repeats */
function open(...reads: Array<() => Promise<[]>>) {
  let count = 0;
  const list = (): Promise<[]> => reads[Math.min(count++, reads.length - 1)]!();
  const operator = new ConfiguredProviders({ sandbox: true });
  const chosen = new TenantProviders(
    operator,
    { listChoices: list },
    new SealedSecrets([]),
    { warn: () => undefined },
    NOTHING_IMPORTED,
  );
  const ask = (signal = new AbortController().signal) =>
    chosen
      .searcherFor(TENANT)
      .answerCall({
        service: 'getEmail',
        input: { first_name: 'Ada', last_name: 'Okafor', domain: 'halbrook.example' },
        searchId: 'search_1',
        signal,
      });
  return { chosen, ask, reads: () => count };
}

const nothing = (): Promise<[]> => Promise.resolve([]);
const lost = (): Promise<[]> => Promise.reject(new Error('Connection terminated unexpectedly'));

describe('a search', () => {
  it('reads pages on behalf of its organisation, even through another service', async () => {
    const seen: string[] = [];
    const imported = {
      id: 'file',
      services: ['enrichCompany'],
      answerCall: () => {
        seen.push(readingOrganisation());
        return Promise.resolve({ found: true, deep: false, provider: 'file', output: {} });
      },
    };
    const chosen = new TenantProviders(
      new ConfiguredProviders({ sandbox: false }),
      { listChoices: () => Promise.resolve([]) },
      secrets,
      { warn: () => undefined },
      { ...NOTHING_IMPORTED, listLookups: () => Promise.resolve([imported]) },
    );
    const { signal } = new AbortController();
    const found = await chosen.lookupFor('enrichCompany', TENANT);
    await found!.answerCall({ service: 'enrichCompany', input: {}, searchId: 'search_1', signal });
    expect([seen, readingOrganisation()]).toEqual([['org_a'], '']);
  });
});

describe('a search whose provider choices cannot be read', () => {
  it('waits for the database, and is answered', async () => {
    const { ask, reads } = open(lost, nothing);
    expect(await ask()).toMatchObject({ provider: 'sandbox' });
    expect(reads()).toBe(2);
  });

  it('also waits in the middle of a search that calls another service', async () => {
    const { chosen } = open(nothing, lost, nothing);
    const searcher = jest.spyOn(ConfiguredProviders.prototype, 'waterfallFor').mockReturnValue({
      providersOf: () => ['sandbox'],
      answerCall: async (call: ProviderCall) => {
        chosen.forgetTenant(TENANT);
        const lookup = await call.lookupFor!('verifyEmail');
        return { found: lookup !== null, deep: false, provider: 'spec', output: {} };
      },
    } as unknown as Waterfall);
    const call = {
      service: 'getEmail',
      input: {},
      searchId: 'search_1',
      signal: new AbortController().signal,
    };
    expect(await chosen.searcherFor(TENANT).answerCall(call)).toMatchObject({ found: true });
    searcher.mockRestore();
  });

  it('ends with the reason if it is taken away meanwhile', async () => {
    const taken = new AbortController();
    const { ask } = open(() => {
      taken.abort(new Error('taken away'));
      return lost();
    });
    await expect(ask(taken.signal)).rejects.toThrow('taken away');
  });

  it('fails on an internal error, which is not cached', async () => {
    const { ask } = open(() => Promise.reject(new Error('unexpected error')), nothing);
    await expect(ask()).rejects.toThrow('unexpected error');
    expect(await ask()).toMatchObject({ provider: 'sandbox' });
  });
});

describe('an installation that once had a directory', () => {
  it('has no sandbox for live keys in any service, but for test keys', async () => {
    const chosen = new TenantProviders(
      new ConfiguredProviders({ sandbox: true }),
      { listChoices: nothing },
      secrets,
      { warn: () => undefined },
      { ...NOTHING_IMPORTED, hasHadAny: () => Promise.resolve(true) },
    );
    const services = allServices().map(({ name }) => name);
    const live = await chosen.providersFor(TENANT);
    expect(services.filter((service) => live(service).includes('sandbox'))).toEqual([]);
    const call = {
      service: 'getEmail',
      input: { first_name: 'Ada', last_name: 'Okafor', domain: 'halbrook.example' },
      searchId: 'search_1',
      signal: new AbortController().signal,
    };
    await expect(chosen.searcherFor(TENANT).answerCall(call)).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
    expect(await chosen.directoriesFor(TENANT)).toEqual({ companies: null, people: null });
    expect(await chosen.directorySearchFor('searchPeople', TENANT)).toBeNull();
    const test = await chosen.providersFor({ ...TENANT, mode: 'test' });
    expect(services.filter((service) => !test(service).includes('sandbox'))).toEqual([]);
  });
});

describe('provider choices', () => {
  it('are read once for concurrent searches, and again after a change', async () => {
    const { ask, chosen, reads } = open(nothing);
    await Promise.all([ask(), ask(), ask()]);
    expect(reads()).toBe(1);
    chosen.forgetTenant(TENANT);
    await ask();
    expect(reads()).toBe(2);
  });
});

describe('directories of an organisation', () => {
  /** Vendor that responds with the key it received as the name of a company. */
  const played = () =>
    VendorSimulator.start({ key: null, refusal: { status: 401 } }).then((simulator) => {
      simulator.playAlways(() => ({
        body: { data: [{ id: 'c1', display_name: 'Halbrook', website: 'halbrook.example' }], total: 1 },
      }));
      return simulator;
    });

  it.each<[string, object[], Partial<Record<string, string>>, string | null, string | undefined]>([
    ['are those of the operator', [], { PEOPLE_DATA_LABS_KEY: 'k' }, 'people-data-labs', undefined],
    [
      'are searched with its own key, which is billed for it',
      [{ vendor: 'people-data-labs', enabled: true, key: keyOf('own') }],
      { PEOPLE_DATA_LABS_KEY: 'k' },
      'people-data-labs',
      'organisation',
    ],
    [
      'are available through its own key if the operator has none',
      [{ vendor: 'people-data-labs', enabled: true, key: keyOf('own') }],
      {},
      'people-data-labs',
      'organisation',
    ],
    [
      'do not include those it has switched off',
      [{ vendor: 'people-data-labs', enabled: false, key: null }],
      { PEOPLE_DATA_LABS_KEY: 'k' },
      null,
      undefined,
    ],
  ])('%s', async (_, choices, variables, provider, paidBy) => {
    const simulator = await played();
    const operator = new ConfiguredProviders({
      sandbox: false,
      web: { allowHosts: [simulator.host], dnsServers: [] },
      catalogue: {
        file: {
          providers:
            Object.keys(variables).length > 0 ? { 'people-data-labs': { base_url: simulator.url } } : {},
        },
        variable: (name) => variables[name],
      },
    });
    const list = () => Promise.resolve(choices as []);
    const chosen = new TenantProviders(
      operator,
      { listChoices: list },
      secrets,
      { warn: () => undefined },
      NOTHING_IMPORTED,
    );
    const { companies } = await chosen.directoriesFor(TENANT);
    const ids = (await chosen.providersFor(TENANT))('searchCompanies');
    expect(ids).toEqual(provider === null ? [] : [provider]);
    if (Object.keys(variables).length > 0 && provider !== null) {
      const answer = await companies!.searchCompanies({}, { limit: 1 });
      expect([answer.provider, answer.paidBy, answer.items[0]?.name]).toEqual([provider, paidBy, 'Halbrook']);
    }
    await simulator.stop();
  });
});

describe('sandbox data for live keys', () => {
  const off = (vendor: string) => ({ vendor, enabled: false, key: null });
  const lost = (vendor: string) => ({
    vendor,
    enabled: true,
    key: { sealed: 'of another key', hint: 'key' },
  });
  const [PDL, SEARXNG] = [{ PEOPLE_DATA_LABS_KEY: 'k' }, { SEARXNG_URL: 'https://search.example' }];

  it.each<[string, object[], Record<string, string>, string[], string[]]>([
    ['is returned if the operator has no provider', [], {}, ['sandbox'], ['sandbox']],
    [
      'is returned if an own key cannot be read and there is no other provider',
      [lost('apollo')],
      {},
      ['sandbox'],
      ['sandbox'],
    ],
    ['is not returned for services of a vendor', [], PDL, ['people-data-labs'], ['people-data-labs']],
    ['does not replace a vendor that is switched off', [off('people-data-labs')], PDL, [], []],
    ['does not replace a vendor whose own key cannot be read', [lost('people-data-labs')], PDL, [], []],
    ['does not replace a web search that is switched off', [off('searxng')], SEARXNG, [], ['sandbox']],
  ])('%s', async (_, choices, variables, companies, people) => {
    const operator = new ConfiguredProviders({
      sandbox: true,
      web: { allowHosts: [], dnsServers: [] },
      catalogue: { file: {}, variable: (name) => variables[name] },
    });
    const listChoices = () => Promise.resolve(choices as []);
    const chosen = new TenantProviders(
      operator,
      { listChoices },
      secrets,
      { warn: () => undefined },
      NOTHING_IMPORTED,
    );
    const directories = await chosen.directoriesFor(TENANT);
    const named = await chosen.providersFor(TENANT);
    const isThere = async (service: string) => (await chosen.directorySearchFor(service, TENANT)) !== null;
    expect([named('searchCompanies'), named('searchPeople')]).toEqual([companies, people]);
    expect([directories.companies !== null, directories.people !== null]).toEqual([
      companies.length > 0,
      people.length > 0,
    ]);
    expect([await isThere('searchCompanies'), await isThere('searchPeople')]).toEqual([
      companies.length > 0,
      people.length > 0,
    ]);
  });
});

describe('web searches for companies', () => {
  it("are shared between organisations with the operator's engine, and private and billed with an own key", async () => {
    const simulator = await VendorSimulator.start({ key: null, refusal: { status: 401 } });
    simulator.playAlways(() => ({ body: { searchParameters: {}, organic: [], credits: 1 } }));
    const operator = new ConfiguredProviders({
      sandbox: false,
      web: { allowHosts: [simulator.host], dnsServers: [] },
      catalogue: {
        file: { providers: { serper: { base_url: simulator.url } } },
        variable: (name) => (name === 'SERPER_KEY' ? 'k' : undefined),
      },
    });
    const ownKeyOf = (orgId: string) => ({
      vendor: 'serper',
      enabled: true,
      key: keyOf('own', 'serper', { orgId, mode: 'live' }),
    });
    const list = async ({ orgId }: { orgId: string }) => (orgId.startsWith('own') ? [ownKeyOf(orgId)] : []);
    const chosen = new TenantProviders(
      operator,
      { listChoices: list },
      secrets,
      { warn: () => undefined },
      NOTHING_IMPORTED,
    );
    const search = async (orgId: string) => {
      const { companies } = await chosen.directoriesFor({ orgId, mode: 'live' });
      const { paidBy } = await companies!.searchCompanies({ names: ['Halbrook'] }, { limit: 1 });
      return [simulator.calls.length, paidBy];
    };
    expect(await search('own_a')).toEqual([1, 'organisation']);
    expect(await search('own_a')).toEqual([1, 'organisation']);
    expect(await search('own_b')).toEqual([2, 'organisation']);
    expect(await search('org_c')).toEqual([3, undefined]);
    expect(await search('org_d')).toEqual([3, undefined]);
    await simulator.stop();
  });
});

describe('web research for an organisation', () => {
  it.each([
    ['by the operator’s search engine', [], true],
    [
      'by none that the organisation has switched off',
      [{ vendor: 'searxng', enabled: false, key: null }],
      false,
    ],
  ])('searches %s', async (_, choices, isThere) => {
    const found: boolean[] = [];
    const operator = new ConfiguredProviders({
      sandbox: false,
      web: { allowHosts: [], dnsServers: [] },
      catalogue: {
        file: {},
        variable: (name) => (name === 'SEARXNG_URL' ? 'https://search.example' : undefined),
      },
      research: () => ({
        id: 'research',
        services: ['webResearch'],
        answerCall: async ({ lookupFor }) => {
          found.push((await lookupFor!('webSearch')) !== null);
          return { found: false, deep: false, provider: 'research', output: {} };
        },
      }),
    });
    const listChoices = () => Promise.resolve(choices as []);
    const chosen = new TenantProviders(
      operator,
      { listChoices },
      new SealedSecrets([]),
      { warn: () => undefined },
      NOTHING_IMPORTED,
    );
    const { signal } = new AbortController();
    await chosen
      .searcherFor(TENANT)
      .answerCall({ service: 'webResearch', input: {}, searchId: 'search_1', signal });
    expect(found).toEqual([isThere]);
  });
});
