import { describe, expect, it } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import { HeldReads, newId, type Ctx } from '@quarry/app';
import type { RpcTransport } from '@quarry/rpc';
import fc from 'fast-check';
import { ANSWER_BYTES_MAX, bytesOf } from '../answer-size.js';
import { PageCursors } from '../page-cursors.js';
import { boundedWaits, ToolCall } from '../tool-call.js';
import type { AnyTool } from '../tool.js';
import { serviceBatchExecute, serviceBatchGet } from './batch.tools.js';
import { serviceDiscover } from './catalogue.tools.js';
import { inboxThreadGet } from './inbox.tools.js';
import { tableImport, tableList, tableRowsGet } from './table.tools.js';

const CTX: Ctx = { orgId: 'org_1', keyId: 'key_1', mode: 'live', requestId: 'r', timeoutMs: null };
const CURSORS = new PageCursors(['a secret of the spec, 32 characters and more']);
const TABLE = newId('tbl');
const BATCH = newId('svcbatch');
const RUN = newId('run');
/** More pages than any list in this spec has. */
const PAGES_MAX = 400;

type Answers = Record<string, (request: never) => unknown>;
interface Page {
  items: Array<Record<string, unknown>>;
  next_cursor: string | null;
  truncated: boolean;
}

/** @returns a call of a tool whose services respond as given, as JSON text */
function callOver(answers: Answers, requests: Array<{ pattern: string; request: unknown }> = []): ToolCall {
  const rpc = {
    call: async (_ctx: Ctx, { pattern }: { pattern: string }, request: never) => {
      requests.push({ pattern, request });
      const answer = answers[pattern];
      if (!answer) throw new Error(`${pattern} is not expected`);
      return answer(request);
    },
  } as unknown as RpcTransport;
  const parts = { rpc, heldReads: new HeldReads(), cursors: CURSORS, waits: boundedWaits() };
  return new ToolCall(
    parts,
    { ctx: CTX, baseUrl: 'https://quarry.example' },
    new AbortController().signal,
    null,
  );
}

/** Calls a tool like a model, page by page until the last one. @returns the pages */
async function allPages<Answer extends { next_cursor: string | null }>(
  tool: AnyTool,
  args: Record<string, unknown>,
  call: ToolCall,
): Promise<Answer[]> {
  const pages: Answer[] = [];
  let cursor: string | undefined;
  do {
    const input = tool.input.parse({ ...args, ...(cursor === undefined ? {} : { cursor }) });
    const page = (await tool.run(input, call, null)) as unknown as Answer;
    pages.push(page);
    cursor = page.next_cursor ?? undefined;
    if (pages.length > PAGES_MAX) throw new Error('The pages do not end.');
  } while (cursor !== undefined);
  return pages;
}

/** Creates rows of a table, with values of the given lengths, and the calls that read them: cursors count rows. */
function rowsOver(sizes: readonly number[], fitOf: (index: number) => string = () => 'unknown') {
  const rows = sizes.map((size, i) => ({
    id: `row_${i}`,
    values: { name: 'x'.repeat(size), n: i },
    cells: { name: { status: 'filled' }, n: { status: 'filled' } },
    fit: { status: fitOf(i), score: null, reason: null, criteria: [{ secret: 'of the room' }] },
  }));
  const read = ({ limit, cursor }: { limit: number; cursor: string | null }): string => {
    const from = Number(cursor ?? 0);
    const items = rows.slice(from, from + limit);
    return JSON.stringify({ items, next_cursor: from + limit < rows.length ? String(from + limit) : null });
  };
  return { rows, answers: { 'tables.rows.list': read } as Answers };
}

const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 30_000 })), {
  maxLength: 60,
  size: 'max',
});
const limits = fc.integer({ min: 1, max: 200 });

describe('rows read by an agent', () => {
  it('come once each and in order over all pages, for any size and limit, within the size limit', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, limits, async (of, limit) => {
        const { rows, answers } = rowsOver(of);
        const call = callOver(answers);
        const pages = await allPages<Page>(tableRowsGet, { table_id: TABLE, limit }, call);
        expect(pages.flatMap(({ items }) => items.map(({ row_id }) => row_id))).toEqual(
          rows.map(({ id }) => id),
        );
        for (const page of pages) {
          expect(page.items.length).toBeLessThanOrEqual(limit);
          expect(bytesOf(page)).toBeLessThan(ANSWER_BYTES_MAX);
          expect(page.truncated).toBe(page.items.length < limit && page.next_cursor !== null);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('of one fit come once each and in order, and no others', async () => {
    const fits = ['qualified', 'disqualified', 'unknown'];
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(7), limits, async (of, step, limit) => {
        const { rows, answers } = rowsOver(of, (i) => fits[(i * step) % 3]!);
        const call = callOver(answers);
        const args = { table_id: TABLE, limit, fit: 'qualified' };
        const pages = await allPages<Page>(tableRowsGet, args, call);
        expect(pages.flatMap(({ items }) => items.map(({ row_id }) => row_id))).toEqual(
          rows.flatMap(({ id, fit }) => (fit.status === 'qualified' ? [id] : [])),
        );
        for (const { items } of pages) expect(items.length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 20 },
    );
  });

  it('of one fit come once each if a page is full at the end of a read', async () => {
    const { rows, answers } = rowsOver(new Array<number>(450).fill(1));
    const args = { table_id: TABLE, limit: 200, fit: 'unknown' };
    const pages = await allPages<Page>(tableRowsGet, args, callOver(answers));
    expect(pages.map(({ items }) => items.length)).toEqual([200, 200, 50]);
    expect(pages.flatMap(({ items }) => items.map(({ row_id }) => row_id))).toEqual(rows.map(({ id }) => id));
  });

  it('of one fit are searched in at most ten pages of 200 per call, which returns a cursor', async () => {
    const { answers } = rowsOver(new Array<number>(2_500).fill(1), (i) =>
      i < 2_200 ? 'unknown' : 'qualified',
    );
    const requests: Array<{ pattern: string; request: unknown }> = [];
    const call = callOver(answers, requests);
    const read = (cursor?: string) =>
      tableRowsGet.run(
        tableRowsGet.input.parse({ table_id: TABLE, fit: 'qualified', limit: 3, cursor }),
        call,
        null,
      );
    expect(await read()).toEqual({ items: [], next_cursor: '2000', truncated: false });
    expect(requests).toHaveLength(10);
    expect(await read('2000')).toMatchObject({
      items: [{ row_id: 'row_2200' }, { row_id: 'row_2201' }, { row_id: 'row_2202' }],
      next_cursor: '2203',
    });
  });

  it('show the named columns, cells on request, and nothing else', async () => {
    const { answers } = rowsOver([2]);
    const call = callOver(answers);
    const read = async (args: object) => {
      const input = tableRowsGet.input.parse({ table_id: TABLE, ...args });
      return ((await tableRowsGet.run(input, call, null)) as unknown as Page).items[0];
    };
    const fit = { status: 'unknown', score: null, reason: null };
    expect(await read({ columns: ['n'] })).toEqual({ row_id: 'row_0', values: { n: 0 }, fit });
    expect(await read({ columns: ['n'], with_cells: true })).toEqual({
      row_id: 'row_0',
      values: { n: 0 },
      fit,
      cells: { n: { status: 'filled' } },
    });
    // Names of Object.prototype are not columns.
    for (const column of ['x', 'toString', '__proto__', 'constructor'])
      await expect(read({ columns: ['n', column] })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining(column),
      });
  });

  it.each([
    ['none', {}],
    ['a live one and a run', { table_id: TABLE, run_id: RUN }],
    ['a run without a table', { run_id: RUN }],
    ['a table without its run', { table_key: 'leads' }],
    ['both', { table_id: TABLE, run_id: RUN, table_key: 'leads' }],
    ['no id', { table_id: 'tbl_1; DROP' }],
    ['the id of something else', { table_id: RUN }],
  ])('are refused before any request if not exactly one table is named: %s', async (_, args) => {
    const requests: Array<{ pattern: string; request: unknown }> = [];
    const call = callOver({}, requests);
    await expect(
      (async () => tableRowsGet.run(tableRowsGet.input.parse(args), call, null))(),
    ).rejects.toBeInstanceOf(AppError);
    expect(requests).toEqual([]);
  });
});

describe('tables listed for an agent', () => {
  const table = (n: number, columns: number) => ({
    id: `tbl_${n}`,
    workspace_id: 'ws_1',
    name: `Table ${n}`,
    columns: Array.from({ length: columns }, (_, i) => ({ key: `column ${i} of ${n}`, kind: 'text' })),
    row_count: n,
    fit_counts: {},
  });

  it('come once each over all pages, with their column keys, however wide they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(200), { maxLength: 40, size: 'max' }),
        fc.integer({ min: 1, max: 100 }),
        async (of, limit) => {
          const tables = of.map((columns, n) => table(n, columns));
          const list = ({ limit: most, offset }: { limit: number; offset: number }) => {
            const next = offset + most < tables.length ? offset + most : null;
            return JSON.stringify({ items: tables.slice(offset, offset + most), next_offset: next });
          };
          const call = callOver({ 'tables.tables.find': list });
          const pages = await allPages<Page>(tableList, { limit }, call);
          expect(
            pages.flatMap(({ items }) => items.map(({ table_id: id, columns }) => [id, columns])),
          ).toEqual(tables.map(({ id, columns }) => [id, columns.map(({ key }) => key)]));
          for (const page of pages) {
            expect(bytesOf(page)).toBeLessThan(ANSWER_BYTES_MAX);
            expect(page.truncated).toBe(page.items.length < limit && page.next_cursor !== null);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('continue only with a cursor of the same list', async () => {
    const list = () => JSON.stringify({ items: [table(1, 1), table(2, 1)], next_offset: 2 });
    const call = callOver({ 'tables.tables.find': list });
    const read = (args: object) => tableList.run(tableList.input.parse(args), call, null);
    const { next_cursor: cursor } = await read({ query: 'a' });
    expect(await read({ query: 'a', cursor })).toMatchObject({ items: [{}, {}] });
    for (const other of [{}, { query: 'b' }, { query: 'a', workspace_id: newId('ws') }])
      await expect(read({ ...other, cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});

describe('messages of a thread read by an agent', () => {
  it('come once each and complete over all pages, within the size limit', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, limits, async (of, limit) => {
        const messages = of.map((size, n) => ({ message_id: `msg_${n}`, text: 'x'.repeat(size), html: 'x' }));
        const read = ({ limit: most, cursor }: { limit: number; cursor: string | null }): string => {
          const end = Number(cursor ?? 0) + most;
          return JSON.stringify({
            thread: { thread_id: 'thr_1' },
            messages: messages.slice(Number(cursor ?? 0), end),
            drafts: [{ draft_id: 'drf_1', body_text: 'x'.repeat(5_000), links: { app: '/app/approvals' } }],
            next_cursor: end < messages.length ? String(end) : null,
          });
        };
        const args = { thread_id: newId('thr'), limit: Math.min(limit, 100) };
        const pages = await allPages<Omit<Page, 'items'> & { messages: object[] }>(
          inboxThreadGet,
          args,
          callOver({ 'services.inbox.thread': read }),
        );
        expect(pages.flatMap((page) => page.messages)).toEqual(
          messages.map(({ message_id, text }) => ({ message_id, text })),
        );
        for (const page of pages) {
          expect(bytesOf(page)).toBeLessThan(ANSWER_BYTES_MAX);
          expect(page.truncated).toBe(page.messages.length < args.limit && page.next_cursor !== null);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('batch lines read by an agent', () => {
  const STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

  it('come once each and in order over all pages, also those of one status', async () => {
    const lines = fc.array(fc.tuple(fc.constantFrom(...STATUSES), fc.nat(30_000)), {
      maxLength: 100,
      size: 'max',
    });
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.integer({ min: 1, max: 100 }),
        fc.option(fc.constantFrom(...STATUSES)),
        async (of, limit, status) => {
          const jobs = of.map(([state, size], input_index) => ({
            job_id: `job_${input_index}`,
            input_index,
            status: state,
            reused: false,
            ...(state === 'completed' ? { result: { text: 'x'.repeat(size) } } : {}),
            lease_token: 'of the room',
          }));
          const counts = Object.fromEntries(STATUSES.map((each) => [each, 0]));
          const batch = {
            batch_id: BATCH,
            service: 'getEmail',
            size: of.length,
            status: 'running',
            counts,
            jobs,
          };
          const call = callOver({
            'services.batches.get': () => JSON.stringify(batch),
            'services.credits.ledger': () => JSON.stringify({ items: [{ amount: -0.1 }, { amount: -0.2 }] }),
          });
          const args = { batch_id: BATCH, limit, ...(status === null ? {} : { status }) };
          const pages = await allPages<{
            jobs: Array<Record<string, unknown>>;
            charged: number;
            next_cursor: string | null;
          }>(serviceBatchGet, args, call);
          expect(pages.flatMap((page) => page.jobs.map(({ job_id }) => job_id))).toEqual(
            jobs.flatMap((job) => (status === null || job.status === status ? [job.job_id] : [])),
          );
          for (const page of pages) {
            expect(page.jobs.length).toBeLessThanOrEqual(limit);
            expect(page.charged).toBe(0.3);
            expect(JSON.stringify(page.jobs)).not.toContain('lease_token');
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('cost what their ended lines were charged, not lines that ended after the read', async () => {
    const line = (job_id: string, input_index: number, status: string) => ({
      job_id,
      input_index,
      status,
      reused: false,
    });
    const jobs = [line('job_0', 0, 'completed'), line('job_1', 1, 'running')];
    const batch = { batch_id: BATCH, service: 'getEmail', size: 2, status: 'running', counts: {}, jobs };
    const items = jobs.map(({ job_id }) => ({ amount: -1, job_id }));
    const call = callOver({
      'services.batches.get': () => JSON.stringify(batch),
      'services.credits.ledger': () => JSON.stringify({ items }),
    });
    const answer = await serviceBatchGet.run(serviceBatchGet.input.parse({ batch_id: BATCH }), call, null);
    expect(answer.charged).toBe(1);
  });

  it('cost zero, not negative zero, if the ledger is empty', async () => {
    const batch = {
      batch_id: BATCH,
      service: 'getEmail',
      size: 0,
      status: 'completed',
      counts: {},
      jobs: [],
    };
    const call = callOver({
      'services.batches.get': () => JSON.stringify(batch),
      'services.credits.ledger': () => '{"items":[]}',
    });
    const answer = await serviceBatchGet.run(serviceBatchGet.input.parse({ batch_id: BATCH }), call, null);
    expect(Object.is(answer.charged, 0)).toBe(true);
  });

  it('return a created batch even if nothing else can be read, so that no agent creates it again', async () => {
    const batch = {
      batch_id: BATCH,
      service: 'getEmail',
      size: 1,
      status: 'queued',
      counts: { queued: 1, running: 0, completed: 0, failed: 0, cancelled: 0 },
      jobs: [],
    };
    const away = () => {
      throw new AppError('internal_error', 'The service is away.');
    };
    const call = callOver({
      'services.batches.create': () => ({ json: JSON.stringify(batch), batchId: BATCH, done: false }),
      'services.batches.get': away,
      'services.credits.ledger': away,
    });
    const wanted = { service: 'getEmail', inputs: [{ linkedin_url: 'x' }], wait_seconds: 5 };
    const answer = await serviceBatchExecute.run(serviceBatchExecute.input.parse(wanted), call, null);
    expect(answer).toMatchObject({ batch_id: BATCH, status: 'queued', charged: null });
  });
});

describe('services found by an agent', () => {
  const service = (name: string, title: string, description: string) => ({
    name,
    title,
    description,
    category: 'contact',
    mode: 'fast',
    available: true,
    price: {},
    input: 'not told in a list',
  });
  const CATALOGUE = [
    service('findDomain', 'Find a domain', 'Finds the web site of a company.'),
    service('getEmail', 'Find an e-mail address', 'Finds the address of a person at work.'),
    service('getPhoneNumber', 'Find a telephone number', 'Finds a phone of a person.'),
    service('scrapePage', 'Read a page', 'Reads a page and its searches.'),
  ];
  const find = async (query?: string): Promise<unknown[]> => {
    const list = () => JSON.stringify({ items: CATALOGUE });
    const pages = await allPages<Page>(
      serviceDiscover,
      { limit: 2, ...(query === undefined ? {} : { query }) },
      callOver({ 'services.catalogue.list': list }),
    );
    expect(JSON.stringify(pages)).not.toContain('not told in a list');
    return pages.flatMap(({ items }) => items.map(({ name }) => name));
  };

  it.each([
    [undefined, ['findDomain', 'getEmail', 'getPhoneNumber', 'scrapePage']],
    ['emails', ['getEmail']],
    ['E-Mail', ['getEmail']],
    ['phones', ['getPhoneNumber']],
    ['phone number', ['getPhoneNumber']],
    ['companies', ['findDomain']],
    ['address', ['getEmail']],
    ['addresses', ['getEmail']],
    ['search', ['scrapePage']],
    ['searches', ['scrapePage']],
    ['pages', ['scrapePage']],
    ['telephone of a person', ['getPhoneNumber', 'getEmail']],
    ['rockets', []],
  ])('match the words of %s, singular or plural, most hits first', async (query, names) => {
    expect(await find(query)).toEqual(names);
  });
});

describe('a table imported by an agent', () => {
  const args = { name: 'Leads', columns: [{ key: 'a', name: 'A' }], rows: [{ a: 1 }] };
  const refuse = () => {
    throw new AppError('invalid_request', 'rows[0].a must be a string');
  };
  const over = async (importTable: () => unknown, more: object) => {
    const requests: Array<{ pattern: string; request: unknown }> = [];
    const id = newId('ws');
    const call = callOver(
      {
        'tables.workspaces.create': () => JSON.stringify({ id }),
        'tables.workspaces.archive': () => undefined,
        'tables.tables.import': importTable,
      },
      requests,
    );
    const outcome = await tableImport
      .run(tableImport.input.parse({ ...args, ...more }), call, null)
      .catch((error: unknown) => error);
    return { outcome, patterns: requests.map(({ pattern }) => pattern), id };
  };

  it('leaves no workspace behind if refused, but keeps one that was named or belongs to its key', async () => {
    const own = await over(refuse, {});
    expect(own.outcome).toMatchObject({ code: 'invalid_request', message: 'rows[0].a must be a string' });
    expect(own.patterns).toEqual([
      'tables.workspaces.create',
      'tables.tables.import',
      'tables.workspaces.archive',
    ]);
    const keyed = await over(refuse, { idempotency_key: 'k' });
    expect(keyed.patterns).toEqual(['tables.workspaces.create', 'tables.tables.import']);
    const named = await over(refuse, { workspace_id: newId('ws') });
    expect(named.patterns).toEqual(['tables.tables.import']);
  });
});
