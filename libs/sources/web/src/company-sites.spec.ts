import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AddressGuard, DnsClient, HostTurns, OutboundClient } from '@quarry/safe-http';
import {
  COMPANY_SITES,
  CompanySites,
  NameServer,
  WRITTEN_SITES,
  type CompanySite,
} from '@quarry/test-servers';
import type { LookupProvider } from '@quarry/engine';
import { JobPostingsProvider } from './jobs/job-postings.provider.js';
import { PageReader } from './pages/page-reader.js';
import type { ReadOptions, ReadPage } from './pages/page.js';
import { SocialsProvider } from './company/socials.provider.js';
import { TechProvider } from './pages/tech.provider.js';

const AT_ONCE = 8;

/** Parses each page once and caches it. */
class KeptPages extends PageReader {
  private readonly pages = new Map<string, Promise<ReadPage>>();

  override readPage(url: string, options: ReadOptions): Promise<ReadPage> {
    const page = this.pages.get(url) ?? super.readPage(url, options);
    this.pages.set(url, page);
    return page;
  }

  override async findPage(url: string, options: ReadOptions): Promise<ReadPage | null> {
    const page = await this.readPage(url, options);
    return page.status < 400 ? page : null;
  }
}

/** Counts of correct, wrong and missed facts of a site. */
interface Score {
  right: number;
  wrong: string[];
  missed: string[];
}

function scoreOf(
  sites: readonly CompanySite[],
  found: readonly string[][],
  truth: (site: CompanySite) => readonly string[],
): Score {
  const all: Score = { right: 0, wrong: [], missed: [] };
  sites.forEach((site, n) => {
    const [is, says] = [truth(site), found[n]!];
    all.right += says.filter((each) => is.includes(each)).length;
    all.wrong.push(...says.filter((each) => !is.includes(each)).map((each) => `${site.domain}: ${each}`));
    all.missed.push(...is.filter((each) => !says.includes(each)).map((each) => `${site.domain}: ${each}`));
  });
  return all;
}

describe('facts from company websites', () => {
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
    reader = new KeptPages(client, 'QuarryBot', { turns: new HostTurns(0) });
  });
  afterAll(async () => {
    await reader.close();
    await client.close();
    names.stop();
    await sites.stop();
  });

  async function askAll(
    of: readonly CompanySite[],
    provider: LookupProvider,
  ): Promise<Array<Record<string, any>>> {
    const answers: Array<Record<string, any>> = [];
    // A few at a time: names and pages are served by this very thread.
    for (let at = 0; at < of.length; at += AT_ONCE)
      answers.push(
        ...(await Promise.all(
          of.slice(at, at + AT_ONCE).map(async (site) => {
            const input = { domain: sites.url(site) };
            const signal = AbortSignal.timeout(120_000);
            const call = { service: provider.services[0]!, input, searchId: 'hold_1', signal };
            return (await provider.answerCall(call)).output as Record<string, any>;
          }),
        )),
      );
    return answers;
  }

  async function tech(of: readonly CompanySite[]): Promise<Score> {
    const found = (await askAll(of, new TechProvider(reader))).map(({ items }) =>
      (items as Array<{ name: string }>).map(({ name }) => name),
    );
    return scoreOf(of, found, ({ truth }) => truth.tech);
  }

  async function socials(of: readonly CompanySite[]): Promise<Score> {
    const found = (await askAll(of, new SocialsProvider(reader))).map((output) =>
      Object.entries(output)
        .filter(([field, url]) => field.endsWith('_url') && url !== null)
        .map(([field, url]) => `${field} ${String(url).split('/').at(-1)!}`),
    );
    return scoreOf(of, found, ({ truth }) =>
      Object.entries(truth.socials).map(([field, handle]) => `${field} ${handle}`),
    );
  }

  async function jobs(of: readonly CompanySite[]): Promise<Score> {
    const provider = new JobPostingsProvider({ reader, client, boardUrls: sites.boardUrls });
    const found = (await askAll(of, provider)).map(({ items }) =>
      (items as Array<{ title: string }>).map(({ title }) => title),
    );
    return scoreOf(of, found, ({ truth }) => truth.jobs);
  }

  it('are complete and correct for two hundred generated sites', async () => {
    expect(await tech(COMPANY_SITES)).toEqual({ right: 720, wrong: [], missed: [] });
    expect(await socials(COMPANY_SITES)).toEqual({ right: 245, wrong: [], missed: [] });
    expect(await jobs(COMPANY_SITES)).toEqual({ right: 171, wrong: [], missed: [] });
  });

  // Missed facts are counted, so that an improvement shows up here.
  it('are almost always correct for fifty handwritten sites', async () => {
    const found = {
      tech: await tech(WRITTEN_SITES),
      socials: await socials(WRITTEN_SITES),
      jobs: await jobs(WRITTEN_SITES),
    };
    expect(found.tech).toMatchObject({ right: 202, wrong: [expect.stringContaining('Vue.js')] });
    expect(found.socials).toMatchObject({ right: 112, wrong: [] });
    expect(found.jobs).toMatchObject({ right: 42, wrong: [expect.stringContaining('Dachdecker')] });
    expect(Object.values(found).map(({ missed }) => missed.length)).toEqual([14, 8, 0]);
  });
});
