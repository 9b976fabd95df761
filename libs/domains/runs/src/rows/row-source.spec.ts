import { describe, expect, it } from '@jest/globals';
import type { DirectoryAnswer, PeopleQuery } from '@quarry/directory';
import { emptyIntent } from '@quarry/plan';
import { compilePlan } from '@quarry/plan-compiler';
import { ProviderFailure, type Providers } from '@quarry/engine';
import type { ExclusionPort, TableReaderPort } from '../ports/table-writer.port.js';
import type { SourcedRow } from '../ports/sourced-row.js';
import { RowSource, type SourcedPage } from './row-source.js';

const ctx = { orgId: 'org_1', keyId: null, mode: 'live', requestId: 'spec', timeoutMs: null } as const;
/** Maximum number of rows of one directory request. */
const SEARCH_PAGE = 500;

const company = (i: number) => ({
  id: `company_${i}`,
  name: `Firm ${i}`,
  domain: `firm${i}.test`,
  linkedin_url: `https://linkedin.test/company/firm${i}`,
  phone: i % 4 === 3 ? '+4930123456' : null,
  technologies: [],
  keywords: [],
  hiring_departments: [],
});
const person = (i: number) => ({
  id: `person_${i}`,
  full_name: `Ada Lead${i}`,
  first_name: 'Ada',
  last_name: `Lead${i}`,
  linkedin_url: `https://linkedin.test/in/lead${i}`,
  experiences: [],
  educations: [],
  // Each company has two people.
  company: company(Math.floor(i / 2)),
});

interface Scene {
  entity?: 'company' | 'person';
  /** Number of matches in the directory; null when there is no directory. */
  total: number | null;
  limit: number;
  companies?: string[];
  people?: string[];
  /** Error that the directory throws instead of returning rows. */
  fails?: Error;
  stopping?: AbortSignal;
  /** Keys of known rows. */
  known?: string[];
  /** Maximum number of companies that the people belong to, and of people of each (2). */
  companiesMax?: number;
  perCompany?: number;
  /** Domains of the companies whose people are read. */
  listed?: string[];
  /** Key of a column that the output requires. Every fourth company has a telephone number, and none a description. */
  required?: string;
}

/** Reads all rows of a scene. @returns the pages, and the offsets of the directory requests */
async function read({ entity = 'company', total, limit, companies = [], people = [], ...scene }: Scene) {
  const { fails, known, required, companiesMax, perCompany = 2, listed } = scene;
  const { stopping = new AbortController().signal } = scene;
  const requests: number[] = [];
  const search = async (query: PeopleQuery, { offset, limit: size }: { offset: number; limit: number }) => {
    requests.push(offset);
    if (fails) throw fails;
    const all = Array.from({ length: total! }, (_, i) => (entity === 'company' ? company(i) : person(i)));
    const domains = query.company?.domains;
    const matches = all.filter(
      (each, i) =>
        (query.per_company !== 1 || i % 2 === 0) &&
        (!domains || ('company' in each && domains.includes(each.company.domain))),
    );
    const items = matches.slice(offset, offset + size);
    return { items, total: matches.length } as unknown as DirectoryAnswer<never>;
  };
  const directory = { searchCompanies: search, searchPeople: search };
  const excludedKeys = { companies, people };
  const exclusions: ExclusionPort = {
    excludedAmong: async (_ctx, kind, candidates) =>
      new Set(
        candidates.flatMap((each, i) =>
          [each.domain, each.linkedin_url].some((key) => excludedKeys[kind].includes(key ?? '')) ? i : [],
        ),
      ),
  };
  const source = new RowSource(
    {
      directoriesFor: async () =>
        total === null ? { companies: null, people: null } : { companies: directory, people: directory },
    } as unknown as Providers,
    {} as TableReaderPort,
    exclusions,
  );
  const intent = emptyIntent(entity, { source: { kind: 'directory' }, output_table: null });
  const pages: SourcedPage[] = [];
  const column = required && { key: required, name: null, kind: null, required: true, qualification: {} };
  const output = column ? { key: 'c', name: null, entity, maxRows: null, columns: [column] } : null;
  const byCompany =
    companiesMax === undefined ? {} : { companies_max: companiesMax, per_company: perCompany };
  const plan = { ...compilePlan(intent, { output, table: null }), limit, ...byCompany };
  await source.requireSource(ctx, plan);
  const findKnown =
    known &&
    (async (rows: readonly SourcedRow[]) =>
      new Set(rows.flatMap(({ key }, i) => (known.includes(key) ? i : []))));
  for await (const page of source.readPages(
    ctx,
    plan,
    { limit, companies: listed ?? null, firstPageSize: 100, pageSize: 100, findKnown },
    stopping,
  ))
    pages.push(page);
  return { pages, requests, keys: pages.flatMap(({ rows }) => rows.map(({ key }) => key)) };
}

describe('rows from the directory', () => {
  it('come in small pages, from as many searches as the limit needs', async () => {
    const { pages, requests, keys } = await read({ total: 2000, limit: 620 });
    expect([keys.length, new Set(keys).size]).toEqual([620, 620]);
    expect(pages.map(({ rows }) => rows.length)).toEqual([100, 100, 100, 100, 100, 100, 20]);
    expect(requests).toEqual([0, SEARCH_PAGE]);
  });

  it('end if the directory has no more', async () => {
    const { requests, keys } = await read({ total: 530, limit: 1000 });
    expect([keys.length, requests]).toEqual([530, [0, SEARCH_PAGE]]);
  });

  it('replace excluded ones, which do not count as matches', async () => {
    const companies = ['firm0.test', 'firm3.test'];
    const { pages, keys } = await read({ total: 20, limit: 10, companies });
    expect(keys).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 10, 11].map((i) => `company_${i}`));
    expect(pages.at(-1)).toMatchObject({ total: 18, excluded: 2 });
  });

  it('report excluded matches even if none is left', async () => {
    const companies = ['firm0.test', 'firm1.test'];
    const { pages, keys } = await read({ total: 2, limit: 10, companies });
    expect(keys).toEqual([]);
    expect(pages.at(-1)).toEqual({ rows: [], total: 0, excluded: 2, known: 0, lacking: 0 });
  });

  it('skip known ones, and go on until the limit or the end', async () => {
    const known = Array.from({ length: 600 }, (_, i) => `company_${i}`);
    const { pages, keys } = await read({ total: 620, limit: 5, known });
    expect(keys).toEqual([600, 601, 602, 603, 604].map((i) => `company_${i}`));
    expect(pages.at(-1)).toMatchObject({ total: 20, known: 600, excluded: 0 });
    const rest = await read({ total: 620, limit: 100, known, companies: ['firm600.test'] });
    expect(rest.keys).toHaveLength(19);
    expect(rest.pages.at(-1)).toMatchObject({ total: 19, known: 600, excluded: 1 });
  });

  it('have the values that the output requires, from at most ten matches for each row', async () => {
    const { pages, keys } = await read({ total: 60, limit: 5, required: 'phone', companies: ['firm3.test'] });
    expect(keys).toEqual([7, 11, 15, 19, 23].map((i) => `company_${i}`));
    expect(pages.at(-1)).toMatchObject({ excluded: 1, lacking: 27, total: 32 });
    const none = await read({ total: 2000, limit: 3, required: 'description' });
    expect([none.keys, none.requests]).toEqual([[], [0, 3, 9, 21]]);
    const known = Array.from({ length: 200 }, (_, i) => `company_${i}`);
    const next = await read({ total: 2000, limit: 2, required: 'phone', known });
    expect(next.keys).toEqual(['company_203', 'company_207']);
  });

  it('leave out excluded people, and everybody of an excluded employer', async () => {
    const people = ['https://linkedin.test/in/lead5'];
    const { pages, keys } = await read({
      entity: 'person',
      total: 8,
      limit: 8,
      companies: ['firm0.test'],
      people,
    });
    expect(keys).toEqual(['person_2', 'person_3', 'person_4', 'person_6', 'person_7']);
    expect(pages.at(-1)).toMatchObject({ total: 5, excluded: 3 });
  });

  it('are the people of as many companies as are wanted, which are found first', async () => {
    const scene = { entity: 'person', total: 40, limit: 6, companiesMax: 3 } as const;
    const { keys, requests } = await read({ ...scene, companies: ['firm1.test'] });
    expect(keys).toEqual([0, 1, 4, 5, 6, 7].map((i) => `person_${i}`));
    expect(requests).toEqual([0, 3, 0]);
    const next = await read({ ...scene, known: ['person_0', 'person_1', 'person_2'] });
    expect(next.keys).toEqual([3, 4, 5, 6, 7].map((i) => `person_${i}`));
    const none = await read({ ...scene, total: 2, companies: ['firm0.test'] });
    expect(none.pages).toEqual([{ rows: [], total: 0, excluded: 1, known: 0, lacking: 0 }]);
  });

  it('are found by one search where a company has one person', async () => {
    const scene = { entity: 'person', total: 40, limit: 3, companiesMax: 3, perCompany: 1 } as const;
    const { keys, requests, pages } = await read({ ...scene, companies: ['firm1.test'] });
    expect(keys).toEqual([0, 4, 6].map((i) => `person_${i}`));
    expect(requests).toEqual([0, 3]);
    expect(pages.at(-1)).toMatchObject({ total: 19 });
  });

  it('are the people of the companies that another table lists, and of no others', async () => {
    const scene = { entity: 'person', total: 40, limit: 6, companiesMax: 3 } as const;
    const { keys } = await read({ ...scene, listed: ['firm4.test', 'firm1.test'] });
    expect(keys).toEqual([2, 3, 8, 9].map((i) => `person_${i}`));
    expect(await read({ ...scene, listed: [] })).toMatchObject({ pages: [], requests: [] });
  });

  it('are requested only as needed, plus replacements for excluded ones', async () => {
    const { requests, keys } = await read({ total: 50, limit: 5, companies: ['firm0.test', 'firm1.test'] });
    expect([keys.length, requests]).toEqual([5, [0, 5]]);
  });

  it('fail with the message of a directory that cannot be searched, and stop with the process', async () => {
    const fails = new ProviderFailure('capacity', 'The provider is at its capacity.', { provider: 'x' });
    await expect(read({ total: 5, limit: 5, fails })).rejects.toMatchObject({
      code: 'agent_execution_failed',
      message: 'The directory could not be searched. The provider is at its capacity.',
    });
    const stopping = AbortSignal.abort(new Error('stopping'));
    await expect(read({ total: 5, limit: 5, fails, stopping })).rejects.toThrow('stopping');
    const mistake = new Error('a mistake of ours');
    await expect(read({ total: 5, limit: 5, fails: mistake })).rejects.toBe(mistake);
  });

  it('are not an empty answer if no directory is configured: the run fails and says what would help', async () => {
    for (const entity of ['company', 'person'] as const)
      await expect(read({ entity, total: null, limit: 10 })).rejects.toMatchObject({
        code: 'agent_unavailable',
        message: expect.stringContaining('Import a directory of'),
      });
    expect(await read({ total: null, limit: 0 })).toMatchObject({ pages: [] });
  });
});
