import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { createOrganisation } from '@quarry/composition';
import { printMeasurement } from '@quarry/test-servers';
import { ApiClient, startProduct, type ApiAnswer, type Product } from '@quarry/testing';

/**
 * Milliseconds of the main thread while another organisation reads: usually 20 to 60; 240 if a robots.txt is read in one turn;
 * endless if patterns are regular expressions.
 */
const MAIN_THREAD_MS = 200;
/** Megabytes in addition to what as many harmless texts of the same lengths take. */
const GROWTH_MB_MAX = 50;
const BETWEEN_READS_MS = 50;

/** Megabytes of three threads, with 256 MB for page trees and 16 MB for young objects each; everything else is freed per page. */
const THREADS_MB_MAX = 3 * 272;

const ROBOTS_CHARACTERS = 450_000;
const PAGE_CHARACTERS = 1_000_000;
const filled = (unit: string, characters: number): string => unit.repeat(Math.ceil(characters / unit.length));
const page = (body: string): string => `<html lang="en"><title>Page</title><body>${body}</body></html>`;
const SIMPLE = page('<p>Quiet pumps since 1987.</p>');
const COMMENTS = filled('# A comment of a robots.txt\n', ROBOTS_CHARACTERS);

/** Kind of the pages: ordinary and small pages, pages within the limits that are expensive to read, and pages beyond them. */
type Kind = 'harmless' | 'hostile' | 'small' | 'tangled';
interface Texts {
  /** Contents of two robots.txt files. */
  groups: string;
  wildcards: string;
  page: string;
  siteMap: string;
  prompts: readonly string[];
}
/** Texts of both kinds, equal in number and about equal in length. */
const TEXTS: Record<'harmless' | 'hostile', Texts> = {
  harmless: {
    groups: COMMENTS,
    wildcards: COMMENTS,
    page: page(filled('<p>Quiet pumps for breweries in four countries.</p>\n', PAGE_CHARACTERS)),
    siteMap: `<urlset>${filled('<url><loc>http://a.example/a-page-of-the-site</loc></url>', 1_900_000)}</urlset>`,
    prompts: ['companies in Berlin. '.repeat(950), 'companies in Paris. '.repeat(990)],
  },
  hostile: {
    groups: `${filled('User-agent: *\n', 3_000 * 14)}${'Allow:/\n'.repeat(50_000)}`,
    wildcards: `User-agent: *\n${Array.from({ length: 1_000 }, (_, at) => `Disallow: /${'*a'.repeat(200)}${at}b$\n`).join('')}`,
    // Within the limits of a page, but slow: each part is searched for links.
    page: page(`${'<nav>'.repeat(190)}${'<a href="x">x</a>'.repeat(49_000)}${'</nav>'.repeat(190)}`),
    siteMap: `<urlset>${'<url><a><b/><c/></a><a/><a/></url>'.repeat(55_000)}</urlset>`,
    prompts: ['1,'.repeat(9_999), '$'.repeat(20_000)],
  },
};

const TANGLED = page('<div><nav><a href="x">'.repeat(80_000));

/** Third number of the sites' addresses, by kind. */
const THIRDS: Record<Kind, number> = { harmless: 2, hostile: 3, small: 4, tangled: 5 };
/** Last number of the sites' loopback addresses: reads of one site take turns, and its robots rules are cached. */
const SITES = { groups: 1, wildcards: 2, siteMap: 3, shared: 4 };
const PAGE_SITES = Array.from({ length: 10 }, (_, at) => 10 + at);
const hostOf = (kind: Kind, site: number): string => `127.0.${THIRDS[kind]}.${site}`;

let server: Server;
let port: number;
let product: Product;
let sender: ApiClient;
let reader: ApiClient;

beforeAll(async () => {
  server = createServer(({ headers, url = '/' }, response) => {
    const [, , third, last] = headers.host!.split(':')[0]!.split('.').map(Number);
    const isHostile = third === THIRDS.hostile;
    const { groups, wildcards, siteMap, page: html } = TEXTS[isHostile ? 'hostile' : 'harmless'];
    const answer = (type: string, body: string): void =>
      void response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
    if (url === '/robots.txt' && last === SITES.groups) return answer('text/plain', groups);
    if (url === '/robots.txt' && last === SITES.wildcards) return answer('text/plain', wildcards);
    if (url === '/robots.txt') return void response.writeHead(404).end();
    if (url === '/sitemap.xml' && last === SITES.siteMap) return answer('application/xml', siteMap);
    if (url.startsWith('/hanging') && isHostile) return;
    if (!PAGE_SITES.includes(last!) || third === THIRDS.small) return answer('text/html', SIMPLE);
    answer('text/html', third === THIRDS.tangled ? TANGLED : html);
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  const hosts = (Object.keys(THIRDS) as Kind[]).flatMap((kind) =>
    [...Object.values(SITES), ...PAGE_SITES].map((site) => `${hostOf(kind, site)}:${port}`),
  );
  product = await startProduct({
    env: { LOG_LEVEL: 'error', RATE_LIMIT_SCALE: '1000', FETCH_ALLOW_HOSTS: hosts.join() },
  });
  sender = new ApiClient(product.baseUrl, product.credentials.api_key);
  const { apiKey } = await createOrganisation(product.database!.database, { name: 'Reader', credits: 100 });
  reader = new ApiClient(product.baseUrl, apiKey);
});
afterAll(async () => {
  await product.dispose();
  server.closeAllConnections();
  server.close();
});

/** Returns the CPU milliseconds of the product's main thread, which other processes and threads do not affect. */
function mainThreadMs(): number {
  const [ranNs] = readFileSync(`/proc/${product.pid}/task/${product.pid}/schedstat`, 'utf8').split(' ');
  return Number(ranNs) / 1e6;
}

/** Returns the peak memory of the process in megabytes since {@link forgetPeak}, including its page threads. */
function peakMb(): number {
  const status = readFileSync(`/proc/${product.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
}

function forgetPeak(): void {
  writeFileSync(`/proc/${product.pid}/clear_refs`, '5');
}

/** Part that parses the texts of an organisation: the main thread, or separate threads with separate memory. */
type Part = 'main' | 'threads';
interface Phase {
  answers: Array<ApiAnswer<any>>;
  reads: Array<{ status: number; cpuMs: number; wallMs: number }>;
  peakMb: number;
  /** Number of slow calls and pages that were answered before the page of the other organisation. */
  slowBefore: number;
}
let round = 0;

function callsOf(part: Part, kind: Kind): Array<readonly [path: string, body: object]> {
  const at = (site: number, path: string): object => ({ url: `http://${hostOf(kind, site)}:${port}${path}` });
  const scrape = (site: number, path: string) => ['/services/scrapeUrl', at(site, path)] as const;
  if (part === 'threads')
    return [
      ...PAGE_SITES.map((site) => scrape(site, `/${round}`)),
      ['/services/mapWebsite', at(SITES.siteMap, '')],
    ];
  return [
    ...Array.from({ length: 4 }, (_, each) => scrape(SITES.shared, `/hanging/${round}/${each}`)),
    scrape(SITES.groups, `/${round}`),
    ...[1_700, 1_600].map((length) =>
      scrape(SITES.wildcards, `/${round}${'a'.repeat(length)}?${'a'.repeat(200)}`),
    ),
    ...TEXTS[kind === 'hostile' ? kind : 'harmless'].prompts.flatMap((prompt) => [
      ['/v1/plans', { prompt }] as const,
      ['/v1/runs', { prompt }] as const,
    ]),
  ];
}

/** Sends everything of one organisation at once. Meanwhile another one reads, and requests a page of a site of the first one. */
async function phaseOf(part: Part, kind: Kind): Promise<Phase> {
  round += 1;
  forgetPeak();
  const answers: Phase['answers'] = [];
  let slow = 0;
  const all = Promise.all(
    callsOf(part, kind).map(async ([path, body], at) => {
      answers.push(await sender.post(path, body));
      if (at < (part === 'main' ? 4 : PAGE_SITES.length)) slow += 1;
    }),
  );
  let isOver = false;
  const reads: Phase['reads'] = [];
  const reading = (async (): Promise<void> => {
    while (!isOver) {
      const [cpu, wall] = [mainThreadMs(), performance.now()];
      const { status } = await reader.get('/credits');
      reads.push({ status, cpuMs: mainThreadMs() - cpu, wallMs: performance.now() - wall });
      await pauseFor(BETWEEN_READS_MS);
    }
  })();
  const url = `http://${hostOf(kind, SITES.shared)}:${port}/plain/${round}`;
  const own = await reader.post('/services/scrapeUrl', { url });
  const slowBefore = slow;
  expect([own.status, own.body]).toMatchObject([200, { output: { title: 'Page' } }]);
  await all.finally(() => (isOver = true));
  await reading;
  const phase = { answers, reads, peakMb: peakMb(), slowBefore };
  const most = (of: 'cpuMs' | 'wallMs'): string => Math.max(...reads.map((read) => read[of])).toFixed(0);
  printMeasurement(
    `${kind} texts of the ${part}: of ${reads.length} reads of another organisation the main thread took ${most('cpuMs')} ms at most, ` +
      `the clock said ${most('wallMs')} ms; memory ${phase.peakMb.toFixed(0)} MB at most; its page came before ` +
      `${answers.length - slowBefore} of ${answers.length} answers; ` +
      Object.entries(
        Object.groupBy(answers, ({ status, body }) => `${status} ${body.error?.code ?? ''}`.trim()),
      )
        .map(([code, each]) => `${each!.length} × ${code}`)
        .join(', '),
  );
  return phase;
}

describe.each([
  { part: 'main', slow: 4, growthMbMax: GROWTH_MB_MAX },
  { part: 'threads', slow: PAGE_SITES.length, growthMbMax: THREADS_MB_MAX },
] as const)('expensive texts of one organisation for the $part', ({ part, slow, growthMbMax }) => {
  it('cost another organisation no response, and little time and memory', async () => {
    // The first round starts threads and compiles code.
    await phaseOf(part, 'harmless');
    const usual = await phaseOf(part, 'harmless');
    const hostile = await phaseOf(part, 'hostile');
    expect(hostile.reads.filter(({ status }) => status !== 200)).toEqual([]);
    for (const { status, body } of hostile.answers)
      if (status >= 300)
        expect(body).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } });
    expect(hostile.answers.filter(({ status }) => status === 500)).toEqual([]);
    expect(hostile.reads.filter(({ cpuMs }) => cpuMs > MAIN_THREAD_MS)).toEqual([]);
    expect(hostile.peakMb - usual.peakMb).toBeLessThan(growthMbMax);
    expect(hostile.slowBefore).toBeLessThan(slow);
  });
});

describe('pages too complex to be read', () => {
  it('are refused before they use the memory of a parsed page', async () => {
    // All threads have parsed a page before, so their own memory does not count here.
    await phaseOf('threads', 'harmless');
    const usual = await phaseOf('threads', 'small');
    const tangled = await phaseOf('threads', 'tangled');
    const refused = tangled.answers.filter(({ body }) => body.error?.code === 'validation_error');
    expect(refused).toHaveLength(PAGE_SITES.length);
    expect(tangled.reads.filter(({ status, cpuMs }) => status !== 200 || cpuMs > MAIN_THREAD_MS)).toEqual([]);
    expect(tangled.peakMb - usual.peakMb).toBeLessThan(GROWTH_MB_MAX);
  });
});
