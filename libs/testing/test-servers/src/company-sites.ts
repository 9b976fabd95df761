import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { bare, COMPANY_SITES, holding, WRITTEN_SITES, type CompanySite } from './company-sites.catalogue.js';
import { HttpSite, listenLocally } from './http-site.js';

/** Positions on the boards, by the company's name there. */
const LISTED = new Map<string, readonly string[]>([
  ...COMPANY_SITES.flatMap(({ domain, truth }) => {
    const slug = domain.replace('.example', '');
    return [bare(slug), holding(slug)].map((each) => [each, truth.jobs] as const);
  }),
  ...WRITTEN_SITES.flatMap(({ boards = {} }) =>
    Object.entries(boards).map(([at, titles]) => [at.split(':')[1]!, titles] as const),
  ),
]);

/** Paths of boards, and the format of their responses. Boards of other companies list positions too. */
const BOARDS: ReadonlyArray<readonly [path: RegExp, answer: (titles: readonly string[]) => unknown]> = [
  [
    /^\/v1\/boards\/([\w-]+)\/jobs$/,
    (titles) => ({
      jobs: titles.map((title, id) => ({ id, title, absolute_url: `https://board.example/${id}` })),
    }),
  ],
  [
    /^\/v0\/postings\/([\w-]+)$/,
    (titles) => titles.map((text, id) => ({ text, hostedUrl: `https://board.example/${id}` })),
  ],
  [
    /^\/posting-api\/job-board\/([\w-]+)$/,
    (titles) => ({ jobs: titles.map((title, id) => ({ title, jobUrl: `https://board.example/${id}` })) }),
  ],
  [
    /^\/([\w-]+)\.boards\.example\/api\/offers\/$/,
    (titles) => ({
      offers: titles.map((title, id) => ({ title, careers_url: `https://board.example/${id}` })),
    }),
  ],
  [
    /^\/v1\/companies\/([\w-]+)\/postings$/,
    (titles) => ({ content: titles.map((name, id) => ({ id: `p${id}`, name })) }),
  ],
];

const ALL: readonly CompanySite[] = [...COMPANY_SITES, ...WRITTEN_SITES];
/** Pattern of absolute links to the own site, which are rewritten to this server. */
const OWN_ADDRESS = /https:\/\/(www\.)?([\w-]+\.example)(?![\w.-])/g;

/**
 * Serves the sites by host name, and the responses of job boards, over HTTP on loopback. Their names must resolve to that.
 */
export class CompanySites extends HttpSite {
  private constructor(server: Server) {
    super(server);
    server.on('request', (request, response) => this.meet(request, response));
  }

  static async start(): Promise<CompanySites> {
    return new CompanySites(await listenLocally());
  }

  /** Returns the hosts of all sites for FETCH_ALLOW_HOSTS. */
  get hosts(): string[] {
    const names = ALL.flatMap(({ domain }) => [domain, `www.${domain}`]);
    const boards = [...LISTED.keys()].map((company) => `${company}.boards.example`);
    return ['127.0.0.1', ...names, ...boards].map((name) => `${name}:${this.port}`);
  }

  /** Returns the addresses of the boards for JOB_BOARD_URLS. */
  get boardUrls(): Record<string, string> {
    const boards = ['greenhouse', 'lever', 'ashby', 'smartrecruiters'].map((id) => [id, this.origin]);
    return {
      ...Object.fromEntries(boards),
      recruitee: `http://{company}.boards.example:${this.port}`,
    } as Record<string, string>;
  }

  /** @returns the URL of a company's site */
  url({ domain }: CompanySite): string {
    return `http://${domain}:${this.port}`;
  }

  private meet({ headers, url = '/' }: IncomingMessage, response: ServerResponse): void {
    const host = headers.host!.split(':')[0]!.replace(/^www\./, '');
    const path = url.split('?')[0]!;
    const site = ALL.find(({ domain }) => domain === host);
    if (!site) {
      // A board with one host per company is identified by the host.
      const answer = boardAnswer(host.endsWith('.boards.example') ? `/${host}${path}` : path);
      return void response
        .writeHead(answer === null ? 404 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer));
    }
    const html = site.pages[path];
    const type = { 'content-type': 'text/html; charset=utf-8' };
    if (html === undefined) return void response.writeHead(404, type).end('Nothing here');
    const atThisServer = (whole: string, start: string | undefined, name: string) =>
      name === site.domain ? `http://${start ?? ''}${name}:${this.port}` : whole;
    response
      .writeHead(200, path === '/' ? { ...type, ...site.headers } : type)
      .end(html.replaceAll(OWN_ADDRESS, atThisServer));
  }
}

function boardAnswer(path: string): unknown {
  for (const [mark, answer] of BOARDS) {
    const company = mark.exec(path)?.[1];
    if (company !== undefined) return answer(LISTED.get(company) ?? [`Position at ${company}`]);
  }
  return null;
}
