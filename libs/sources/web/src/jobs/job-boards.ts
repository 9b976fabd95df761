import { MARKED_CHARACTERS_MAX } from '../pages/page-fingerprint.js';
import { z } from 'zod';
import { listOf } from '@quarry/engine';

/** Open position. Facts that its board does not provide are null. */
export interface JobPosting {
  title: string;
  url: string;
  location: string | null;
  department: string | null;
  /** ISO 8601. */
  posted_at: string | null;
  /** Id of the board, or `website`. */
  board: string;
}

/** A company's section of a board, as linked from its own pages. */
export interface BoardOfCompany {
  board: JobBoard;
  /** Identifier of the company at the board. */
  company: string;
}

/** Public job board with an API that needs no key. */
export interface JobBoard {
  id: string;
  /** Base address of its API, with `{company}` if each company has its own host. */
  url: string;
  /**
   * Patterns of its addresses in a page; the first group is the company's identifier. Bounded, so that no page makes them
   * slow.
   */
  marks: readonly RegExp[];
  /** Returns the API paths: the first one lists the positions, an optional second one adds missing data. */
  paths: (company: string) => readonly [positions: string, departments?: string];
  /** @returns positions from the responses to `paths`; null when they do not have this board's format */
  read: (answers: readonly unknown[], company: string) => Array<Omit<JobPosting, 'board'>> | null;
}

/** Limits of a response: a board of a thousand positions with their full texts has about 5 MB. */
export const BOARD_BOUNDS = { bytesMax: 10 * 1024 * 1024, itemsMax: 5_000 };
/** Maximum number of positions read; an output of the service has at most a hundred. */
const POSTINGS_MAX = 1_000;

/** Names, addresses and times; longer texts of a position are not read. */
const line = z.string().max(2_000);
const text = line.nullish();
const words = (value: string | null | undefined): string | null => value?.trim() || null;
const joined = (...parts: Array<string | null | undefined>): string | null =>
  words(parts.filter((part) => words(part)).join(', '));
/** @param value ISO text with or without a time, or milliseconds */
const time = (value: string | number | null | undefined): string | null => {
  const at = new Date(value ?? '');
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
};
/** @returns a web address; null for anything else, so that no output contains a script URL */
const webAddress = (value: string): string | null => {
  const url = URL.parse(value);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
};

/** Parses the items of a response with a schema; an invalid item does not affect the others. */
function readItems<T>(
  items: readonly unknown[],
  schema: z.ZodType<T>,
  of: (item: T) => { title: string; url: string } & Omit<JobPosting, 'board' | 'title' | 'url'>,
): Array<Omit<JobPosting, 'board'>> {
  return items.slice(0, POSTINGS_MAX).flatMap((item) => {
    const read = schema.safeParse(item);
    if (!read.success) return [];
    const posting = of(read.data);
    const url = webAddress(posting.url);
    const title = words(posting.title);
    return url === null || title === null ? [] : [{ ...posting, title, url }];
  });
}

function listAt(answer: unknown, key: string): unknown[] | null {
  const list = (answer as Record<string, unknown> | null)?.[key];
  return Array.isArray(list) ? list : null;
}

// Source: the boards' developer documentation, 2026: Greenhouse Job Board API, Lever Postings API, Ashby Job Postings API,
// Recruitee Careers Site API, SmartRecruiters Posting API.
export const JOB_BOARDS: readonly JobBoard[] = [
  {
    id: 'greenhouse',
    url: 'https://boards-api.greenhouse.io',
    marks: [
      /boards-api\.greenhouse\.io\/v1\/boards\/([\w-]{1,100})/i,
      /(?:job-)?boards(?:\.eu)?\.greenhouse\.io\/embed\/job_(?:board|app)(?:\/js)?\?(?:[^"'\s]{0,200}?&(?:amp;)?)?for=([\w-]{1,100})/i,
      /(?:job-)?boards(?:\.eu)?\.greenhouse\.io\/(?!embed\b|v1\b)([\w-]{1,100})/i,
    ],
    paths: (company) => [`/v1/boards/${company}/jobs`, `/v1/boards/${company}/departments`],
    read: ([answer, other]) => {
      const jobs = listAt(answer, 'jobs');
      const department = z.looseObject({ name: line, jobs: listOf(z.looseObject({ id: z.number() })) });
      const departments = new Map(
        (listAt(other, 'departments') ?? []).flatMap((item) => {
          const read = department.safeParse(item);
          return read.success ? read.data.jobs.map(({ id }) => [id, read.data.name] as const) : [];
        }),
      );
      const job = z.looseObject({
        id: z.number().optional(),
        title: line,
        absolute_url: line,
        location: z.looseObject({ name: text }).nullish(),
        first_published: text,
      });
      return (
        jobs &&
        readItems(jobs, job, ({ id, title, absolute_url: url, location, first_published: at }) => {
          const department = departments.get(id ?? -1);
          return {
            title,
            url,
            location: words(location?.name),
            posted_at: time(at),
            // The board's name for positions in no department.
            department: department === 'No Department' ? null : words(department),
          };
        })
      );
    },
  },
  {
    id: 'lever',
    url: 'https://api.lever.co',
    marks: [/api\.lever\.co\/v0\/postings\/(\w[\w.-]{0,99})/i, /jobs\.lever\.co\/(\w[\w.-]{0,99})/i],
    paths: (company) => [`/v0/postings/${company}?mode=json`],
    read: ([answer]) => {
      const posting = z.looseObject({
        text: line,
        hostedUrl: line,
        categories: z.looseObject({ location: text, department: text, team: text }).nullish(),
        createdAt: z.number().nullish(),
      });
      return Array.isArray(answer)
        ? readItems(answer, posting, ({ text: title, hostedUrl: url, categories, createdAt }) => ({
            title,
            url,
            location: words(categories?.location),
            posted_at: time(createdAt),
            department: words(categories?.department) ?? words(categories?.team),
          }))
        : null;
    },
  },
  {
    id: 'ashby',
    url: 'https://api.ashbyhq.com',
    marks: [
      /api\.ashbyhq\.com\/posting-api\/job-board\/(\w[\w.%-]{0,99})/i,
      /jobs\.ashbyhq\.com\/(\w[\w.%-]{0,99})/i,
    ],
    paths: (company) => [`/posting-api/job-board/${company}`],
    read: ([answer]) => {
      const job = z.looseObject({
        title: line,
        jobUrl: line,
        location: text,
        department: text,
        team: text,
        publishedAt: text,
        isListed: z.boolean().nullish(),
      });
      const jobs = listAt(answer, 'jobs');
      // An unlisted position is only meant for people who received its link.
      const listed = jobs?.filter((item) => (item as { isListed?: unknown } | null)?.isListed !== false);
      if (!listed) return null;
      return readItems(listed, job, ({ title, jobUrl: url, location, department, team, publishedAt }) => ({
        title,
        url,
        location: words(location),
        posted_at: time(publishedAt),
        department: words(department) ?? words(team),
      }));
    },
  },
  {
    id: 'recruitee',
    url: 'https://{company}.recruitee.com',
    marks: [/\/\/(?!www\.|api\.|support\.|careers-analytics\.|docs\.|app\.)([\w-]{1,100})\.recruitee\.com/i],
    paths: () => ['/api/offers/'],
    read: ([answer]) => {
      const offer = z.looseObject({
        title: line,
        careers_url: line,
        location: text,
        city: text,
        country: text,
        department: text,
        published_at: text,
      });
      const offers = listAt(answer, 'offers');
      return (
        offers &&
        readItems(offers, offer, (item) => ({
          title: item.title,
          url: item.careers_url,
          department: words(item.department),
          location: words(item.location) ?? joined(item.city, item.country),
          // "2026-01-02 10:00:00 UTC"
          posted_at: time(item.published_at?.replace(/^(\S+) (\S+) UTC$/, '$1T$2Z')),
        }))
      );
    },
  },
  {
    id: 'smartrecruiters',
    url: 'https://api.smartrecruiters.com',
    marks: [
      /api\.smartrecruiters\.com\/v1\/companies\/([\w-]{1,100})/i,
      /(?:careers|jobs)\.smartrecruiters\.com\/(?!ni\b|oneclick-ui\b)([\w-]{1,100})/i,
    ],
    paths: (company) => [`/v1/companies/${company}/postings?limit=100`],
    read: ([answer], company) => {
      const posting = z.looseObject({
        id: line,
        name: line,
        location: z.looseObject({ city: text, region: text, country: text, fullLocation: text }).nullish(),
        department: z.looseObject({ label: text }).nullish(),
        releasedDate: text,
      });
      const content = listAt(answer, 'content');
      return (
        content &&
        readItems(content, posting, ({ id, name: title, location, department, releasedDate }) => ({
          title,
          department: words(department?.label),
          posted_at: time(releasedDate),
          url: `https://jobs.smartrecruiters.com/${company}/${encodeURIComponent(id)}`,
          location:
            words(location?.fullLocation) ??
            joined(location?.city, location?.region, location?.country?.toUpperCase()),
        }))
      );
    },
  },
];

/** @returns the boards linked in the HTML of a page, each company once, in the order of the table */
export function boardsIn(html: string): BoardOfCompany[] {
  return JOB_BOARDS.flatMap((board) => {
    const named = board.marks.flatMap((mark) => {
      const all = html.slice(0, MARKED_CHARACTERS_MAX).matchAll(new RegExp(mark.source, 'gi'));
      return [...all].map(([, company]) => company!);
    });
    return [...new Set(named)].map((company) => ({ board, company }));
  });
}
