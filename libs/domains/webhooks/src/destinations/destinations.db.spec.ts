import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Person, type ColumnJson, type PushRequest } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { createLogger, CursorSigner, newId, SealedSecrets, systemCtx, type Ctx } from '@quarry/app';
import { IdempotentRequests } from '@quarry/postgres';
import { status, WebhookReceiver, type WebhookReply } from '@quarry/test-servers';
import { createTestDatabase, runBehind, testCtx, type TestDatabase } from '@quarry/testing';
import { resealWebhooks } from '../reseal-webhooks.js';
import { WebhookClient } from '../webhook.client.js';
import { DestinationLeaseStore } from './destination-lease.store.js';
import { DestinationStore } from './destination.store.js';
import { eraseFromDestinations } from './erase-from-destinations.js';
import { PushClassifier } from './push-classifier.js';
import { pushRetention } from './push-retention.js';
import { PushRowsPort, type PushRow } from './push-rows.port.js';
import { PushSender } from './push-sender.js';
import { PushStore } from './push.store.js';

const ALL = systemCtx('spec');
const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const SIGNING = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const COLUMNS = ['email', 'first_name'].map(
  (key) => ({ key, name: key, kind: key === 'email' ? 'email' : 'text', qualification: {} }) as ColumnJson,
);

/** Tables by their ids, excluded domains, and suppressed addresses. */
class FakeTables extends PushRowsPort {
  readonly tables = new Map<string, PushRow[]>();
  readonly excluded = new Set<string>();
  readonly suppressed = new Set<string>();

  readPage(...[, { tableId }, { from, limit }]: Parameters<PushRowsPort['readPage']>) {
    const rows = this.tables.get(tableId);
    if (!rows) return Promise.reject(new AppError('table_not_found', 'Table not found.'));
    return Promise.resolve({
      columns: COLUMNS,
      rowCount: rows.length,
      rows: rows.slice(from, from + limit).map((row, i) => ({ ...row, at: from + i })),
    });
  }

  excludedAmong(...[, , candidates]: Parameters<PushRowsPort['excludedAmong']>): Promise<Set<number>> {
    const isExcluded = (text: string): boolean => [...this.excluded].some((each) => text.endsWith(each));
    return Promise.resolve(
      new Set(candidates.flatMap(({ domain }, i) => (isExcluded(domain ?? '') ? [i] : []))),
    );
  }

  suppressedAmong(...[, addresses]: Parameters<PushRowsPort['suppressedAmong']>): Promise<Set<string>> {
    return Promise.resolve(new Set(addresses.filter((each) => this.suppressed.has(each))));
  }
}

interface PushJson {
  id: string;
  status: string;
  reason: string | null;
  counts: Record<string, number>;
}

let test: TestDatabase;
let receiver: WebhookReceiver;
let client: WebhookClient;
let store: DestinationStore;
let pushes: PushStore;
let leases: DestinationLeaseStore;
let classifier: PushClassifier;
let sender: PushSender;
const tables = new FakeTables();
const secrets = new SealedSecrets([OLD]);
const DELETED = expect.stringContaining('has been deleted') as unknown;
let count = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  receiver = await WebhookReceiver.start();
  client = new WebhookClient({
    allowHosts: [receiver.host],
    timeoutMs: 2_000,
    destinationUrls: Object.fromEntries(
      ['hubspot_contacts', 'pipedrive_persons', 'instantly_leads'].map((kind) => [kind, receiver.url()]),
    ),
  });
  const { database } = test;
  const requests = new IdempotentRequests(database);
  store = new DestinationStore(database, requests, client, secrets);
  classifier = new PushClassifier(database, tables);
  pushes = new PushStore(
    database,
    requests,
    new CursorSigner([{ id: 'k', secret: 's' }]),
    store,
    classifier,
    client,
  );
  leases = new DestinationLeaseStore(database);
  sender = newSender();
});
afterEach(() => {
  receiver.reply = status(204);
  receiver.received.length = 0;
  tables.excluded.clear();
  tables.suppressed.clear();
});
afterAll(async () => {
  await client.onApplicationShutdown();
  await receiver.stop();
  await test.drop();
});

const newSender = () => new PushSender(leases, classifier, client, secrets, createLogger('spec', 'silent'));
const person = (email: unknown, name = 'Ann', isFromSandbox = false): PushRow => ({
  id: newId('row'),
  at: 0,
  isFromSandbox,
  values: { email, first_name: name },
});
const people = (n: number): PushRow[] =>
  Array.from({ length: n }, (_, i) => person(`p${i}@acme-widgets.com`));
const answer =
  (body: unknown, code = 200): WebhookReply =>
  (response) =>
    void response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Creates an organisation with a destination and a table. */
async function scene(
  kind: 'webhook' | 'hubspot_contacts' | 'instantly_leads',
  rows: PushRow[],
  perRequest = 1,
) {
  const n = ++count;
  const ctx = testCtx(`org_${n}`);
  const settings = {
    webhook: { url: receiver.url(`/${n}`), rows_per_request: perRequest },
    hubspot_contacts: { overwrite: true },
    instantly_leads: { campaign_id: 'c1' },
  }[kind];
  const made = await store.createDestination(ctx, { kind, name: 'x', settings, secret: SIGNING }, null);
  const { id } = JSON.parse(made) as { id: string };
  const tableId = newId('tbl');
  tables.tables.set(tableId, rows);
  const turn = { orgId: ctx.orgId, mode: ctx.mode, id };
  const body: PushRequest = { table_id: tableId };
  const begin = async () => (JSON.parse(await pushes.createPush(ctx, id, body, null)) as PushJson).id;
  const read = async (pushId: string) => JSON.parse(await pushes.readPush(ctx, id, pushId)) as PushJson;
  const push = async (): Promise<PushJson> => {
    const pushId = await begin();
    await sender.takeTurn(turn);
    return read(pushId);
  };
  return { ctx, id, turn, tableId, body, begin, read, push };
}

/** Returns the row ids of each message, or the rows that HubSpot received. */
const sentIds = (): string[][] =>
  receiver.received.map(({ body }) => {
    const { rows, inputs = [] } = JSON.parse(body) as {
      rows?: Array<{ id: string }>;
      inputs?: Array<{ id: string }>;
    };
    return (rows ?? inputs).map(({ id }) => id);
  });
const sentRowsOf = ({ orgId }: Ctx) =>
  test.database.query<{ key: string; vendor_id: string | null }>(
    ALL,
    'SELECT key, vendor_id FROM destinations.sent_rows WHERE org_id = $1 ORDER BY key',
    [orgId],
  );
/** Makes the next attempt due, and releases the lease. */
const force = (id: string) =>
  test.database.query(
    ALL,
    `WITH freed AS (UPDATE destinations.destinations SET lease_token = NULL, lease_until = NULL, queued_at = '-infinity' WHERE id = $1)
     UPDATE destinations.pushes SET next_at = now() WHERE destination_id = $1 AND ended_at IS NULL`,
    [id],
  );

describe('a push', () => {
  it('sends new and changed rows, and nothing twice', async () => {
    const rows = people(3);
    const { push } = await scene('webhook', rows, 100);
    const first = await push();
    expect(first).toMatchObject({ status: 'completed', counts: { new: 3, unchanged: 0, failed: 0 } });
    const order = [
      'new',
      'changed',
      'unchanged',
      'excluded',
      'without_key',
      'sandbox',
      'duplicate',
      'failed',
    ];
    expect(Object.keys(first.counts)).toEqual(order);
    expect(sentIds()).toEqual([rows.map(({ id }) => id)]);
    receiver.received.length = 0;
    expect((await push()).counts).toMatchObject({ new: 0, unchanged: 3 });
    expect(sentIds()).toEqual([]);
    rows[1]!.values['first_name'] = 'Anna';
    rows.push(person('new@acme-widgets.com'));
    expect((await push()).counts).toMatchObject({ new: 1, changed: 1, unchanged: 2 });
    expect(sentIds()).toEqual([[rows[1]!.id, rows[3]!.id]]);
  });

  it('leaves out excluded, fictional, duplicate and keyless rows', async () => {
    const [first, again] = [person('a@acme-widgets.com'), person('A@Acme-Widgets.com\u200b ', 'Other')];
    const rows = [first, person('x@rival.com'), person('f@acme-widgets.com', 'F', true), person(null), again];
    const { push, ctx } = await scene('hubspot_contacts', rows);
    tables.excluded.add('rival.com');
    receiver.reply = answer({ results: [{ id: '1', properties: { email: 'a@acme-widgets.com' } }] });
    const counts = { new: 1, changed: 0, excluded: 1, sandbox: 1, without_key: 1, duplicate: 1, failed: 0 };
    expect(await push()).toMatchObject({ status: 'completed', counts });
    expect(sentIds()).toEqual([['a@acme-widgets.com']]);
    expect(await sentRowsOf(ctx)).toEqual([{ key: 'a@acme-widgets.com', vendor_id: '1' }]);
    // Of two rows with the same key, the second does not alternate with the first.
    expect((await push()).counts).toMatchObject({ new: 0, changed: 0, unchanged: 1, duplicate: 1 });
    expect(receiver.received).toHaveLength(1);
  });

  it('leaves out an excluded company that only the mapping knows as a domain', async () => {
    const rows = [person(null, 'https://rival.com/'), person(null, 'acme-widgets.com')];
    const { ctx, id, tableId } = await scene('webhook', rows);
    tables.excluded.add('rival.com');
    const { rows: classified } = await classifier.classifyPage(
      ctx,
      { id, kind: 'hubspot_companies', mapping: { domain: 'first_name' } },
      { tableId, viewId: null },
      { from: 0, limit: 10, pushId: null },
    );
    expect(classified.map(({ verdict }) => verdict)).toEqual(['excluded', 'new']);
  });

  it('checks exclusions and suppressions right before rows are sent', async () => {
    const rows = [...people(2), person('x@rival.com'), person('Gone@Acme-Widgets.com ')];
    const { push, ctx, id, body } = await scene('webhook', rows, 100);
    const before = JSON.parse(await pushes.previewPush(ctx, id, body)) as { counts: Record<string, number> };
    expect(before.counts).toMatchObject({ new: 4, excluded: 0 });
    tables.excluded.add('rival.com');
    tables.suppressed.add('gone@acme-widgets.com');
    expect((await push()).counts).toMatchObject({ new: 2, excluded: 2 });
    expect(sentIds().flat().sort()).toEqual([rows[0]!.id, rows[1]!.id].sort());
  });

  it('of many rows goes on page by page', async () => {
    const rows = people(230);
    const { push } = await scene('webhook', rows, 40);
    expect((await push()).counts).toMatchObject({ new: 230 });
    expect(sentIds().map(({ length }) => length)).toEqual([40, 40, 20, 40, 40, 20, 30]);
    expect(sentIds().flat()).toEqual(rows.map(({ id }) => id));
  });

  it('of long rows sends fewer in one request', async () => {
    const rows = [400_000, 400_000, 2_000_000, 400_000, 400_000].map((length, i) =>
      person(`p${i}@acme-widgets.com`, 'x'.repeat(length)),
    );
    const { push } = await scene('webhook', rows, 100);
    expect((await push()).counts).toMatchObject({ new: 5 });
    expect(sentIds().map(({ length }) => length)).toEqual([2, 1, 2]);
    expect(sentIds().flat()).toEqual(rows.map(({ id }) => id));
  });

  it('records refused rows, and sends the rest', async () => {
    const rows = people(3);
    const { push, ctx, id } = await scene('webhook', rows);
    receiver.reply = (response, { body }) =>
      void response.writeHead(body.includes(rows[1]!.id) ? 422 : 200).end('{"secret": "of the vendor"}');
    const done = await push();
    expect(done).toMatchObject({ status: 'completed', counts: { new: 2, failed: 1 } });
    const where = { destinationId: id, pushId: done.id };
    const page = JSON.parse(await pushes.listFailures(ctx, where, { limit: 10, cursor: null })) as {
      items: unknown[];
    };
    expect(page.items).toMatchObject([
      { row_id: rows[1]!.id, reason: 'The destination rejected the row (422).' },
    ]);
    receiver.reply = status(204);
    receiver.received.length = 0;
    expect((await push()).counts).toMatchObject({ new: 1, unchanged: 2, failed: 0 });
    expect(sentIds()).toEqual([[rows[1]!.id]]);
  });

  it.each([
    [401, 'The destination rejects the key (401).'],
    [403, 'The destination rejects the key (403).'],
    [307, 'The destination answers with a redirect, which is not followed.'],
    [404, 'The address, the list or the campaign does not exist (404).'],
  ])('ends at status %i, and gives the reason', async (code, reason) => {
    const { push } = await scene('webhook', people(3));
    receiver.reply = status(code, { location: receiver.url('/elsewhere') });
    expect(await push()).toMatchObject({ status: 'failed', reason, counts: { new: 0, failed: 0 } });
    expect(receiver.received).toHaveLength(1);
  });

  it.each([
    [429, 3_600],
    [503, 5],
  ])('waits at status %i as long as requested, and resumes with the same batch', async (code, seconds) => {
    const rows = people(2);
    const { push, id, turn, read } = await scene('webhook', rows);
    receiver.reply = (response, message) =>
      receiver.received.indexOf(message) === 0
        ? void response.writeHead(200).end()
        : void response.writeHead(code, code === 429 ? { 'retry-after': '3600' } : {}).end();
    const waiting = await push();
    expect([waiting.status, waiting.counts['new']]).toEqual(['working', 1]);
    expect(waiting.reason).toContain(String(code));
    const [row] = await test.database.query<{ in_s: number }>(
      ALL,
      'SELECT extract(epoch FROM next_at - now())::float8 AS in_s FROM destinations.pushes WHERE id = $1',
      [waiting.id],
    );
    expect(row!.in_s).toBeGreaterThan(seconds * 0.5);
    expect(row!.in_s).toBeLessThan(seconds * 1.5);
    expect((await leases.takeDue()).map((due) => due.id)).not.toContain(id);
    receiver.reply = status(204);
    await force(id);
    await sender.takeTurn(turn);
    expect(await read(waiting.id)).toMatchObject({ status: 'completed', reason: null, counts: { new: 2 } });
    expect(sentIds().map(([first]) => first)).toEqual([rows[0]!.id, rows[1]!.id, rows[1]!.id]);
  });

  it('does not fail while each turn sends something, however often it is interrupted', async () => {
    const { begin, id, turn, read } = await scene('webhook', people(12));
    receiver.reply = (response, message) =>
      void response.writeHead(receiver.received.indexOf(message) % 2 === 0 ? 200 : 429).end();
    const pushId = await begin();
    for (let n = 0; n < 12; n += 1) {
      await force(id);
      await sender.takeTurn(turn);
    }
    expect(await read(pushId)).toMatchObject({ status: 'completed', counts: { new: 12 } });
  });

  it('keeps the results of a batch that was interrupted', async () => {
    const rows = people(4);
    const { push, id, turn, read, ctx } = await scene('hubspot_contacts', rows);
    // The batch is refused because of one row, and after its first half there is no response.
    receiver.reply = (response, { body }) => {
      const { inputs } = JSON.parse(body) as { inputs: unknown[] };
      const code = inputs.length === 4 ? 400 : body.includes('p0@') ? 200 : 503;
      response.writeHead(code).end('{}');
    };
    const cut = await push();
    expect([cut.status, cut.counts['new']]).toEqual(['working', 2]);
    expect((await sentRowsOf(ctx)).map(({ key }) => key.slice(0, 2))).toEqual(['p0', 'p1']);
    receiver.received.length = 0;
    receiver.reply = answer({});
    await force(id);
    await sender.takeTurn(turn);
    expect(await read(cut.id)).toMatchObject({ status: 'completed', counts: { new: 4, duplicate: 0 } });
    expect(sentIds()).toEqual([['p2@acme-widgets.com', 'p3@acme-widgets.com']]);
  });

  it('updates a lead by the id that the vendor returned', async () => {
    const rows = people(1);
    const { push } = await scene('instantly_leads', rows);
    receiver.reply = answer({ id: 'lead-1' });
    await push();
    rows[0]!.values['first_name'] = 'Anna';
    expect((await push()).counts).toMatchObject({ changed: 1 });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/api/v2/leads', '/api/v2/leads/lead-1']);
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(`Bearer ${SIGNING}`),
    );
  });

  it('is created once per idempotency key, and not for a table without the required columns', async () => {
    const { ctx, id, body, tableId } = await scene('hubspot_contacts', people(1));
    const first = await pushes.createPush(ctx, id, body, 'k');
    expect(await pushes.createPush(ctx, id, body, 'k')).toBe(first);
    const rows = tables.tables.get(tableId)!;
    tables.tables.delete(tableId);
    expect(await pushes.createPush(ctx, id, body, 'k')).toBe(first);
    tables.tables.set(tableId, rows);
    await expect(pushes.createPush(ctx, id, { table_id: newId('tbl') }, null)).rejects.toMatchObject({
      code: 'table_not_found',
    });
    await store.changeDestination(ctx, id, { mapping: { email: 'mail' } });
    await store.changeDestination(ctx, id, { name: 'Other' });
    await expect(pushes.createPush(ctx, id, body, null)).rejects.toMatchObject({ code: 'invalid_request' });
    await store.changeDestination(ctx, id, { mapping: null });
    expect(JSON.parse(await pushes.createPush(ctx, id, body, null))).toMatchObject({ status: 'queued' });
  });

  it('ends if its table was deleted', async () => {
    const { begin, read, turn, tableId } = await scene('webhook', people(1));
    const pushId = await begin();
    tables.tables.delete(tableId);
    await sender.takeTurn(turn);
    expect(await read(pushId)).toMatchObject({ status: 'failed', reason: 'Table not found.' });
  });
});

describe('the turn of a destination', () => {
  it('is taken by one process at a time', async () => {
    const rows = people(20);
    const { begin, read, turn } = await scene('webhook', rows);
    const pushId = await begin();
    await Promise.all([sender.takeTurn(turn), newSender().takeTurn(turn), newSender().takeTurn(turn)]);
    expect((await read(pushId)).counts).toMatchObject({ new: 20 });
    expect(sentIds().flat()).toEqual(rows.map(({ id }) => id));
  });

  it('that is lost between sending and settling sends only that batch again, under the same id', async () => {
    const rows = people(6);
    const { begin, read, turn, id } = await scene('webhook', rows, 2);
    const pushId = await begin();
    let isTaken = false;
    receiver.reply = (response, { body }) => {
      if (isTaken || !body.includes(rows[2]!.id)) return void response.writeHead(204).end();
      isTaken = true;
      // Its lease ends while the response is on its way, and another process continues.
      void test.database
        .query(
          ALL,
          "UPDATE destinations.destinations SET lease_until = now() - interval '1 s' WHERE id = $1",
          [id],
        )
        .then(() => newSender().takeTurn(turn))
        .then(() => response.writeHead(204).end());
    };
    await sender.takeTurn(turn);
    expect(await read(pushId)).toMatchObject({ status: 'completed', counts: { new: 6 } });
    const pair = (i: number) => [rows[i]!.id, rows[i + 1]!.id];
    expect(sentIds()).toEqual([pair(0), pair(2), pair(2), pair(4)]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[2]);
    expect(new Set(ids).size).toBe(3);
  });

  it('comes up when something is due, and not while it is taken or queued', async () => {
    const { begin, turn, id } = await scene('webhook', people(1));
    const isDue = async () => (await leases.takeDue()).some((due) => due.id === id);
    expect(await isDue()).toBe(false);
    await begin();
    expect([await isDue(), await isDue()]).toEqual([true, false]);
    await force(id);
    const lease = await leases.claimTurn(turn);
    expect([lease?.id, await leases.claimTurn(turn), await isDue()]).toEqual([id, null, false]);
    await leases.expireAll();
    expect(await isDue()).toBe(true);
  });
});

describe('a preview', () => {
  it('counts rows, and shows five requests without the secret', async () => {
    const rows = [...people(7), person(null)];
    const { ctx, id, body } = await scene('hubspot_contacts', rows);
    const preview = JSON.parse(await pushes.previewPush(ctx, id, body)) as {
      payloads: Array<{ row_id: string; key: string; url: string; body: unknown }>;
    };
    expect(preview).toMatchObject({
      mapping: { email: 'email', firstname: 'first_name' },
      row_count: 8,
      looked_at: 8,
      counts: { new: 7, without_key: 1 },
    });
    expect(preview.payloads).toHaveLength(5);
    expect(preview.payloads[0]).toEqual({
      row_id: rows[0]!.id,
      key: 'p0@acme-widgets.com',
      method: 'POST',
      url: receiver.url('/crm/v3/objects/contacts/batch/upsert'),
      body: {
        inputs: [
          {
            idProperty: 'email',
            id: 'p0@acme-widgets.com',
            properties: { email: 'p0@acme-widgets.com', firstname: 'Ann' },
          },
        ],
      },
    });
    expect(receiver.received).toEqual([]);
  });
});

describe('destinations', () => {
  it('are limited to 20 per mode, even if created concurrently', async () => {
    const ctx = testCtx(`org_${++count}`);
    const make = () =>
      store.createDestination(ctx, { kind: 'hubspot_contacts', name: 'x', secret: 'k' }, null).then(
        () => 'made',
        (error: AppError) => error.code,
      );
    const made = await Promise.all(Array.from({ length: 24 }, make));
    expect(made.sort()).toEqual([
      ...Array<string>(4).fill('invalid_request'),
      ...Array<string>(20).fill('made'),
    ]);
  });

  it.each<[string, Parameters<DestinationStore['createDestination']>[1]]>([
    ['settings.url is required for webhook', { kind: 'webhook', name: 'x', secret: SIGNING }],
    [
      'mapping.a must be the key of a column',
      { kind: 'hubspot_contacts', name: 'x', secret: 'k', mapping: { email: 'mail', a: 5 } },
    ],
    [
      'mapping.email is required: it identifies rows at the destination',
      { kind: 'hubspot_contacts', name: 'x', secret: 'k', mapping: { firstname: 'name' } },
    ],
  ])('are refused if invalid, and the error names the field: %s', async (message, body) => {
    await expect(store.createDestination(testCtx(`org_${++count}`), body, null)).rejects.toMatchObject({
      code: 'invalid_request',
      message,
      details: [{ path: message.split(' ')[0], message }],
    });
  });

  it('that were deleted are not created again by the same idempotency key, which says so', async () => {
    const ctx = testCtx(`org_${++count}`);
    const create = () =>
      store.createDestination(ctx, { kind: 'hubspot_contacts', name: 'x', secret: 'k' }, 'key');
    const first = await create();
    expect(await create()).toBe(first);
    await store.removeDestination(ctx, (JSON.parse(first) as { id: string }).id);
    await expect(create()).rejects.toMatchObject({ code: 'idempotency_conflict', message: DELETED });
  });

  it('are refused if their URL leads to this machine, and the error names the field', async () => {
    const settings = { url: 'https://localhost/hook' };
    const made = store.createDestination(
      testCtx(`org_${++count}`),
      { kind: 'webhook', name: 'x', settings, secret: SIGNING },
      null,
    );
    await expect(made).rejects.toMatchObject({
      code: 'invalid_request',
      details: [
        {
          path: 'settings.url',
          message: expect.stringMatching(/^settings\.url cannot be used: .*FETCH_ALLOW_HOSTS/),
        },
      ],
    });
  });

  it('store their secret encrypted, and can be re-encrypted', async () => {
    const { ctx, id } = await scene('webhook', []);
    const sealedOf = async () =>
      (await test.database.queryOne<{ s: string }>(
        ALL,
        'SELECT sealed_secret AS s FROM destinations.destinations WHERE id = $1',
        [id],
      ))!.s;
    expect(await sealedOf()).not.toContain('BwcH');
    await resealWebhooks(test.database, new SealedSecrets([NEW, OLD]));
    const binding = ['destination secret', ctx.orgId, ctx.mode, id];
    expect(new SealedSecrets([NEW]).openSecret(binding, await sealedOf())).toBe(SIGNING);
    await resealWebhooks(test.database, new SealedSecrets([OLD, NEW]));
  });

  it('forget the sent rows of an erased person, and of nobody else', async () => {
    const { push, ctx } = await scene('hubspot_contacts', [
      person('ann@acme-widgets.com'),
      person('joann@acme-widgets.com'),
    ]);
    receiver.reply = answer({});
    await push();
    const ann = Person.of({ email: 'Ann@acme-widgets.com' });
    expect(await eraseFromDestinations(test.database, ctx, ann)).toBe(1);
    expect((await sentRowsOf(ctx)).map(({ key }) => key)).toEqual(['joann@acme-widgets.com']);
  });

  it('delete ended pushes after 30 days, and everything when they are deleted', async () => {
    const { push, begin, ctx, id } = await scene('webhook', people(1));
    await push();
    const open = await begin();
    await test.database.query(
      ALL,
      `UPDATE destinations.pushes SET created_at = created_at - interval '31 days', ended_at = ended_at - interval '31 days'
       WHERE destination_id = $1`,
      [id],
    );
    for (const { removeSome } of pushRetention(test.database)) await removeSome();
    const page = JSON.parse(await pushes.listPushes(ctx, id, { limit: 10, cursor: null })) as {
      items: PushJson[];
    };
    expect(page.items.map((each) => each.id)).toEqual([open]);
    expect(await sentRowsOf(ctx)).toHaveLength(1);
    await store.removeDestination(ctx, id);
    expect(await sentRowsOf(ctx)).toEqual([]);
    await expect(store.readDestination(ctx, id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refuse a push that arrives while they are being deleted', async () => {
    const { ctx, id, tableId } = await scene('webhook', people(1));
    const push = runBehind(
      test.database,
      ctx,
      (tx) => store.removeDestination(tx, id),
      () => pushes.createPush(ctx, id, { table_id: tableId }, null),
    );
    await expect(push).rejects.toMatchObject({ code: 'not_found' });
  });
});
