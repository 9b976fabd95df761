import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AddressGuard, DnsClient, HostTurns, OutboundClient } from '@quarry/outbound';
import { COMPANY_SITES, CompanySites, NameServer, type CompanySite } from '@quarry/test-servers';
import type { LookupProvider } from '../ports/lookup.port.js';
import { JobPostingsProvider } from './jobs/job-postings.provider.js';
import { PageReader } from './pages/page-reader.js';
import { SocialsProvider } from './pages/socials.provider.js';
import { TechProvider } from './pages/tech.provider.js';

/** What was said of a site and is not so, and what is so and was not said. */
interface Judged {
  right: number;
  wrong: string[];
  missed: string[];
}

function judged(said: readonly string[][], truth: (site: CompanySite) => string[]): Judged {
  const all: Judged = { right: 0, wrong: [], missed: [] };
  COMPANY_SITES.forEach((site, n) => {
    const [is, says] = [truth(site), said[n]!];
    all.right += says.filter((each) => is.includes(each)).length;
    all.wrong.push(...says.filter((each) => !is.includes(each)).map((each) => `${site.domain}: ${each}`));
    all.missed.push(...is.filter((each) => !says.includes(each)).map((each) => `${site.domain}: ${each}`));
  });
  return all;
}

describe('two hundred sites of companies', () => {
  let sites: CompanySites;
  let names: NameServer;
  let client: OutboundClient;
  let reader: PageReader;
  beforeAll(async () => {
    sites = await CompanySites.start();
    names = await NameServer.start(({ type }) => (type === 'A' ? ['127.0.0.1'] : []));
    client = new OutboundClient(
      new AddressGuard({ allowHosts: sites.hosts, dns: new DnsClient([names.address]) }),
      'QuarryBot/1.0',
    );
    reader = new PageReader(client, 'QuarryBot', { turns: new HostTurns(0) });
  });
  afterAll(async () => {
    await reader.close();
    await client.close();
    names.stop();
    sites.stop();
  });

  async function askAll(provider: LookupProvider): Promise<Array<Record<string, any>>> {
    return Promise.all(
      COMPANY_SITES.map(async (site) => {
        const input = { domain: sites.url(site) };
        const signal = AbortSignal.timeout(120_000);
        const call = { service: provider.services[0]!, input, searchId: 'hold_1', signal };
        return (await provider.run(call)).output as Record<string, any>;
      }),
    );
  }

  it('detectTech names what they use', async () => {
    const said = (await askAll(new TechProvider(reader))).map(({ items }) =>
      (items as Array<{ name: string }>).map(({ name }) => name),
    );
    expect(judged(said, ({ truth }) => truth.tech)).toEqual({ right: 720, wrong: [], missed: [] });
  });

  it('findSocials names their own profiles', async () => {
    const said = (await askAll(new SocialsProvider(reader))).map((output) =>
      Object.entries(output)
        .filter(([field, url]) => field.endsWith('_url') && url !== null)
        .map(([field, url]) => `${field} ${String(url).split('/').at(-1)!}`),
    );
    const handles = ({ truth }: CompanySite): string[] =>
      Object.entries(truth.socials).map(([field, handle]) => `${field} ${handle}`);
    expect(judged(said, handles)).toEqual({ right: 245, wrong: [], missed: [] });
  });

  it('getJobPostings lists what they have open', async () => {
    const said = (await askAll(new JobPostingsProvider({ reader, client, boardUrls: sites.boardUrls }))).map(
      ({ items }) => (items as Array<{ title: string }>).map(({ title }) => title),
    );
    expect(judged(said, ({ truth }) => truth.jobs)).toEqual({ right: 171, wrong: [], missed: [] });
  });
});
