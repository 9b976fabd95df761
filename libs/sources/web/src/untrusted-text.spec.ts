import { describe, expect, it } from '@jest/globals';
import { parseBoundedJson } from '@quarry/resilience';
import {
  printMeasurement,
  measureMedian,
  TEXT_CPU_MS_MAX,
  worstAnswers,
  worstTexts,
} from '@quarry/test-servers';
import { explanationsOf, namesIn } from './company/email-pattern.js';
import { companyFacts } from './company/enrich-company.provider.js';
import { ownNames } from './company/company-name.js';
import { nameLines } from './contact/contact-sites.js';
import { numbersOf } from './contact/linked-numbers.js';
import { factsOf, SchemaFiller, schemaNodesOf, classify } from '@quarry/extraction';
import { registrationIn } from './domain-info.provider.js';
import { boardsIn, JOB_BOARDS, BOARD_BOUNDS } from './jobs/job-boards.js';
import { postingsOf } from './jobs/job-postings.provider.js';
import type { ReadPage } from './pages/page.js';
import { profilesOf } from './company/socials.provider.js';
import { technologiesOf } from './pages/tech.provider.js';

/** Limit of `PageReader`. */
const PAGE_CHARACTERS_MAX = 2_000_000;

const MARKUP =
  '<|<!--|<a |<script>|<script src="|<script src="https://a.example/|<link href=a |<img src="//a/b" |<form action=|</script|<textarea>|<a href="https://calendly.com/|//boards.greenhouse.io/embed/job_board?&for=|boards.greenhouse.io/a |jobs.lever.co/a|//a.recruitee.com|//a.|https://|\\/\\/a.example\\/|//aaaa.example/a |src=|src="|\'|"|&amp;| | data-v-|connect.facebook.net/a|a|é|😀|\n'.split(
    '|',
  );
const WORDS =
  'Ada |Ada Lovelace |ada |A |Ä|é|Ada, |(|. |: |1 |030 1234567 |+49 30 |@a.example |a@|-|—|fax |tel |😀|\n| |, |Dr. |ada.lovelace |not |'.split(
    '|',
  );
const NEAR_CHARACTERS_MAX = 300;

function pageOf(parts: Partial<ReadPage>): ReadPage {
  return {
    url: 'https://a.example/',
    status: 200,
    headers: {},
    html: '',
    title: null,
    description: null,
    language: null,
    links: [],
    framing: [],
    metadata: {},
    structured: [],
    microdata: [],
    contacts: [],
    numbers: [],
    pairs: [],
    feeds: [],
    scripts: [],
    ...parts,
  };
}

async function dearest(
  what: string,
  units: readonly string[],
  length: number,
  read: (text: string) => unknown,
): Promise<void> {
  const spent: Array<{ cpuMs: number; name: string }> = [];
  for (const { name, text } of worstTexts(units.filter(Boolean), length))
    spent.push({ cpuMs: await measureMedian(() => read(text), TEXT_CPU_MS_MAX), name });
  const [most] = spent.sort((a, b) => b.cpuMs - a.cpuMs);
  printMeasurement(`${what}, the dearest of ${spent.length}: ${most!.cpuMs.toFixed(0)} ms, ${most!.name}`);
  expect(spent.filter(({ cpuMs }) => cpuMs > TEXT_CPU_MS_MAX)).toEqual([]);
}

describe('page text is analysed without blocking the main thread', () => {
  it('for technologies', () =>
    dearest('technologies', MARKUP, PAGE_CHARACTERS_MAX, (html) =>
      technologiesOf(pageOf({ html, headers: { 'set-cookie': html.slice(0, 16_000) } })),
    ));

  it('for job boards', () => dearest('boards', MARKUP, PAGE_CHARACTERS_MAX, boardsIn));

  it('for names, on as many pages as are read of a site', () =>
    dearest('names', WORDS, PAGE_CHARACTERS_MAX, (markdown) =>
      namesIn(nameLines(Array.from({ length: 8 }, () => ({ markdown }))), 5_000),
    ));

  it('for the context of its addresses', () =>
    dearest('addresses', WORDS, NEAR_CHARACTERS_MAX, (near) => {
      for (let at = 0; at < 500; at += 1) explanationsOf('ada.lovelace', near + String(at));
    }));

  // The maximum number of occurrences that are evaluated.
  it('for the owners of its phone numbers', () =>
    dearest('numbers', WORDS, 20_000, (text) => {
      const numbers = Array.from({ length: 255 }, (_, at) => ({
        text: `+49 30 ${2_000_000 + at}`,
        near: text.slice(at * 37, at * 37 + NEAR_CHARACTERS_MAX),
        isLink: true,
        isQuoted: false,
      }));
      numbersOf([pageOf({ numbers })]);
    }));

  it('for the company name and a classified text', () =>
    dearest('titles and classes', WORDS, 20_000, (text) => {
      ownNames(pageOf({ title: text.slice(0, 1_000) }));
      classify(text, ['ada', 'ada lovelace', 'not interested', 'software']);
    }));

  it('for a schema with as many fields as are filled, with excerpts', () =>
    dearest('schemas', MARKUP, PAGE_CHARACTERS_MAX, (html) => {
      const names = Array.from({ length: 500 }, (_, at) => `field${at}`);
      const structured = [Object.fromEntries(names.map((name) => [name, `${name} is nowhere & never`]))];
      const schema = { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
      new SchemaFiller('2026-01-01').fillSchema(schema, [factsOf({ ...pageOf({ structured }), html })]);
    }));
});

/** Responses of a board and a registry, as documented. */
const posting = {
  id: 1,
  title: 'Engineer',
  location: { name: 'Berlin' },
  first_published: '2026-01-02T10:00:00Z',
};
const BOARD_ANSWERS: Record<string, unknown[]> = {
  greenhouse: [
    { jobs: [{ ...posting, absolute_url: 'https://a.example/1' }] },
    { departments: [{ name: 'R&D', jobs: [{ id: 1 }] }] },
  ],
  lever: [
    [
      {
        text: 'Engineer',
        hostedUrl: 'https://a.example/1',
        createdAt: 1_767_348_000_000,
        categories: { location: 'Berlin', department: 'R&D', team: 'Pumps' },
      },
    ],
  ],
  ashby: [{ jobs: [{ ...posting, location: 'Berlin', jobUrl: 'https://a.example/1', isListed: true }] }],
  recruitee: [
    {
      offers: [
        { title: 'Engineer', careers_url: 'https://a.example/1', published_at: '2026-01-02 10:00:00 UTC' },
      ],
    },
  ],
  smartrecruiters: [
    {
      content: [
        {
          id: '744',
          name: 'Engineer',
          location: { city: 'Berlin', country: 'de' },
          department: { label: 'R&D' },
        },
      ],
    },
  ],
};
const REGISTRATION = {
  events: [{ eventAction: 'registration', eventDate: '1999-01-01T00:00:00Z' }],
  entities: [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'A Registrar']]] }],
};

async function dearestAnswer(
  what: string,
  meant: unknown,
  length: number,
  read: (bytes: Buffer) => unknown,
): Promise<void> {
  const spent: Array<{ cpuMs: number; name: string }> = [];
  for (const { name, text } of worstAnswers(meant, length)) {
    const bytes = Buffer.from(text);
    const cpuMs = await measureMedian(() => {
      try {
        read(bytes);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }, TEXT_CPU_MS_MAX);
    spent.push({ cpuMs, name });
  }
  const [most] = spent.sort((a, b) => b.cpuMs - a.cpuMs);
  printMeasurement(`${what}, the dearest of ${spent.length}: ${most!.cpuMs.toFixed(0)} ms, ${most!.name}`);
  expect(spent.filter(({ cpuMs }) => cpuMs > TEXT_CPU_MS_MAX)).toEqual([]);
}

const MANY_FIELDS = {
  properties: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`n${at}`, { type: 'string' }])),
};
const wide = (width: number, depth: number): unknown =>
  depth === 0
    ? 'ada'
    : Object.fromEntries(Array.from({ length: width }, (_, at) => [`n${at}`, wide(width, depth - 1)]));

/** The maximum number of values of a page's JSON-LD. */
const STRUCTURED: Record<string, unknown[]> = {
  'objects without anything': Array.from({ length: 33_000 }, () => ({})),
  numbers: Array.from({ length: 99_000 }, () => 1),
  'positions of other employers': Array.from({ length: 11_000 }, (_, at) => ({
    '@type': 'JobPosting',
    title: 'a',
    hiringOrganization: { name: `n${at}`, url: 'https://b.example/' },
  })),
  'organisations with profiles': Array.from({ length: 14_000 }, () => ({
    '@type': 'Organization',
    name: 'Ada',
    sameAs: 'https://www.linkedin.com/company/a',
    address: {},
  })),
  'nodes within each other': Array.from({ length: 600 }, () =>
    Array.from({ length: 48 }).reduce((inner: unknown) => ({ '@type': 'Person', name: 'Ada', a: inner }), 1),
  ),
  'names that mean the same': [
    Object.fromEntries(
      Array.from({ length: 33_000 }, (_, at) => [`a${'_'.repeat(at % 40)}${' '.repeat(at / 40)}`, {}]),
    ),
  ],
  'wide nodes within wide nodes': [wide(45, 3)],
  'hundreds of values of each of many names': Array.from({ length: 10 }, () =>
    Object.fromEntries(
      Array.from({ length: 98 }, (_, at) => [`n${at}`, Array.from({ length: 100 }, () => 'ada')]),
    ),
  ),
  'long names of types': Array.from({ length: 20_000 }, () => ({ '@type': 'Organization'.repeat(5), a: 1 })),
};

describe('structured data of a page is analysed without blocking the main thread', () => {
  it.each(Object.entries(STRUCTURED))('%s', async (name, structured) => {
    const page = pageOf({ structured, title: 'Ada', html: '' });
    const home = pageOf({ title: 'Zeta' });
    for (const [what, read] of Object.entries({
      nodes: () => schemaNodesOf(page),
      positions: () => postingsOf(page, home),
      profiles: () => profilesOf(page),
      facts: () => factsOf(page),
      fields: () => new SchemaFiller('2026-01-01').fillSchema(MANY_FIELDS, [factsOf(page)]),
      'a company': () => companyFacts([page]),
    })) {
      const cpuMs = await measureMedian(read, TEXT_CPU_MS_MAX);
      printMeasurement(`${what} of ${name}: ${cpuMs.toFixed(0)} ms`);
      expect(cpuMs).toBeLessThan(TEXT_CPU_MS_MAX);
    }
  });
});

describe('JSON from an external server is analysed without blocking the main thread', () => {
  it.each(JOB_BOARDS.map((board) => [board.id, board] as const))(
    'from the job board %s',
    async (id, board) => {
      const answers = BOARD_ANSWERS[id]!;
      for (const [at, meant] of answers.entries())
        await dearestAnswer(`${id}, answer ${at + 1}`, meant, BOARD_BOUNDS.bytesMax, (bytes) => {
          const parsed = parseBoundedJson(bytes.toString('utf8'), BOARD_BOUNDS);
          board.read(answers.with(at, parsed), 'halbrook');
        });
    },
  );

  it('from a domain registry', () =>
    dearestAnswer('a registration', REGISTRATION, 1_000_000, registrationIn));
});
