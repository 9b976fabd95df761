import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NameServer, VendorSimulator } from '@quarry/test-servers';
import {
  type DirectorySearchCall,
  type LookupProvider,
  ProviderFailure,
  type ProviderCall,
  Waterfall,
  ProviderSettingsError,
  readProvidersFile,
} from '@quarry/engine';
import { lookupOffer } from '../routes/offer.js';
import { NO_CHOICES } from '../routes/service-route.js';
import { ConfiguredProviders, type ProviderSettings } from './configured-providers.js';
import { SandboxDirectory } from '@quarry/sandbox';
import { vendorsOf } from '@quarry/vendors';
import { wordTable } from '@quarry/vocabulary';

const KEYS: Readonly<Record<string, string>> = {
  HUNTER_KEY: 'k1',
  FINDYMAIL_KEY: 'k2',
  OTHER_KEY: 'k3',
  BAD_KEY: 'a b',
};
const web = {
  allowHosts: ['127.0.0.1:9'],
  dnsServers: [],
  mail: null,
  boardUrls: {},
  newsFeedUrl: null,
  browser: null,
};
const own = {
  id: 'acme',
  baseUrl: 'https://acme.example',
  key: 'k',
  services: ['getPhoneNumber'],
  concurrency: 1,
};

async function providersWith(
  file: string,
  settings: Partial<ProviderSettings> = {},
  variables = KEYS,
): Promise<ConfiguredProviders> {
  const catalogue = { file: await readProvidersFile(file), variable: (name: string) => variables[name] };
  return new ConfiguredProviders({ sandbox: true, web, catalogue, ...settings });
}

/** Returns the providers that are asked for a live key, in their order. */
const listed = (providers: ConfiguredProviders, service: string) =>
  providers.waterfallFor('live').providersOf(service);

async function faultsOf(
  file: string | object,
  settings: Partial<ProviderSettings> = {},
  variables = KEYS,
): Promise<readonly string[]> {
  try {
    await providersWith(typeof file === 'string' ? file : JSON.stringify(file), settings, variables);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ProviderSettingsError);
    return (error as ProviderSettingsError).faults;
  }
}

describe('providers without a provider file', () => {
  it("are those that need no key, the operator's own, those with a key, and the sandbox for the rest", async () => {
    const providers = await providersWith('', { vendor: own });
    const of = (service: string) => listed(providers, service);
    expect(of('getEmail')).toEqual(['web', 'hunter', 'findymail']);
    // Fiction must never follow a miss of a real provider.
    expect(of('getPhoneNumber')).toEqual(['web', 'acme', 'findymail']);
    expect(of('webResearch')).toEqual(['sandbox']);
    expect(of('scrapeUrl')).toEqual(['web', 'sandbox']);
    expect(of('verifyEmail').at(-1)).toBe('hunter');
    expect(of('webSearch')).toEqual([]);
    expect(listed(await providersWith('', { sandbox: false }), 'webResearch')).toEqual([]);
  });

  it('start with the language model, if there is one, and then rules', async () => {
    const reading = () => ({ id: 'model', services: ['extractData', 'classifyText'], answerCall: never });
    const providers = await providersWith('', { reading });
    expect(listed(providers, 'extractData')).toEqual(['model', 'web', 'sandbox']);
    expect(listed(providers, 'classifyText')).toEqual(['model', 'rules', 'sandbox']);
    expect(listed(await providersWith(''), 'classifyText')).toEqual(['rules', 'sandbox']);
  });

  it('are the sandbox alone for test keys', async () => {
    const providers = await providersWith('', { vendor: own });
    expect(providers.waterfallFor('test').providersOf('getEmail')).toEqual(['sandbox']);
    expect(providers.waterfallFor('test').providersOf('verifyEmail')).toEqual(['sandbox']);
  });

  it('are not asked for addresses that would not be accepted', async () => {
    const keys = { ...KEYS, PEOPLE_DATA_LABS_KEY: 'k4' };
    expect(listed(await providersWith('', {}, keys), 'getEmail')).not.toContain('people-data-labs');
    const file = 'accept: { getEmail: [verified, catch_all, unverified] }';
    expect(listed(await providersWith(file, {}, keys), 'getEmail')).toContain('people-data-labs');
  });
});

describe('sandbox data and real data', () => {
  const REAL = ['findymail', 'prospeo', 'people-data-labs'];
  const ADA = { first_name: 'Ada', last_name: 'Lovelace' };
  const [person] = new SandboxDirectory().people();
  const { first_name, last_name, linkedin_url, company } = person!;
  /** Settings without a name server: a provider that is called over the network fails at once. */
  const offline = { web: { ...web, dnsServers: ['127.0.0.1:9'] } };

  const searchWith = async (settings: Partial<ProviderSettings> = {}): Promise<Waterfall> =>
    (await providersWith('', { ...offline, ...settings }, {})).waterfallFor('live');

  /** @returns the provider that was called for an input of a live key; an error code when none was */
  async function taker(search: Waterfall, input: Record<string, unknown>): Promise<string> {
    const call = { service: 'getEmail', input, searchId: 'svcjob_1', signal: AbortSignal.timeout(60_000) };
    const { trail = [], code } = await search.answerCall(call).then(
      (answer) => ({ ...answer, code: 'none' }),
      (error: ProviderFailure) => error,
    );
    return trail.find(({ outcome }) => outcome !== 'skipped')?.provider ?? code;
  }

  it('are separate without a vendor: each input is looked up in exactly one of the two', async () => {
    expect(listed(await providersWith('', {}, {}), 'getEmail')).toEqual(['web', 'sandbox']);
    const search = await searchWith();
    for (const input of [
      ...['acme.example', 'https://acme.test/', 'acme.invalid'].map((domain) => ({ ...ADA, domain })),
      { ...ADA, company: 'Acme', domain: 'flaky.sandbox.test' },
      { first_name, last_name, company: company.name },
      { first_name, last_name, domain: company.domain },
      { linkedin_url },
      { linkedin_url: 'https://www.linkedin.com/in/sandbox-nobody-there' },
      { first_name, last_name, company: company.name, linkedin_url },
    ])
      expect([input, await taker(search, input)]).toEqual([input, 'sandbox']);
    for (const input of [
      { ...ADA, domain: 'acme.com' },
      { ...ADA, company: 'Acme' },
      // A profile of the directory with a person or a company that is not in it.
      { ...ADA, company: company.name, linkedin_url },
      { first_name, last_name, company: 'Siemens AG', linkedin_url },
      // The name of a person of the directory, at a domain that is not in it.
      { first_name, last_name, company: company.name, domain: 'acme.com' },
    ])
      expect([input, await taker(search, input)]).toEqual([input, 'web']);
    // An input that is not enough for the web gets no fiction, but the names of the providers that could help.
    for (const input of [
      { linkedin_url: 'https://www.linkedin.com/in/nobody-there-1815' },
      { ...ADA, domain: 'gmail.com' },
    ])
      expect([input, await taker(search, input)]).toEqual([input, 'provider_rejected']);
  });

  const PROFILE = 'https://www.linkedin.com/in/';
  it.each<[service: string, input: Record<string, unknown>]>([
    ['enrichCompany', { domain: 'stripe.com' }],
    ['findDomain', { company: 'Stripe' }],
    ['detectTech', { domain: 'stripe.com' }],
    ['scrapeUrl', { url: 'https://stripe.com' }],
    ['verifyEmail', { email: 'ada@stripe.com' }],
  ])('are separate in web services: the sandbox is skipped in %s of %j', async (service, input) => {
    const call = { service, input, searchId: 'svcjob_1', signal: AbortSignal.timeout(60_000) };
    const { trail } = await (await searchWith()).answerCall(call).catch((error: ProviderFailure) => error);
    expect(trail!.map(({ provider, outcome }) => provider === 'sandbox' && outcome)).toEqual([
      false,
      'skipped',
    ]);
  });

  const real: Array<[service: string, input: Record<string, unknown>]> = [
    ['webResearch', { question: 'Who is the CEO of Stripe and what is its total funding?' }],
    ['webResearch', { question: `What do ${company.name} and stripe.com have in common?` }],
    ['webResearch', { question: 'What does Stripe sell?', urls: ['https://stripe.com'] }],
    ['getLinkedInUserComments', { linkedin_url: `${PROFILE}satyanadella` }],
    ['getLinkedInUserReactions', { linkedin_url: `${PROFILE}${first_name}-${last_name}`.toLowerCase() }],
  ];

  it.each(real)(
    'are separate without any other provider, too: the sandbox does not answer %s about %j',
    async (service, input) => {
      expect(listed(await providersWith('', {}, {}), service)).toEqual(['sandbox']);
      const call = { service, input, searchId: 'svcjob_1', signal: AbortSignal.timeout(60_000) };
      await expect((await searchWith()).answerCall(call)).rejects.toMatchObject({
        code: 'provider_unavailable',
        message: expect.stringMatching(
          /only its own fictional companies and people.* No provider/,
        ) as unknown,
        trail: [{ provider: 'sandbox', outcome: 'skipped' }],
      });
      const ofOrder = (await providersWith(`services: { ${service}: [sandbox] }`, offline, {})).waterfallFor(
        'live',
      );
      await expect(ofOrder.answerCall(call)).rejects.toMatchObject({ code: 'provider_unavailable' });
      expect(await (await providersWith('', {}, {})).waterfallFor('test').answerCall(call)).toMatchObject({
        provider: 'sandbox',
      });
    },
  );

  it.each<[service: string, input: Record<string, unknown>]>([
    ['webResearch', { question: `Who leads ${company.name}?` }],
    ['webResearch', { question: `Which markets did https://${company.domain}/about, enter in the U.S.?` }],
    ['webResearch', { question: 'What of miss.sandbox.test?' }],
    ['webResearch', { question: 'Where is it?', urls: [`https://${company.domain}/`] }],
    ['webResearch', { question: `Who is (${PROFILE}sandbox-nobody)?` }],
    ['getLinkedInUserComments', { linkedin_url }],
    ['getLinkedInUserReactions', { linkedin_url: `${PROFILE}sandbox-nobody` }],
    ['enrichCompany', { name: company.name }],
    ['enrichPerson', { first_name, last_name, domain: company.domain }],
    ['findLinkedInUrl', { name: `${first_name} ${last_name}`, company: company.name }],
    ['scrapeUrl', { url: company.website }],
    ['extractData', { urls: [company.website], schema: { properties: { name: {} } } }],
    ['verifyEmail', { email: `ada@${company.domain}` }],
    ['classifyText', { text: `${company.domain} sells pumps.`, labels: ['pumps', 'taxes'] }],
  ])('are distinguished by what an input of %s names: the sandbox answers %j', async (service, input) => {
    const call = { service, input, searchId: 'svcjob_1', signal: AbortSignal.timeout(60_000) };
    expect(await (await searchWith()).answerCall(call)).toMatchObject({ provider: 'sandbox' });
  });

  it('are separate in searches: a live key gets nothing about a real name or domain', async () => {
    const providers = await providersWith('', {}, {});
    const run = (mode: 'live' | 'test', wanted: DirectorySearchCall['wanted']) =>
      providers.sandboxSearch[mode].answerCall({
        service: 'searchCompanies',
        input: {},
        searchId: 's',
        signal: AbortSignal.timeout(60_000),
        wanted,
        limit: 5,
        offset: 0,
      });
    const wanted: Array<DirectorySearchCall['wanted']> = [
      { entity: 'company', query: { names: ['Stripe'] } },
      { entity: 'company', query: { domains: [company.domain, 'stripe.com'] } },
      { entity: 'person', query: { company: { domains: ['stripe.com'] } } },
      { entity: 'person', query: { names: ['Satya Nadella'] } },
    ];
    for (const each of wanted) {
      await expect(run('live', each)).rejects.toMatchObject({ code: 'provider_unavailable' });
      expect(await run('test', each)).toMatchObject({ provider: 'sandbox' });
    }
    for (const each of [
      { entity: 'company', query: { names: [company.name], domains: [company.domain] } },
      { entity: 'company', query: { industries: ['fintech'] } },
      { entity: 'person', query: { names: [`${first_name} ${last_name}`] } },
    ] satisfies Array<DirectorySearchCall['wanted']>)
      expect((await run('live', each)).output.items).not.toEqual([]);
  });

  it('are distinguished only by URLs in text, since a real company may have a sandbox name', async () => {
    const research = () => ({
      id: 'research',
      services: ['webResearch'],
      answerCall: () => Promise.resolve({ found: true, deep: false, provider: 'research', output: {} }),
    });
    const search = await searchWith({ research });
    const about = (question: string) =>
      search.answerCall({
        service: 'webResearch',
        input: { question },
        searchId: 's',
        signal: AbortSignal.timeout(60_000),
      });
    expect(await about(`Who leads ${company.name}?`)).toMatchObject({ provider: 'research' });
    expect(await about(`Who leads ${company.domain}?`)).toMatchObject({ provider: 'sandbox' });
  });

  it('are separate for the Deep agent, too, which comes after the web', async () => {
    const research = () => ({
      id: 'research',
      services: ['webResearch', 'getEmail', 'getPhoneNumber'],
      acceptsCall: ({ input }: ProviderCall) => input.deep === true,
      answerCall: never,
    });
    const order = listed(await providersWith('', { research }, {}), 'getEmail');
    expect(order).toEqual(['web', 'research', 'sandbox']);
    const search = await searchWith({ research });
    expect(await taker(search, { ...ADA, domain: 'acme.example', deep: true })).toBe('sandbox');
    const unnamed = { linkedin_url: 'https://www.linkedin.com/in/nobody-there-1815', deep: true };
    expect(await taker(search, unnamed)).toBe('research');
  });

  it('are only real for an organisation with its own vendor for the service, after the web', async () => {
    const mine = { id: 'hunter', services: ['getEmail'], answerCall: never };
    const withOwn = async (lookup: LookupProvider) =>
      (await providersWith('', offline, {})).waterfallFor('live', {
        ...NO_CHOICES,
        own: [lookupOffer('own', lookup)],
      });
    const search = await withOwn(mine);
    const fictional = { first_name, last_name, company: company.name };
    expect(search.providersOf('getEmail')).toEqual(['web', 'hunter']);
    expect(await taker(search, fictional)).toBe('web');
    // When it only offers another service, the sandbox still serves its own data.
    const other = await withOwn({ ...mine, services: ['verifyEmail'] });
    expect(await taker(other, fictional)).toBe('sandbox');
  });

  it('are only real if a vendor offers the service, and only sandbox if nobody else does', async () => {
    const acme = { vendor: { ...own, services: ['getEmail'] } };
    expect(listed(await providersWith('', acme, {}), 'getEmail')).toEqual(['web', 'acme']);
    const unread = await providersWith('providers: { web: { enabled: false } }', {}, {});
    expect(listed(unread, 'getEmail')).toEqual(['sandbox']);
    expect(await taker(await searchWith({ sandbox: false }), { ...ADA, domain: 'acme.example' })).toBe(
      'provider_rejected',
    );
    const web = { id: 'web', services: ['getPhoneNumber'], acceptsCall: () => false, answerCall: never };
    const outcome = new Waterfall(
      () => [{ provider: web, worlds: 'any', paidBy: 'operator', stopsAt: null }],
      { vendorsOf },
    );
    const refusal = outcome.answerCall({
      service: 'getPhoneNumber',
      input: {},
      searchId: 's',
      signal: new AbortController().signal,
    });
    await expect(refusal).rejects.toMatchObject({
      code: 'provider_rejected',
      message: expect.stringMatching(
        new RegExp(`first and a last name, .*public domain.*a key at ${REAL.join('.*')}.*or one of your own`),
      ) as unknown,
    });
  });
});

const never = (): Promise<never> =>
  Promise.reject(new ProviderFailure('provider_error', 'It was asked.', { provider: null }));

describe('the provider file', () => {
  it('sets an order, and keeps the default for services it omits', async () => {
    const providers = await providersWith('services:\n  getEmail: [findymail, hunter]\n');
    expect(listed(providers, 'getEmail')).toEqual(['findymail', 'hunter']);
    expect(listed(providers, 'getPhoneNumber')).toEqual(['web', 'findymail']);
    expect(listed(await providersWith('{"services":{"getEmail":[]}}'), 'getEmail')).toEqual([]);
    expect(listed(await providersWith('services: { getEmail: [sandbox] }'), 'getEmail')).toEqual(['sandbox']);
  });

  it('switches providers off, whatever an order says', async () => {
    const file = {
      services: { getEmail: ['hunter', 'findymail'] },
      providers: { hunter: { enabled: false }, web: { enabled: false }, sandbox: { enabled: false } },
    };
    const providers = await providersWith(JSON.stringify(file));
    expect(listed(providers, 'getEmail')).toEqual(['findymail']);
    expect(listed(providers, 'scrapeUrl')).toEqual([]);
    expect(listed(providers, 'webResearch')).toEqual([]);
    expect(providers.routeOf('searchPeople', 'live')).toEqual([]);
    expect(providers.waterfallFor('test').providersOf('webResearch')).toEqual(['sandbox']);
    const without = await providersWith('services: { getEmail: [hunter] }');
    expect(listed(without, 'getEmail')).toEqual(['hunter']);
    const alone = await providersWith('services: { getEmail: [web] }');
    expect(listed(alone, 'getEmail')).toEqual(['web']);
  });

  it('names where keys and vendors are', async () => {
    const file = {
      providers: {
        prospeo: { key_env: 'OTHER_KEY', base_url: 'http://127.0.0.1:9/proxy/' },
        searxng: { base_url: 'https://search.example' },
        apify: { key_env: 'OTHER_KEY', settings: { comments_actor: 'me~comments' } },
      },
    };
    const providers = await providersWith(JSON.stringify(file));
    expect(listed(providers, 'getEmail')).toEqual(['web', 'hunter', 'findymail', 'prospeo']);
    expect(listed(providers, 'webSearch')).toEqual(['searxng']);
    expect(listed(providers, 'getLinkedInUserComments')).toEqual(['apify']);
  });

  it.each(
    wordTable(
      `
      no YAML | services: [ | line 1: Flow sequence
      a duplicate key | services: {}\nservices: {} | line 2: Map keys must be unique
      no object | [] | the input must be an object
      an unknown field | order: {} | Unrecognized key: "order"
      an unknown service | services: { findEmails: [hunter] } | services.findEmails must be a service of: getEmail
      a search of a directory | services: { searchPeople: [sandbox] } | services.searchPeople must be a service of: getEmail
      a value that is not a list | services: { getEmail: hunter } | services.getEmail must be a list
      nobody | services: { getEmail: [hunter, nobody] } | services.getEmail[1] names an unknown provider: nobody
      somebody twice | services: { getEmail: [hunter, hunter] } | services.getEmail[1] names hunter again
      one who cannot | services: { webSearch: [hunter] } | services.webSearch[0] names hunter, which does not
      addresses that do not count | { services: { getEmail: [people-data-labs] }, providers: { people-data-labs: { key_env: OTHER_KEY } } }
        | services.getEmail[0] names people-data-labs, which finds nothing of what accept.getEmail
      fiction behind facts | services: { getEmail: [hunter, sandbox] } | services.getEmail[1] combines the sandbox with others
      a vendor without its key | services: { getEmail: [prospeo] } | providers.prospeo has no key: PROSPEO_KEY is not set
      a missing key | providers: { hunter: { key_env: NO_KEY } } | providers.hunter.key_env has no key: NO_KEY is not set
      a key that is invalid in a header | providers: { hunter: { key_env: BAD_KEY } } | providers.hunter.key_env has no usable key: BAD_KEY
      a key itself | providers: { hunter: { key_env: sk-123 } } | providers.hunter.key_env must be the name of an environment variable
      an address that may not be asked | providers: { hunter: { base_url: 'ftp://127.0.0.1:10' } }
        | providers.hunter.base_url cannot be asked: Only http and https
      an invalid URL | providers: { hunter: { base_url: 'searxng:8080/' } } | providers.hunter.base_url cannot be asked:
      a URL with a password | providers: { searxng: { base_url: 'http://me:secret@127.0.0.1:10' } }
        | providers.searxng.base_url cannot be asked: Addresses with a user name or a password
      a URL with a query | providers: { hunter: { base_url: 'https://x.example/?key=1' } } | providers.hunter.base_url must have no query
      a missing URL | services: { webSearch: [searxng] } | providers.searxng.base_url is required where SEARXNG_URL is not set
      an unknown provider | providers: { huntr: {} } | providers.huntr is not a provider; use one of hunter,
      a key for a provider that needs none
        | providers: { web: { key_env: OTHER_KEY }, searxng: { base_url: 'https://s.example', key_env: OTHER_KEY } }
        | providers.web.key_env is for vendors only | providers.searxng.key_env is for vendors that ask
      an unknown setting | providers: { hunter: { settings: { plan: x } } }
        | providers.hunter.settings.plan is not a setting; the settings are none
      an invalid setting | providers: { apify: { key_env: OTHER_KEY, settings: { comments_actor: a/b/c } } }
        | providers.apify.settings.comments_actor is not valid
      invalid directories | directories: { companies: [hunter, sandbox, web, web], people: [my-contacts] }
        | directories.companies[0] names hunter, which has no directory of companies
        | directories.companies[1] names the sandbox | directories.companies[3] names web again
      a directory without its key | directories: { people: [my-contacts, apollo] } | providers.apollo has no key: APOLLO_KEY is not set
      an unknown status | accept: { getEmail: [valid] } | accept.getEmail[0] must be one of
      several faults at once | { services: { getEmail: [nobody] }, providers: { huntr: {}, prospeo: {} } }
        | providers.huntr is not | providers.prospeo has no key | services.getEmail[0] names an unknown provider`,
      (what, file, ...starts) => [what, file, starts] as const,
    ),
  )('with %s is refused with the position', async (_what, file, starts) => {
    const faults = await faultsOf(file);
    expect(faults.map((fault, i) => fault.slice(0, starts[i]?.length))).toEqual(starts);
    expect(faults.join()).not.toMatch(/k[123]\b/);
  });

  it('must not name a switched-off sandbox, nor give two providers one name', async () => {
    expect(await faultsOf({ services: { getEmail: ['sandbox'] } }, { sandbox: false })).toEqual([
      'services.getEmail[0] names the sandbox, which is not on: SANDBOX',
    ]);
    expect(await faultsOf('', { vendor: { ...own, id: 'hunter' } })).toEqual([
      'VENDOR_NAME is already the name of another vendor: hunter',
    ]);
  });

  it('does not expand an alias bomb', async () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef'])
      bomb.push(`${to}: &${to} [${Array(9).fill(`*${from}`)}]`);
    expect(await faultsOf(bomb.join('\n'))).toEqual(['it has too many aliases']);
  });
});

describe('an internal address named by the operator', () => {
  const signal = new AbortController().signal;
  const call = (service: string, input: object, mode: 'live' | 'test' = 'live') =>
    ({ service, input, mode, signal }) as unknown as ProviderCall;
  let engine: VendorSimulator;
  let other: VendorSimulator;

  beforeAll(async () => {
    engine = await VendorSimulator.start({ key: null, refusal: { status: 401 } });
    other = await VendorSimulator.start({ key: null, refusal: { status: 401 } });
  });
  afterAll(() => Promise.all([engine.stop(), other.stop()]));

  const wide = { ...web, allowHosts: [] };
  const result = { url: 'https://halbrook.example/', title: 'Pumps' };

  it.each<[string, () => object, () => Record<string, string>]>([
    ['in its variable', () => ({}), () => ({ SEARXNG_URL: engine.url })],
    ['in the file', () => ({ providers: { searxng: { base_url: engine.url } } }), () => ({})],
  ])('is used for that vendor without FETCH_ALLOW_HOSTS: %s', async (_, file, variables) => {
    const providers = await providersWith(JSON.stringify(file()), { web: wide }, variables());
    engine.playAlways(() => ({ body: { results: [result] } }));
    const answer = await providers
      .waterfallFor('live')
      .answerCall(call('webSearch', { query: 'pumps', limit: 1 }));
    expect(answer).toMatchObject({ provider: 'searxng', output: { items: [result] } });
    expect(engine.calls).toHaveLength(1);
  });

  it('is allowed for nothing else: no page read, and no redirect to a neighbour', async () => {
    const providers = await providersWith('', { web: wide }, { SEARXNG_URL: engine.url });
    const live = providers.waterfallFor('live');
    engine.playAlways(() => ({ status: 302, headers: { location: `${other.url}/search` } }));
    other.playAlways(() => ({ body: { results: [] } }));
    await expect(live.answerCall(call('webSearch', { query: 'pumps', limit: 1 }))).rejects.toThrow();
    expect(other.calls).toEqual([]);
    engine.playAlways(() => ({ text: '<title>Search</title>' }));
    for (const url of [engine.url, `${engine.url}/search?q=pumps`])
      await expect(live.answerCall(call('scrapeUrl', { url }))).rejects.toThrow(/usual ports/);
    expect(engine.calls).toEqual([]);
  });

  it("may be a host name; a vendor's default URL is refused if its name resolves to an internal address", async () => {
    const names = await NameServer.start(({ type }) => (type === 'A' ? ['127.0.0.1'] : []));
    const port = engine.host.split(':')[1]!;
    const inside = { ...wide, dnsServers: [names.address] };
    const variables = { SEARXNG_URL: `http://searxng:${port}`, BRAVE_KEY: 'k' };
    const callsOf = async (id: string) => {
      const file = JSON.stringify({ services: { webSearch: [id] } });
      const live = (await providersWith(file, { web: inside }, variables)).waterfallFor('live');
      return live.answerCall(call('webSearch', { query: 'pumps', limit: 1 }));
    };
    engine.playAlways(() => ({ body: { results: [result] } }));
    try {
      expect(await callsOf('searxng')).toMatchObject({ found: true, provider: 'searxng' });
      const failure: unknown = await callsOf('brave').catch((error: unknown) => error);
      expect(causesOf(failure)).toContainEqual(expect.objectContaining({ fault: 'refused' }));
    } finally {
      names.stop();
    }
  });
});

/** @returns an error and its causes */
function causesOf(error: unknown): unknown[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}
