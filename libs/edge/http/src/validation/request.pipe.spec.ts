import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import {
  ChangeMonitorRequest,
  CreateDestinationRequest,
  CreateEnrichmentRequest,
  CreateGoRunRequest,
  CreateMonitorRequest,
  CreatePlanRequest,
  CreateRunRequest,
  CreateWorkspaceRequest,
  ExclusionItem,
  ExclusionItemsRequest,
  ExclusionSyncRequest,
  MonitorItemQuery,
  pathText,
  ReplayWebhookRequest,
  RunListQuery,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import fc from 'fast-check';
import { parseQuery } from './query-text.js';
import { bodyOf, queryOf } from './request.pipe.js';

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error;
  }
}
/** Counts the turns of the event loop that other work gets. */
function countTurns(): { stop: () => number } {
  let turns = 0;
  let next = setImmediate(function turn() {
    turns += 1;
    next = setImmediate(turn);
  });
  return {
    stop: () => {
      clearImmediate(next);
      return turns;
    },
  };
}

const readRun = (body: Record<string, unknown>) => bodyOf(CreateRunRequest).transform(body, { type: 'body' });
const readQuery = (text: string) => queryOf(RunListQuery).transform(text, { type: 'query' });

describe('request validation', () => {
  it('writes paths as the contract does', () => {
    expect(pathText(['columns', 0, 'key'])).toBe('columns[0].key');
    expect(pathText([])).toBe('');
  });

  it.each<[string, new () => object, object]>([
    ['a destination', CreateDestinationRequest, { kind: 'webhook', secret: 'x' }],
    ['a monitor', ChangeMonitorRequest, {}],
  ])('refuses a blank name of %s', async (_of, type, rest) => {
    const read = (name: string) => outcome(() => bodyOf(type).transform({ ...rest, name }, { type: 'body' }));
    for (const name of [' ', '\n\t', '\u00a0'])
      expect(await read(name)).toMatchObject({
        details: [{ path: 'name', message: 'name must not be blank' }],
      });
    expect(await read(' a ')).toMatchObject({ name: ' a ' });
  });

  it('accepts null for values that a change can remove, and for nothing else', async () => {
    const read = (type: new () => object, body: Record<string, unknown>) =>
      outcome(() => bodyOf(type).transform(body, { type: 'body' }));
    const budget = { max_credits_per_run: null };
    expect(await read(ChangeMonitorRequest, budget)).toMatchObject(budget);
    expect(await read(ChangeMonitorRequest, { name: null })).toMatchObject({ details: [{ path: 'name' }] });
    const made = { name: 'a', prompt: 'firms', schedule: { cron: '0 9 * * 1', time_zone: 'UTC' }, ...budget };
    expect(await read(CreateMonitorRequest, made)).toMatchObject({
      details: [{ path: 'max_credits_per_run' }],
    });
  });

  it('names the invalid items of a list, each with the first rule it breaks', async () => {
    const body = {
      prompt: 'a',
      urls: ['https://a.example', 5, 'x', `https://a.example/${'x'.repeat(2048)}`],
      include_domains: ['a.example', 'no'],
    };
    const refused = await outcome(() => bodyOf(CreateGoRunRequest).transform(body, { type: 'body' }));
    expect(refused).toMatchObject({
      message: [
        'urls[1] must be a string',
        'urls[2] must be an address with http or https',
        'urls[3] must have at most 2048 characters',
        'include_domains[1] must be a domain, such as example.com',
      ].join('; '),
      details: [
        { path: 'urls[1]' },
        { path: 'urls[2]' },
        { path: 'urls[3]' },
        { path: 'include_domains[1]' },
      ],
    });
  });

  it('names the parameter with invalid percent-encoding', async () => {
    expect(await outcome(() => readQuery('workspace_id=%FF'))).toMatchObject({
      message: 'workspace_id is not percent-encoded correctly',
      details: [{ path: 'workspace_id' }],
    });
  });

  it('refuses a date that does not exist', async () => {
    const queried = await outcome(() =>
      queryOf(MonitorItemQuery).transform('since=2026-02-30T00:00:00Z', { type: 'query' }),
    );
    expect(queried).toMatchObject({
      code: 'invalid_request',
      message: 'since must be a valid time in UTC, such as 2026-11-27T12:00:00Z',
      details: [{ path: 'since' }],
    });
    const body = { since: '2026-02-30T00:00:00Z', until: '2026-04-31T00:00:00Z' };
    const posted = await outcome(() => bodyOf(ReplayWebhookRequest).transform(body, { type: 'body' }));
    expect(posted).toMatchObject({ details: [{ path: 'since' }, { path: 'until' }] });
  });

  it('returns the value or a refusal with details for any body, and never another error', async () => {
    const read = async (body: unknown) => [
      await outcome(() => readRun(body as Record<string, unknown>)),
      await outcome(() =>
        bodyOf(ExclusionItemsRequest).transform(body as Record<string, unknown>, { type: 'body' }),
      ),
    ];
    const key = fc.constantFrom(
      'prompt',
      'output',
      'items',
      'domain',
      'constructor',
      'toString',
      'valueOf',
      'x',
    );
    const body = fc.letrec((tie) => ({
      object: fc.dictionary(key, tie('value'), { noNullPrototype: true }),
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 0, '', 'a', true),
        tie('object'),
        fc.array(tie('value')),
      ),
    })).object;
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        for (const result of await read(sent)) {
          if (result instanceof Error) {
            expect(result).toBeInstanceOf(AppError);
            expect((result as AppError).details?.length).toBeGreaterThan(0);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('reads an empty query as its defaults, each time as a new object', () => {
    const first = readQuery('');
    Object.assign(first, { limit: 1 });
    const [again, after] = [readQuery(''), readQuery('limit=7')];
    expect(again).toBeInstanceOf(RunListQuery);
    expect([again.limit, after.limit, readQuery('').limit]).toEqual([
      new RunListQuery().limit,
      7,
      new RunListQuery().limit,
    ]);
  });

  it('names a field in both message and path', async () => {
    const error = (await outcome(() => readRun({ prompt: '', zzz: 1 }))) as AppError;
    expect(error.details).toEqual([
      { path: '', message: 'Unrecognized key: "zzz"' },
      { path: 'prompt', message: 'prompt must not be empty' },
    ]);
    expect(error.message).toBe('Unrecognized key: "zzz"; prompt must not be empty');
  });

  it('states the minimum and maximum length of a list, in singular and plural', async () => {
    const read = (items: unknown) => () =>
      bodyOf(ExclusionItemsRequest).transform({ items }, { type: 'body' }) as unknown;
    const messages = await Promise.all(
      [[], Array.from({ length: 1001 }, () => ({ domain: 'a.example' }))].map(
        async (items) => ((await outcome(read(items))) as AppError).message,
      ),
    );
    expect(messages).toEqual(['items must have at least 1 item', 'items must have at most 1000 items']);
  });

  it('suggests the field that an unknown one probably means', async () => {
    const error = (await outcome(() => readRun({ promt: 'x', prompt: 'x' }))) as AppError;
    expect(error.details).toEqual([
      { path: '', message: 'Unrecognized key: "promt"; did you mean "prompt"?' },
    ]);
  });

  it.each([
    ['max_credits', '; over HTTP this is the header Quarry-Max-Credits of a request that starts a run'],
    ['maxCredits', '; over HTTP this is the header Quarry-Max-Credits of a request that starts a run'],
    ['idempotency_key', '; over HTTP this is the header Idempotency-Key'],
    ['Idempotency-Key', '; over HTTP this is the header Idempotency-Key'],
    ['constructor', ''],
  ])('names the header for the unknown field %s, if there is one', async (key, hint) => {
    const error = (await outcome(() => readRun({ prompt: 'x', [key]: '1' }))) as AppError;
    expect(error.message).toBe(`Unrecognized key: "${key}"${hint}`);
  });

  it('suggests max_credits as a field if the body has one, in any spelling', async () => {
    const read = bodyOf(CreateEnrichmentRequest).transform({ maxCredits: 1 }, { type: 'body' });
    const error = (await outcome(() => read)) as AppError;
    expect(error.message).toContain('Unrecognized key: "maxCredits"; did you mean "max_credits"?');
  });

  it.each([
    ['a run', CreateRunRequest],
    ['a plan', CreatePlanRequest],
  ])('refuses a blank prompt for %s', async (_of, type) => {
    const read = () => bodyOf<object>(type).transform({ prompt: ' \n\t\u3000' }, { type: 'body' });
    expect(await outcome(read)).toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'prompt', message: 'prompt must not be blank' }],
    });
  });

  const body = (type: new () => object, of: (text: string) => Record<string, unknown>) => (text: string) =>
    bodyOf(type).transform(of(text), { type: 'body' });

  it.each([
    ['prompt', 20_000, body(CreateRunRequest, (prompt) => ({ prompt }))],
    ['name', 200, body(CreateWorkspaceRequest, (name) => ({ name }))],
    ['source', 200, body(ExclusionSyncRequest, (source) => ({ source, items: [] }))],
    ['items[0].domain', 2000, body(ExclusionItemsRequest, (domain) => ({ items: [{ domain }] }))],
    [
      'items[0].linkedin_url',
      2000,
      body(ExclusionItemsRequest, (url) => ({ items: [{ linkedin_url: url }] })),
    ],
  ])('accepts for %s 1 to %d characters', async (path, most, read) => {
    expect(await outcome(() => read('a'.repeat(most)))).not.toBeInstanceOf(Error);
    for (const text of ['a'.repeat(most + 1), ''])
      expect(await outcome(() => read(text))).toMatchObject({ details: [{ path }] });
  });

  it.each([
    ['POST and DELETE', 1, 1000, ExclusionItemsRequest, {}],
    ['PUT', 0, 100_000, ExclusionSyncRequest, { source: 'crm' }],
  ])(
    'accepts for a %s of exclusions %d to %d items, without blocking the event loop',
    async (_, least, most, type, more) => {
      // Items of the wrong type are the cheapest to validate. They are reported only when the length of the list is valid.
      const read = (count: number) =>
        outcome(() =>
          bodyOf<object>(type).transform(
            { ...more, items: Array.from({ length: count }, () => 5) },
            { type: 'body' },
          ),
        );
      const pathOf = (error: unknown) => (error instanceof AppError ? error.details?.[0]?.path : null);
      if (least === 0) expect(await read(least)).not.toBeInstanceOf(Error);
      else expect(pathOf(await read(least))).toBe('items[0]');
      const turns = countTurns();
      expect(pathOf(await read(most))).toBe('items[0]');
      expect(turns.stop()).toBeGreaterThanOrEqual(most / 500);
      for (const count of [least - 1, most + 1].filter((each) => each >= 0))
        expect(await read(count)).toMatchObject({ details: [{ path: 'items' }] });
    },
  );

  describe('of a long list', () => {
    const sync = (items: unknown[]) =>
      outcome(() => bodyOf(ExclusionSyncRequest).transform({ source: 'crm', items }, { type: 'body' }));

    it('returns the items as sent, in order, and as instances of their class', async () => {
      const items = Array.from({ length: 1001 }, (_, i) => ({ domain: `a${i}.example` }));
      const read = (await sync(items)) as ExclusionSyncRequest;
      expect(read.items).toEqual(items);
      expect(read.items.every((item) => item instanceof ExclusionItem)).toBe(true);
    });

    it('reports its errors as for a short one: unknown fields first, each with its path', async () => {
      const items: unknown[] = Array.from({ length: 1001 }, () => ({ domain: 'a.example' }));
      items[3] = { domain: 7 };
      items[700] = 5;
      items[701] = [];
      items[1000] = { domain: '', constructor: 1 };
      expect(((await sync(items)) as AppError).details).toEqual([
        { path: '', message: 'Unrecognized key: "items[1000].constructor"' },
        { path: 'items[3].domain', message: 'items[3].domain must be a string' },
        { path: 'items[700]', message: 'items[700] must be an object' },
        { path: 'items[701]', message: 'items[701] must be an object' },
        { path: 'items[1000].domain', message: 'items[1000].domain must not be empty' },
      ]);
    });

    it('states how many more errors there are', async () => {
      const { details, message } = (await sync(Array.from({ length: 1001 }, () => 5))) as AppError;
      expect(details).toHaveLength(100);
      expect(message).toMatch(/items\[99\] must be an object; and 901 more$/);
    });
  });

  it('accepts whole numbers in plain digits only', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String)),
        async (text) => {
          const result = await outcome(() => readQuery(`limit=${encodeURIComponent(text)}`));
          const isPlain = /^\d{1,16}$/.test(text) && Number(text) >= 1 && Number(text) <= 1000;
          expect(result instanceof AppError).toBe(!isPlain);
        },
      ),
    );
  });

  it('reads back every parameter that was encoded', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), (sent) => {
        const text = Object.entries(sent)
          .map((pair) => pair.map(encodeURIComponent).join('='))
          .join('&');
        const { values, faults } = parseQuery(text);
        const hasNul = Object.values(sent).some((value) => value.includes('\0'));
        if (!hasNul) expect([{ ...values }, faults]).toEqual([{ ...sent }, []]);
      }),
    );
  });
});
