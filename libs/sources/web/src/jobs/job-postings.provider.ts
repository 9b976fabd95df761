import { parseBoundedJson } from '@quarry/resilience';
import { OutboundError, type OutboundClient } from '@quarry/safe-http';
import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import { pageFailure, readOfHost } from '../pages/page-failure.js';
import { handleKinship } from '../company/company-name.js';
import { marksOf } from '../pages/page-fingerprint.js';
import type { PageReader } from '../pages/page-reader.js';
import type { ReadPage } from '../pages/page.js';
import { isOfSite, readPages, readSite } from '../pages/site-pages.js';
import { isA, valuesIn, nodeAt, schemaNodesOf, wordsAt, type SchemaNode } from '@quarry/extraction';
import { BOARD_BOUNDS, boardsIn, type BoardOfCompany, type JobPosting } from './job-boards.js';

const LIMIT_DEFAULT = 100;
const CAREERS =
  /career|\bjobs?\b|karriere|stellen|vacanc|vacature|emploi|carri[eè]re|recrut|lavora|empleo|join[-_ ]?(us|our)|work[-_ ]?(with|for|at|here)|werken[-_ ]?bij|jobba|lediga|trabaj|lavor|ledige|arbeit(en)?[-_ ]bei|open[-_ ](roles|positions)|we.?re hiring/i;
/** Pages on which small companies announce that they are hiring. */
const ABOUT = /\babout\b|company|\bteam\b|[uü]ber[-_ ]?uns|qui[-_ ]sommes/i;
const PAGES = { link: CAREERS, also: ABOUT, max: 3, paths: ['/careers', '/jobs'] };
/** Maximum number of position pages that are read for a site without a board. */
const POSITIONS_MAX = 8;
/** Maximum number of boards on a company's own page. */
const BOARDS_MAX = 3;
const BOARD_MS = 10_000;

export interface JobPostingsParts {
  reader: PageReader;
  client: OutboundClient;
  /** Addresses that replace those of the boards, by the id of the board. */
  boardUrls?: Readonly<Record<string, string>>;
}

/**
 * Implements getJobPostings with the board linked from the company's own pages, else with the positions described on them.
 */
export class JobPostingsProvider implements LookupProvider {
  readonly id = 'job-boards';
  readonly services = ['getJobPostings'];

  constructor(private readonly parts: JobPostingsParts) {}

  /**
   * @throws ProviderFailure `provider_unavailable` also when no position was found, and a board could not be reached
   */
  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { domain, limit = LIMIT_DEFAULT } = input as { domain: string; limit?: number };
    const { reader } = this.parts;
    const pages = (await readOfHost(this.id, readSite(reader, domain, PAGES, signal))) ?? [];
    const boards = ownBoards(pages);
    const lists = await Promise.all(
      boards.slice(0, BOARDS_MAX).map((each) => this.readPositions(each, signal)),
    );
    const open = lists.flatMap((list) => list ?? []);
    const postings = open.length > 0 ? open : await this.onPages(pages, signal);
    // One page may describe several positions.
    const items = [...new Map(postings.map((each) => [`${each.url} ${each.title}`, each])).values()].slice(
      0,
      limit,
    );
    if (items.length === 0 && lists.includes(null))
      pageFailure(this.id)(new OutboundError('unreachable', 'The job board of the company did not answer.'));
    return answerOf(this.id, items.length > 0, { items });
  }

  /** @returns the positions of a board; empty when it does not know the company, null when it could not be reached */
  private async readPositions(
    { board, company }: BoardOfCompany,
    signal: AbortSignal,
  ): Promise<JobPosting[] | null> {
    const base = (this.parts.boardUrls?.[board.id] ?? board.url).replace('{company}', company);
    const paths = board.paths(company).filter((path) => path !== undefined);
    const answers = await Promise.all(paths.map((path) => this.readJson(base + path, signal)));
    if (answers[0] === undefined) return null;
    const postings = board.read(answers, company) ?? [];
    return postings.map((posting) => ({ ...posting, board: board.id }));
  }

  /** @returns undefined when the board could not be reached; null for any other answer without data */
  private async readJson(url: string, signal: AbortSignal): Promise<unknown> {
    try {
      const headers = { accept: 'application/json' };
      const { bytesMax } = BOARD_BOUNDS;
      const request = { url, headers, signal, timeoutMs: BOARD_MS, bytesMax };
      const { status, bytes } = await this.parts.client.sendRequest(request);
      if (status === 429 || status >= 500) return undefined;
      return status === 200 ? parseBoundedJson(bytes.toString('utf8'), BOARD_BOUNDS) : null;
    } catch (error) {
      if (error instanceof OutboundError)
        return error.fault === 'unreachable' || error.fault === 'too slow' ? undefined : null;
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }

  /** Returns positions described on the pages, else those described on pages that they link. */
  private async onPages(pages: readonly ReadPage[], signal: AbortSignal): Promise<JobPosting[]> {
    const [home] = pages;
    if (!home) return [];
    const described = pages.flatMap((page) => postingsOf(page, home));
    if (described.length > 0) return described;
    const careers = pages.slice(1);
    const seen = new Set(pages.map(({ url }) => url));
    const urls = careers.flatMap(({ links, url: from }) =>
      links
        .filter(({ url }) => isOfSite(url, from) && !seen.has(url))
        .filter(({ url }) => url.startsWith(folderOf(from)) || CAREERS.test(new URL(url).pathname))
        .map(({ url }) => url),
    );
    const further = await readPages(this.parts.reader, [...new Set(urls)].slice(0, POSITIONS_MAX), signal);
    return further.flatMap((page) => postingsOf(page, home));
  }
}

/**
 * Selects the company's own boards. A home page may link boards of others: of a customer, of an investor's portfolio. Of
 * these, the ones count whose identifier contains the company's name, that a script or frame of the page loads, or that its
 * header or footer links. On a careers page all count, unless they are too many for one company.
 */
function ownBoards(pages: readonly ReadPage[]): BoardOfCompany[] {
  const [home, ...careers] = pages;
  if (!home) return [];
  const isNamed = ({ company }: BoardOfCompany): boolean => handleKinship(company, home) !== null;
  const onCareers = distinctBoards(careers.flatMap(({ html }) => boardsIn(html)));
  const few = onCareers.length > BOARDS_MAX ? onCareers.filter(isNamed) : onCareers;
  const atHome = distinctBoards(boardsIn(home.html));
  // A link labelled with another company's name leads to the positions of that company.
  const framing = home.framing.filter(
    ({ label }) => CAREERS.test(label) || handleKinship(label, home) !== null,
  );
  const marks = [...framing.map(({ url }) => url), marksOf(home).loaded.join('\n')].join('\n');
  const framed = new Set(boardsIn(marks).map(keyOf));
  const shown = atHome.filter((each) => framed.has(keyOf(each)));
  const ownAtHome = atHome.filter(
    (each) => isNamed(each) || (few.length === 0 && shown.length <= BOARDS_MAX && shown.includes(each)),
  );
  return distinctBoards([...few, ...ownAtHome]);
}

function keyOf({ board, company }: BoardOfCompany): string {
  return `${board.id} ${company.toLowerCase()}`;
}

function distinctBoards(boards: readonly BoardOfCompany[]): BoardOfCompany[] {
  return [...new Map(boards.map((each) => [keyOf(each), each])).values()];
}

/**
 * @param home page of the company: positions of other employers, as on a job market, are omitted; null for all positions
 * @returns the positions that a page describes as JobPosting. Source: schema.org
 */
export function postingsOf(
  page: Pick<ReadPage, 'structured' | 'microdata' | 'url'>,
  home: ReadPage | null = null,
): JobPosting[] {
  const all = schemaNodesOf(page).filter((node) => isA(node, /^JobPosting$/));
  const employers = new Set(all.map((node) => wordsAt(node, 'hiringOrganization')));
  return all
    .filter((node) => !home || !isOfOthers(node, home, employers.size > 1))
    .flatMap((node) => {
      const title = wordsAt(node, 'title') ?? wordsAt(node, 'name');
      if (title === null) return [];
      const own = URL.parse(wordsAt(node, 'url') ?? '', page.url);
      // Deadline for applications. Source: schema.org, validThrough
      const until = Date.parse(wordsAt(node, 'validThrough') ?? '');
      if (until < Date.now()) return [];
      const posted = new Date(wordsAt(node, 'datePosted') ?? '');
      return {
        title,
        url: own && /^https?:$/.test(own.protocol) ? own.href : page.url,
        location: placeOf(node),
        department: wordsAt(node, 'department') ?? wordsAt(node, 'occupationalCategory'),
        posted_at: Number.isNaN(posted.getTime()) ? null : posted.toISOString(),
        board: 'website',
      };
    });
}

/** Returns true for an employer with another name and another site, or with another name among several. */
function isOfOthers(node: SchemaNode, home: ReadPage, areSeveral: boolean): boolean {
  const name = wordsAt(node, 'hiringOrganization');
  if (name === null || handleKinship(name, home) !== null) return false;
  const employer = nodeAt(node, 'hiringOrganization');
  const sites = ['sameAs', 'url'].flatMap((key) => URL.parse(wordsAt(employer, key) ?? '') ?? []);
  if (sites.some(({ href }) => isOfSite(href, home.url))) return false;
  return areSeveral || sites.length > 0;
}

function placeOf(node: SchemaNode): string | null {
  const places = valuesIn(node.jobLocation).flatMap((place) => {
    const address = nodeAt(place as SchemaNode, 'address');
    const parts = address
      ? ['addressLocality', 'addressRegion', 'addressCountry'].map((key) => wordsAt(address, key))
      : [wordsAt(place as SchemaNode, 'address') ?? wordsAt({ place }, 'place')];
    return parts.filter((part) => part !== null).join(', ') || [];
  });
  if (places.length > 0) return [...new Set(places)].join('; ');
  return wordsAt(node, 'jobLocationType') === 'TELECOMMUTE' ? 'Remote' : null;
}

/** Returns the folder of position pages, which is below the page that lists them. */
function folderOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/?$/, '/')}`;
}
