import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AddressGuard, DnsClient, HostTurns, MailProbe, OutboundClient } from '@quarry/safe-http';
import { findService } from '@quarry/service-catalog';
import { wordTable } from '@quarry/vocabulary';
import { HttpSite, MailServer, NameServer } from '@quarry/test-servers';
import {
  ProviderFailure,
  type LookupProvider,
  type ProviderAnswer,
  type ProviderCall,
  type TrailStep,
} from '@quarry/engine';
import { DomainSearch } from '../company/domain-search.js';
import { VerifyEmailProvider } from '../mail/verify-email.provider.js';
import { PageReader } from '../pages/page-reader.js';
import { ContactSites } from './contact-sites.js';
import { MailboxChecks } from './mailbox-checks.js';
import { WebContactProvider } from './web-contact.provider.js';

const card = (name: string, rest: string) => `<div class="card"><h3>${name}</h3><p>Engineer</p>${rest}</div>`;
const mailTo = (email: string) => `<a href="mailto:${email}">Mail</a>`;
const tel = (number: string) => `<a href="tel:${number}">${number}</a>`;
const callAt = (href: string) => `<a href="tel:${href}">Call</a>`;
const TEAM = '<title>Home</title><body><a href="/team">Team</a></body>';

/** Pages by host and path. */
const SITES: Record<string, Record<string, string>> = {
  'halbrook.com': {
    '/': `<title>Halbrook</title><script type="application/ld+json">{"@type":"Organization","name":"Halbrook","telephone":"+44 20 7946 0000",
      "address":{"addressCountry":"GB"}}</script><body><a href="/team">Team</a><footer>Halbrook ${tel('+44 20 7946 0000')}</footer></body>`,
    '/team': `<body>${card('Ada Lovelace', mailTo('al@halbrook.com') + tel('020 7946 0101'))}
      ${card('Dr. Grace Brewster Hopper', mailTo('grace.hopper@halbrook.com') + tel('+44 20 7946 0000'))}
      ${card('Katherine Johnson', mailTo('katherine.johnson@halbrook.com'))}
      ${card('Anna Turing', mailTo('anna.turing@halbrook.com'))}
      ${card('Frances Allen', `<p>Her assistant</p>${tel('020 7946 0106')}`)}
      ${card('Wes Okafor and Ida Rhodes', tel('020 7946 0102'))}
      ${card('Radia Perlman', `<p>Switchboard</p>${tel('020 7946 0103')}`)}
      ${card('Mary Kenneth', tel('020 7946 0104'))}${card('Evelyn Berezin', tel('020 7946 0104'))}
      <script type="application/ld+json">{"@type":"Person","name":"Joan Clarke","telephone":"020 7946 0105"}</script>
      <p>General questions: ${mailTo('info@halbrook.com')}</p></body>`,
  },
  'umlaut.de': {
    '/': TEAM,
    '/team': `<body>${card('Heike Krause', mailTo('heike.krause@umlaut.de'))}${card('Jörg Groß', mailTo('joerg.gross@umlaut.de') + tel('030 23125 117'))}</body>`,
  },
  // Numbers on a business card that are nevertheless the company's.
  'lines.com': {
    '/': TEAM,
    '/team': `<script type="application/ld+json">{"@type":"Organization","name":"Lines","address":{"addressCountry":"GB"}}</script>
      <body>${card('Ada Lovelace', tel('+44 20 7946 0201'))}${card('Grace Hopper', callAt('%2B442079460202'))}
      ${card('Joan Clarke', callAt('+1%28212%295550203'))}${card('Mary Kenneth', callAt('&#43;44 20 7946 0204'))}
      ${card('Ida Rhodes', tel('+1 800 555 0199'))}${card('Radia Perlman', tel('+44 845 123 4567'))}
      ${card('Evelyn Berezin', tel('020 7946 0208'))}
      ${card('Frances Allen', `<p>Phone: 020 7946 0205</p>${callAt('%2B44%2820%2979460205')}`)}
      <footer>Lines Ltd, Main Street 10 · 020 7946 0201<p>Lines Ltd ${callAt('%2B442079460202')}</p>
      <p>Lines Ltd ${callAt('+1%28212%295550203')}</p><p>Lines Ltd ${callAt('&#43;44 20 7946 0204')}</p>
      <p>Lines Ltd 1 020 7946 0208</p></footer></body>`,
  },
  'twins.io': {
    '/': '<title>Twins</title><meta property="og:site_name" content="Twins"><body><a href="/team">Team</a></body>',
    '/team': card('Ada Lovelace', mailTo('ada.lovelace@twins.io') + tel('+44 20 7946 0301')),
  },
  'closed.com': { '/robots.txt': 'User-agent: *\nDisallow: /', '/': TEAM },
  'many.com': {
    '/': TEAM,
    '/team': `<body>${Array.from({ length: 420 }, (_, n) => card(`Name${n} Family`, mailTo(`p${n}@many.com`))).join('')}
      <script type="application/ld+json">{"@type":"Person","name":"Somebody Else","email":"p1@many.com"}</script></body>`,
  },
  'initials.com': {
    '/': TEAM,
    '/team': `<body>${card('Anna Lovelace', mailTo('alovelace@initials.com'))}${card('Dr. Grace Hopper', '')}</body>`,
  },
  'open.com': { '/': TEAM, '/team': card('Ada Lovelace', mailTo('ada.lovelace@open.com')) },
  'silent.com': { '/': TEAM, '/team': card('Ada Lovelace', mailTo('ada.lovelace@silent.com')) },
  'plain.com': { '/': '<title>Plain</title><body>info@plain.com</body>' },
  // A mail service: anybody with this name may have this mailbox.
  'gmx.com': { '/': '<title>GMX</title><body>Your mailbox</body>' },
  'nomail.com': { '/': TEAM, '/team': card('Ada Lovelace', mailTo('ada.lovelace@nomail.com')) },
};
/** Hosts that respond to every path with this status. */
const STATUSES: Record<string, number> = {
  'busy.com': 503,
  'limited.com': 429,
  'walled.com': 403,
  'nopages.com': 404,
  // The company with the same name at .io is read, and is a different one.
  'twins.com': 503,
};
/** Existing mailboxes; all others are rejected. */
const MAILBOXES = new Set([
  'al@halbrook.com',
  'grace.hopper@halbrook.com',
  'alan.turing@halbrook.com',
  'jean-luc.picard@halbrook.com',
  'juergen.mueller@umlaut.de',
  'jurgen.muller@umlaut.de',
  'soren.lange@umlaut.de',
  'alovelace@initials.com',
  'ghopper@initials.com',
  'adal@plain.com',
  'alovelace@plain.com',
  'anybody@plain.com',
  'ada.lovelace@gmx.com',
  'ada.lovelace@mailonly.com',
]);

const isHost = (name: string) => name in SITES || name in STATUSES;

let server: HttpSite;
let mail: MailServer;
let names: NameServer;
let port: number;
let client: OutboundClient;
let reader: PageReader;
let resolver: DnsClient;
/** Pages that were read, by host and path. */
let read: string[] = [];
/** Names that were looked up in the DNS. */
let requests: string[] = [];

/** Name servers that do not respond, with the number of lookups. */
class ClosedDns extends DnsClient {
  turns = 0;

  constructor() {
    super(['127.0.0.1:9']);
  }

  override mailServers(domain: string): ReturnType<DnsClient['mailServers']> {
    this.turns += 1;
    return super.mailServers(domain);
  }
}

beforeAll(async () => {
  server = await HttpSite.open(({ url = '/', headers }, response) => {
    const host = headers.host!.split(':')[0]!;
    if (url !== '/robots.txt') read.push(`${host}${url}`);
    const body = SITES[host]?.[url];
    response
      .writeHead(body === undefined ? (url !== '/robots.txt' && STATUSES[host]) || 404 : 200, {
        'content-type': 'text/html; charset=utf-8',
      })
      .end(body);
  });
  ({ port } = server);
  names = await NameServer.start(({ type, name }) => {
    requests.push(name);
    if (type === 'MX') {
      if (name === 'nomail.com') return [{ preference: 0, exchange: '.' }];
      if (name === 'silent.com') return [{ preference: 1, exchange: 'silent-mail.com' }];
      return isHost(name) || name === 'mailonly.com' ? [{ preference: 1, exchange: 'mail.com' }] : [];
    }
    return type === 'A' && (isHost(name) || name === 'mail.com') ? ['127.0.0.1'] : [];
  });
  mail = await MailServer.start({
    recipient: (to) => {
      if (to.endsWith('@open.com')) return null;
      if (to.startsWith('katherine.')) return { code: 451, text: '4.7.1 Greylisted, come back' };
      return MAILBOXES.has(to) ? null : { code: 550, text: '5.1.1 No such user' };
    },
  });
  resolver = new DnsClient([names.address]);
  const allowHosts = [
    ...Object.keys({ ...SITES, ...STATUSES }).map((host) => `${host}:${port}`),
    `mail.com:${mail.port}`,
  ];
  const guard = new AddressGuard({ allowHosts, dns: resolver });
  client = new OutboundClient(guard, 'QuarryBot/1.0');
  reader = new PageReader(client, 'QuarryBot', { turns: new HostTurns(0) });
  probe = new MailProbe(guard, { port: mail.port });
});
afterAll(async () => {
  await reader.close();
  await client.close();
  await mail.stop();
  names.stop();
  await server.stop();
});
let probe: MailProbe;
beforeEach(() => {
  read = [];
  requests = [];
  mail.recipients.length = 0;
});

interface Made {
  names?: DnsClient;
  accepted?: string[] | null;
  isProbed?: boolean;
}

function provider({
  accepted = ['verified', 'catch_all'],
  isProbed = true,
  names: dns = resolver,
}: Made = {}): LookupProvider {
  const siteOf = (domain: string) => `http://${domain}:${port}`;
  const web = new WebContactProvider({
    sites: new ContactSites({ dns, reader, search: new DomainSearch({ dns, reader, siteOf }) }),
    mailboxes: new MailboxChecks(new VerifyEmailProvider({ dns, probe: isProbed ? probe : null })),
  });
  return {
    id: web.id,
    services: web.services,
    acceptsCall: (call) => web.acceptsCall(call),
    answerCall: (call) => web.answerCall(accepted ? { ...call, stopsAt: accepted } : call),
  };
}

const callOf = (service: string, input: object, more: Partial<ProviderCall> = {}): ProviderCall => ({
  service,
  input: input as ProviderCall['input'],
  searchId: 'svcjob_1',
  signal: AbortSignal.timeout(60_000),
  ...more,
});

/** @param name first and last name, separated by a slash */
function inputOf(name: string, host: string): Record<string, string> {
  const [first_name = '', last_name = ''] = name.split('/');
  return { first_name, last_name, domain: `http://${host}:${port}` };
}

async function find(service: string, input: object, by = provider()): Promise<ProviderAnswer> {
  const answer = await by.answerCall(callOf(service, input));
  // A find and a miss both match the output schema of the catalogue.
  findService(service)!.output.parse(answer.output);
  expect(answer).toMatchObject({
    provider: 'web',
    deep: false,
    output: { found: answer.found, provider: 'web' },
  });
  return answer;
}

async function emailOf(name: string, host: string, made: Made = {}): Promise<unknown[]> {
  const { isDeclined = false, output } = await find('getEmail', inputOf(name, host), provider(made));
  const { email, status, confidence } = output;
  return [email, status, confidence, ...(isDeclined ? ['declined'] : [])];
}
const NOBODY = [null, null, null];
const ALL = ['verified', 'catch_all', 'unverified'];

describe('getEmail without a vendor', () => {
  /**
   * Reads a table of cases: the person, the host, and how it is looked up. `unasked`: no mail server is asked. An address counts as
   * found if it is verified or at a server that takes all; with `verified`, `all` or `any`, if it has a status of these.
   */
  const cases = (text: string) =>
    wordTable(text, (what, name, host, how, ...answer) => {
      const words = how.split(', ');
      const accepted = { verified: ['verified'], all: ALL, any: null }[words.at(-1)!];
      const isProbed = !words.includes('unasked');
      return {
        what,
        name,
        host,
        made: accepted === undefined ? { isProbed } : { isProbed, accepted },
        answer,
      };
    });

  it.each(
    cases(`
      printed beside the name | Ada/Lovelace | halbrook.com | | al@halbrook.com | verified | high
      printed with a title and a middle name | Grace/Hopper | halbrook.com | | grace.hopper@halbrook.com | verified | high
      made by the pattern of the site | Alan/Turing | halbrook.com | | alan.turing@halbrook.com | verified | high
      made of a first name in two parts | Jean-Luc/Picard | halbrook.com | | jean-luc.picard@halbrook.com | verified | high
      an umlaut as two letters, which comes first | Jürgen/Müller | umlaut.de | | juergen.mueller@umlaut.de | verified | high
      made of the initial of somebody who is named | Grace/Hopper | initials.com | | ghopper@initials.com | verified | medium
      a stroke left out | Søren/Lange | umlaut.de | | soren.lange@umlaut.de | verified | high
      made as is usual where the site shows none | Ada/Lovelace | plain.com | | alovelace@plain.com | verified | medium
      printed, at a server that takes all | Ada/Lovelace | open.com | | ada.lovelace@open.com | catch_all | medium
      printed, and nobody may ask | Ada/Lovelace | halbrook.com | unasked, any | al@halbrook.com | unverified | medium
      printed, and the server is silent | Ada/Lovelace | silent.com | any | ada.lovelace@silent.com | unverified | medium
      printed, and the server wants to be asked later | Katherine/Johnson | halbrook.com | all | katherine.johnson@halbrook.com | unverified | medium
      made by the pattern, unasked | Alan/Turing | halbrook.com | unasked, all | alan.turing@halbrook.com | unverified | low
      made by the pattern, at a server that takes all | Grace/Hopper | open.com | all | grace.hopper@open.com | unverified | low
    `),
  )('returns an address that is $what', async ({ name, host, made, answer }) => {
    expect(await emailOf(name, host, made)).toEqual(answer);
  });

  it.each(
    cases(`
      made by the pattern, unasked, where nobody said what counts | Alan/Turing | halbrook.com | unasked, any | declined
      printed and not asked about, where that does not count | Ada/Lovelace | halbrook.com | unasked | declined
      made, at a server that takes all | Grace/Hopper | open.com | | declined
      printed, where only verified ones count | Ada/Lovelace | open.com | verified | declined
      refused by its server | Rosalind/Franklin | halbrook.com | all |
      usual, and not asked about | Ada/Lovelace | plain.com | unasked, all |
      at a domain that takes no mail | Ada/Lovelace | nomail.com | all |
      printed as somebody else's, with the same initials | Ada/Lovelace | initials.com | all |
      made of an initial of somebody else, whom the site names | Gina/Hopper | initials.com | all |
      in no letters that addresses have | 伟/王 | halbrook.com | all |
      at a name that does not exist | Ada/Lovelace | gone.com | all |
    `),
  )('returns no address that is $what', async ({ name, host, made, answer }) => {
    expect(await emailOf(name, host, made)).toEqual([...NOBODY, ...answer.filter(Boolean)]);
  });

  it('accepts an address that any verifier calls valid, checks at most four, and adds up the costs', async () => {
    const questions: unknown[] = [];
    const verify = (status: string) => ({
      answerCall: ({ input, searchId }: ProviderCall): Promise<ProviderAnswer> => {
        questions.push([input.email, searchId]);
        const cost = { amount: 0.5, unit: 'check' };
        return Promise.resolve({ found: true, deep: false, provider: 'reacher', output: { status }, cost });
      },
    });
    const ask = (status: string) =>
      provider({ isProbed: false }).answerCall(
        callOf('getEmail', inputOf('Ada/Lovelace', 'plain.com'), {
          lookupFor: (service) => Promise.resolve(service === 'verifyEmail' ? verify(status) : null),
        }),
      );
    expect(await ask('invalid')).toMatchObject({ found: false, cost: { amount: 2, unit: 'check' } });
    expect(questions).toEqual([
      ['ada.lovelace@plain.com', 'svcjob_1_0'],
      ['alovelace@plain.com', 'svcjob_1_1'],
      ['adalovelace@plain.com', 'svcjob_1_2'],
      ['a.lovelace@plain.com', 'svcjob_1_3'],
    ]);
    expect(await ask('valid')).toMatchObject({
      found: true,
      output: { email: 'ada.lovelace@plain.com', status: 'verified', provider: 'web' },
      cost: { amount: 0.5 },
    });
    // A role address does not belong to a person, even one with a similar name.
    expect((await ask('role')).found).toBe(false);
  });

  it("is no miss if the verifier fails, and a vendor's verdict on a domain is not cached for others", async () => {
    const verify = (run: () => Promise<ProviderAnswer>, by: LookupProvider) =>
      by.answerCall(
        callOf('getEmail', inputOf('Ada/Lovelace', 'plain.com'), {
          lookupFor: () => Promise.resolve({ answerCall: run }),
        }),
      );
    const by = provider({ isProbed: false });
    const lost = () =>
      Promise.reject(new ProviderFailure('provider_error', 'Lost.', { provider: 'reacher' }));
    await expect(verify(lost, by)).rejects.toMatchObject({
      code: 'provider_unavailable',
      options: { isTransient: true },
    });
    const answer = (status: string) => ({
      found: true,
      deep: false,
      provider: 'reacher',
      output: { status },
    });
    const step = (amount: number): TrailStep => ({
      provider: 'reacher',
      outcome: 'miss',
      code: null,
      started_at: '',
      duration_ms: 1,
      cost: { amount, unit: 'check' },
    });
    const catchAll = { ...answer('catch_all'), trail: [step(1), step(2)] };
    // The charges of all called providers are in the sum.
    expect(await verify(() => Promise.resolve(catchAll), by)).toMatchObject({
      found: false,
      cost: { amount: 3, unit: 'check' },
    });
    expect(await verify(() => Promise.resolve(answer('valid')), by)).toMatchObject({ found: true });
  });

  it('finds the domain by the company name, if the page has that name', async () => {
    const by = provider();
    const ada = { first_name: 'Ada', last_name: 'Lovelace' };
    // A free mail domain is not a company; the company name is used instead.
    const { output } = await find('getEmail', { ...ada, domain: 'gmail.com', company: 'Halbrook Ltd' }, by);
    expect(output).toMatchObject({ email: 'al@halbrook.com', status: 'verified' });
    expect((await find('getEmail', { ...ada, company: 'Nobody at All' }, by)).found).toBe(false);
    // Also when the domain was found by the company name.
    mail.recipients.length = 0;
    expect((await find('getEmail', { ...ada, company: 'GMX' }, by)).found).toBe(false);
    expect(mail.recipients).toEqual([]);
  });

  it('fails if name servers or the site are unreachable, since nobody has looked', async () => {
    const ada = { first_name: 'Ada', last_name: 'Lovelace', domain: 'mailonly.com' };
    // It has mail and no site, so it may be any mail service: no derived address is checked, although the mailbox exists.
    await expect(find('getEmail', ada)).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(mail.recipients).toEqual([]);
    await expect(find('getPhoneNumber', ada)).rejects.toMatchObject({ code: 'provider_unavailable' });
    const closed = new ClosedDns();
    const by = provider({ names: closed });
    const failure = { code: 'provider_unavailable', options: { isTransient: true } };
    await expect(find('getEmail', inputOf('Ada/Lovelace', 'halbrook.com'), by)).rejects.toMatchObject(
      failure,
    );
    // The next person of the list does not wait for it again.
    await expect(find('getEmail', inputOf('Alan/Turing', 'halbrook.com'), by)).rejects.toMatchObject(failure);
    expect(closed.turns).toBe(1);
    await expect(
      find('getEmail', { first_name: 'Ada', last_name: 'Lovelace', company: 'Halbrook' }, by),
    ).rejects.toMatchObject(failure);
  });

  it.each<[string, string, boolean]>([
    ['busy.com', 'provider_unavailable', true],
    ['limited.com', 'provider_unavailable', true],
    ['walled.com', 'provider_rejected', false],
    ['closed.com', 'provider_rejected', false],
  ])('fails at %s, whose pages could not be read: %s', async (host, code, isTransient) => {
    const by = provider();
    for (const service of ['getEmail', 'getPhoneNumber'])
      await expect(find(service, inputOf('Ada/Lovelace', host), by)).rejects.toMatchObject({
        code,
        options: { isTransient },
      });
  });

  it('finds nothing at a site without pages', async () => {
    expect((await find('getEmail', inputOf('Ada/Lovelace', 'nopages.com'))).found).toBe(false);
    expect((await find('getPhoneNumber', inputOf('Ada/Lovelace', 'nopages.com'))).found).toBe(false);
  });

  it('fails for a company name whose likelier site is unreachable, whoever else has that name', async () => {
    const ada = { first_name: 'Ada', last_name: 'Lovelace' };
    for (const company of ['Twins', 'Busy'])
      await expect(find('getPhoneNumber', { ...ada, company })).rejects.toMatchObject({
        code: 'provider_unavailable',
      });
    // With the domain it is unambiguous.
    expect((await find('getPhoneNumber', inputOf('Ada/Lovelace', 'twins.io'))).found).toBe(true);
  });
});

describe('getPhoneNumber without a vendor', () => {
  it.each<[string, string, string, string | null]>([
    ['beside the name, in the country of the company', 'Ada/Lovelace', 'halbrook.com', '+442079460101'],
    ['that the page describes as theirs', 'Joan/Clarke', 'halbrook.com', '+442079460105'],
    ['in the country of the domain', 'Jörg/Groß', 'umlaut.de', '+493023125117'],
    ['of the switchboard', 'Grace/Hopper', 'halbrook.com', null],
    ['that is called the switchboard', 'Radia/Perlman', 'halbrook.com', null],
    ['of an assistant', 'Frances/Allen', 'halbrook.com', null],
    ['of two people', 'Mary/Kenneth', 'halbrook.com', null],
    ['beside two names', 'Wes/Okafor', 'halbrook.com', null],
    ['written in a text of the same card, too', 'Frances/Allen', 'lines.com', '+442079460205'],
    ['that the footer prints without a link', 'Ada/Lovelace', 'lines.com', null],
    ['that the footer links, with its signs encoded', 'Grace/Hopper', 'lines.com', null],
    ['that the footer links, with some of its signs encoded', 'Joan/Clarke', 'lines.com', null],
    ['that the footer links, with an entity in it', 'Mary/Kenneth', 'lines.com', null],
    ['that the footer prints behind another figure', 'Evelyn/Berezin', 'lines.com', null],
    ['that is free for all who call', 'Ida/Rhodes', 'lines.com', null],
    ['of a shared cost', 'Radia/Perlman', 'lines.com', null],
    ['of nobody', 'Alan/Turing', 'halbrook.com', null],
  ])('evaluates a number %s', async (_what, name, host, number) => {
    const { found, output } = await find('getPhoneNumber', inputOf(name, host));
    expect([found, output.phone_number]).toEqual([number !== null, number]);
    if (number)
      expect(output.phones).toEqual([
        expect.objectContaining({ number, country: host === 'umlaut.de' ? 'DE' : 'GB', source: host }),
      ]);
  });
});

describe('cached facts of company sites', () => {
  const signal = AbortSignal.timeout(60_000);
  const sites = () =>
    new ContactSites({ dns: resolver, reader, search: new DomainSearch({ dns: resolver, reader }) });
  const at = (host: string) => `http://${host}:${port}`;

  it('are kept, however many subdomains are requested', async () => {
    const known = sites();
    await known.readSite(at('plain.com'), signal);
    for (let n = 0; n < 600; n += 1) await known.readSite(`h${n}.wild.com`, signal);
    read = [];
    await known.readSite(at('plain.com'), signal);
    expect(read).toEqual([]);
  });

  it('are separate for names that differ by a dot', async () => {
    const known = sites();
    requests = [];
    await known.domainOf('acmeio', signal);
    expect(requests).not.toContain('acme.io');
    await known.domainOf('acme.io', signal);
    expect(requests).toContain('acme.io');
  });

  it.each(['ftp://plain.com', 'ftp://plain.com:21/pub', 'plain.com:99999'])(
    'are read from %s',
    async (address) => {
      // Only the port of this test's server is allowed.
      await expect(sites().readSite(address, signal)).rejects.toMatchObject({ fault: 'refused' });
      expect(requests).toContain('plain.com');
    },
  );

  it('have all places of an address or none, and a limited number', async () => {
    const { addresses, unevaluated } = (await sites().readSite(at('many.com'), signal))!;
    expect(addresses).toHaveLength(400);
    expect(unevaluated).toContain('p410@many.com');
    expect(unevaluated).not.toContain('p1@many.com');
    // The last page shows the owner.
    expect(addresses.filter(({ email }) => email === 'p1@many.com')).toHaveLength(2);
  });
});

describe('accepted inputs of getEmail', () => {
  it.each<[object, boolean]>([
    [{ first_name: 'Ada', last_name: 'Lovelace', domain: 'halbrook.com' }, true],
    [{ first_name: 'Ada', last_name: 'Lovelace', company: 'Halbrook' }, true],
    [{ first_name: 'Ada', last_name: 'Lovelace', company: 'Test' }, true],
    [{ first_name: 'Ada', last_name: 'Lovelace', domain: 'gmail.com', company: 'Halbrook' }, true],
    [{ first_name: 'Ada', last_name: 'Lovelace', domain: 'gmail.com' }, false],
    [{ first_name: 'Ada', last_name: 'Lovelace', domain: 'linkedin.com' }, false],
    [{ first_name: 'Ada', last_name: 'Lovelace', domain: '127.0.0.1' }, false],
    [{ first_name: 'Ada', last_name: 'Lovelace', domain: 'localhost' }, false],
    [{ first_name: 'Ada', domain: 'halbrook.com' }, false],
    [{ linkedin_url: 'https://www.linkedin.com/in/ada-lovelace' }, false],
    ...['halbrook.example', 'https://a.test/x', 'x.invalid.', 'y.localhost:80', 'miss.sandbox.test'].map(
      (domain): [object, boolean] => [{ first_name: 'Ada', last_name: 'Lovelace', domain }, false],
    ),
    [
      { first_name: 'Ada', last_name: 'Lovelace', domain: 'halbrook.com', company: 'halbrook.example' },
      false,
    ],
  ])('%j: %s', (input, isTaken) => {
    expect(provider().acceptsCall!(callOf('getEmail', input))).toBe(isTaken);
    expect(requests).toEqual([]);
  });
});

describe('a hundred people of one company', () => {
  it('have pages read once, even if the first caller gives up, and the catch-all check made once', async () => {
    const by = provider({ accepted: ALL });
    const gaveUp = new AbortController();
    const first = by.answerCall(
      callOf('getEmail', inputOf('First/Asker', 'open.com'), { signal: gaveUp.signal }),
    );
    let held = 0;
    let letGo = 0;
    const holdDeadline = () => {
      held += 1;
      return () => void (letGo += 1);
    };
    const all = Array.from({ length: 100 }, (_, n) => {
      const input = inputOf(`Given${String.fromCharCode(97 + (n % 26))}/Family${n}`, 'open.com');
      return by.answerCall(callOf('getEmail', input, { holdDeadline }));
    });
    gaveUp.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    const answers = await Promise.all(all);
    expect(new Set(answers.map(({ output }) => output.status))).toEqual(new Set(['unverified']));
    expect(read.sort()).toEqual(['open.com/', 'open.com/team']);
    // The deadline is paused while a search waits for others of the company.
    expect(held).toBeGreaterThan(0);
    expect(letGo).toBe(held);
    // Two checks may run before the first one has a result.
    expect(mail.recipients.length).toBeLessThanOrEqual(4);
    // Numbers are read from the same cached pages.
    await find('getPhoneNumber', inputOf('Ada/Lovelace', 'open.com'), by);
    expect(read).toHaveLength(2);
  });
});
