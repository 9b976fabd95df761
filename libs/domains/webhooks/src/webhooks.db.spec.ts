import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, CursorSigner, SealedSecrets, systemCtx, type Ctx } from '@quarry/app';
import { Database, IdempotentRequests } from '@quarry/postgres';
import { status, waitFor, WebhookReceiver } from '@quarry/test-servers';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import type { CreateWebhookRequest } from '@quarry/dto';
import { resealWebhooks } from './reseal-webhooks.js';
import { WebhookDeliveryStore } from './webhook-delivery.store.js';
import { WebhookLeaseStore, type SettledAttempt } from './webhook-lease.store.js';
import { webhookRetention } from './webhook-retention.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookClient } from './webhook.client.js';
import { WebhookStore } from './webhook.store.js';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const ALL = systemCtx('spec');

let test: TestDatabase;
let receiver: WebhookReceiver;
let client: WebhookClient;
let store: WebhookStore;
let deliveries: WebhookDeliveryStore;
let leases: WebhookLeaseStore;
let sender: WebhookSender;
let count = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  receiver = await WebhookReceiver.start();
  client = new WebhookClient({ allowHosts: [receiver.host], timeoutMs: 2_000 });
  const secrets = new SealedSecrets([OLD]);
  const { database } = test;
  store = new WebhookStore(database, new IdempotentRequests(database), client, secrets);
  deliveries = new WebhookDeliveryStore(database, new CursorSigner([{ id: 'k', secret: 's' }]));
  leases = new WebhookLeaseStore(database);
  sender = new WebhookSender(leases, client, secrets, createLogger('spec', 'silent'));
});
afterEach(() => {
  receiver.reply = status(204);
});
afterAll(async () => {
  await client.onApplicationShutdown();
  await receiver.stop();
  await test.drop();
});

interface Shown {
  id: string;
  secret: string;
}

/** Creates an organisation with a webhook that has its own path. */
async function scene(types: readonly string[] = ['run.completed']) {
  const n = ++count;
  const ctx = testCtx(`org_${n}`);
  const path = `/${n}`;
  const { id, secret } = await make(ctx, path, types);
  const turn = { orgId: ctx.orgId, mode: ctx.mode, id };
  return { ctx, path, id, secret, turn };
}

async function make(ctx: Ctx, path: string, types: readonly string[] = ['run.completed']): Promise<Shown> {
  const body = { url: receiver.url(path), types: [...types] };
  return JSON.parse(await store.createWebhook(ctx, body, null)) as Shown;
}

/** Inserts an event like the triggers do. @returns its id */
async function happen({ orgId, mode }: Ctx, type = 'run.completed', subject = 'run_1'): Promise<string> {
  await test.database.query(ALL, "SELECT events.record_event($1, $2, $3, $4, '{}')", [
    orgId,
    mode,
    subject,
    type,
  ]);
  const row = await test.database.queryOne<{ id: string }>(
    ALL,
    'SELECT id FROM events.events WHERE org_id = $1 AND mode = $2 ORDER BY position DESC LIMIT 1',
    [orgId, mode],
  );
  return row!.id;
}

const rowsOf = (ctx: Ctx, webhookId: string) =>
  test.database.query<{
    id: string;
    event_id: string;
    state: string;
    attempts: number;
    tries: number;
    in_s: number;
  }>(
    ALL,
    `SELECT id, event_id, state, attempts, tries, extract(epoch FROM next_at - now())::float8 AS in_s
     FROM webhooks.deliveries WHERE org_id = $1 AND mode = $2 AND endpoint_id = $3 ORDER BY id`,
    [ctx.orgId, ctx.mode, webhookId],
  );
const webhookOf = (webhookId: string) =>
  test.database.queryOne<{ status: string; reason: string | null; failures: number; is_failing: boolean }>(
    ALL,
    'SELECT status, reason, failures, failing_since IS NOT NULL AS is_failing FROM webhooks.endpoints WHERE id = $1',
    [webhookId],
  );
/** Makes the next attempts of a webhook due, and releases its lease. */
const force = (webhookId: string) =>
  test.database.query(
    ALL,
    `WITH freed AS (UPDATE webhooks.endpoints SET lease_token = NULL, lease_until = NULL, queued_at = '-infinity' WHERE id = $1)
     UPDATE webhooks.deliveries SET next_at = now() WHERE endpoint_id = $1 AND state = 'pending'`,
    [webhookId],
  );
const ended = (id: string, more: Partial<SettledAttempt> = {}): SettledAttempt => ({
  id,
  outcome: 'failed',
  nextInMs: 60_000,
  at: new Date().toISOString(),
  durationMs: 1,
  status: 500,
  error: null,
  answer: null,
  isGone: false,
  ...more,
});
const listed = async (ctx: Ctx, id: string) =>
  (
    JSON.parse(await deliveries.listDeliveries(ctx, id, { limit: 100, cursor: null })) as {
      items: Array<{
        status: string;
        attempts: Array<{ number: number; status_code: number; error: string; answer: string }>;
      }>;
    }
  ).items;

describe('an event', () => {
  it('is written with a delivery for each subscribed webhook of its own organisation and mode', async () => {
    const { ctx, id, path } = await scene(['run.completed', 'run.failed']);
    const testMode = { ...ctx, mode: 'test' as const };
    const other = await make(ctx, path, ['run.failed']);
    const ofTest = await make(testMode, path);
    const otherOrg = await scene();
    const event = await happen(ctx);
    await happen(ctx, 'run.step');
    const sent = await test.database.query(
      ALL,
      'SELECT org_id, mode, endpoint_id AS id, event_id FROM webhooks.deliveries WHERE endpoint_id = ANY ($1)',
      [[id, other.id, ofTest.id, otherOrg.id]],
    );
    expect(sent).toEqual([{ org_id: ctx.orgId, mode: 'live', id, event_id: event }]);
  });

  it('is written with its deliveries even by a role that cannot read secrets', async () => {
    const { ctx, id } = await scene();
    const serving = await Database.open({ url: test.servingUrl, applicationName: 'spec', connectMs: 60_000 });
    const record = "SELECT events.record_event($1, 'live', 'run_1', 'run.completed', '{}')";
    await serving.query(ctx, record, [ctx.orgId]);
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'pending' }]);
    for (const sql of ['SELECT sealed_secret FROM webhooks.endpoints', 'DELETE FROM webhooks.deliveries'])
      await expect(serving.query(ctx, sql)).rejects.toThrow('permission denied');
    await serving.close();
  });

  it('is not sent if its transaction is rolled back', async () => {
    const { ctx, id } = await scene();
    const failing = test.database.transaction(ctx, async (tx) => {
      await test.database.query(
        tx,
        "SELECT events.record_event($1, 'live', 'run_1', 'run.completed', '{}')",
        [ctx.orgId],
      );
      throw new Error('not to stand');
    });
    await expect(failing).rejects.toThrow('not to stand');
    expect(await rowsOf(ctx, id)).toEqual([]);
  });
});

describe('a turn of a webhook', () => {
  it('belongs to one process at a time, and is due again after its lease expires', async () => {
    const { ctx, id, turn } = await scene();
    await happen(ctx);
    const takeDue = async () => (await leases.takeDue()).filter((due) => due.id === id);
    expect(await takeDue()).toEqual([turn]);
    expect(await takeDue()).toEqual([]);
    const [first, second] = await Promise.all([leases.claimTurn(turn), leases.claimTurn(turn)]);
    expect([first, second].filter((lease) => lease !== null)).toHaveLength(1);
    const lost = (first ?? second)!;
    await test.database.query(
      ALL,
      "UPDATE webhooks.endpoints SET lease_until = now() - interval '1 second', queued_at = '-infinity' WHERE id = $1",
      [id],
    );
    expect(await takeDue()).toEqual([turn]);
    const lease = (await leases.claimTurn(turn))!;
    const [delivery] = await leases.dueOf(lease, 4);
    // A process that has lost its lease changes nothing.
    expect(await leases.dueOf(lost, 4)).toEqual([]);
    await leases.settleDelivery(lost, [ended(delivery!.id, { outcome: 'delivered' })]);
    await leases.releaseLease(lost, 0);
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    await leases.settleDelivery(lease, [ended(delivery!.id, { outcome: 'delivered', status: 204 })]);
    await leases.releaseLease(lease, 0);
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'delivered', attempts: 1, in_s: null }]);
    expect(await takeDue()).toEqual([]);
  });

  it('sends everything due, four at a time, and logs each attempt', async () => {
    const { ctx, id, path, turn } = await scene();
    let atOnce = 0;
    let most = 0;
    receiver.reply = (response) => {
      most = Math.max(most, ++atOnce);
      setImmediate(() => {
        atOnce -= 1;
        response.writeHead(200).end(`got\0it${'.'.repeat(2000)}`);
      });
    };
    const events = [];
    for (let i = 0; i < 10; i += 1) events.push(await happen(ctx));
    expect(await sender.takeTurn(turn)).toBe('idle');
    expect(receiver.idsAt(path).sort()).toEqual(events.sort());
    expect(most).toBeLessThanOrEqual(4);
    const items = await listed(ctx, id);
    expect(items).toHaveLength(10);
    expect(items[0]).toMatchObject({
      status: 'delivered',
      attempts: [{ number: 1, status_code: 200, error: null }],
    });
    expect(items[0]!.attempts[0]!.answer).toMatch(/^got\uFFFDit\.{1000,}$/);
  });

  it('ends at a failure, which is retried later; until then one attempt at a time', async () => {
    const { ctx, id, path, turn } = await scene();
    receiver.reply = status(500);
    for (let i = 0; i < 6; i += 1) await happen(ctx);
    await sender.takeTurn(turn);
    expect(receiver.idsAt(path)).toHaveLength(4);
    const rows = await rowsOf(ctx, id);
    const failed = rows.filter(({ attempts }) => attempts === 1);
    expect(failed).toHaveLength(4);
    for (const { in_s } of failed) expect(in_s).toBeLessThanOrEqual(6);
    await sender.takeTurn(turn);
    expect(receiver.idsAt(path)).toHaveLength(5);
    receiver.reply = status(204);
    await force(id);
    await sender.takeTurn(turn);
    expect((await rowsOf(ctx, id)).map(({ state }) => state)).toEqual(Array(6).fill('delivered'));
    expect(await webhookOf(id)).toMatchObject({ status: 'active', failures: 0, is_failing: false });
  });

  it.each([
    [
      'a redirect',
      status(302, { location: '/elsewhere' }),
      { status_code: 302, error: 'Redirects are not followed.' },
    ],
    [
      'a broken connection',
      ((response) => response.destroy()) as WebhookReceiver['reply'],
      { status_code: null, error: 'The server cannot be reached.' },
    ],
    [
      'no answer',
      (() => undefined) as WebhookReceiver['reply'],
      { status_code: null, error: 'The server took too long to answer.' },
    ],
    [
      'an endless response',
      ((response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('.'), 20);
        response.on('close', () => clearInterval(timer));
      }) as WebhookReceiver['reply'],
      { status_code: null, error: 'The server took too long to answer.' },
    ],
  ])('counts %s as a failure', async (_what, reply, attempt) => {
    const { ctx, id, path, turn } = await scene();
    receiver.reply = reply;
    await happen(ctx);
    await sender.takeTurn(turn);
    expect(await listed(ctx, id)).toMatchObject([{ status: 'pending', attempts: [attempt] }]);
    expect(receiver.idsAt('/elsewhere')).toEqual([]);
    expect(receiver.idsAt(path)).toHaveLength(1);
  });

  it('reads only a part of a large response, and counts it as a success', async () => {
    const { ctx, id, turn } = await scene();
    let written = 0;
    receiver.reply = (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'a'))) written += 65_536;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    await happen(ctx);
    await sender.takeTurn(turn);
    expect(await listed(ctx, id)).toMatchObject([{ status: 'delivered' }]);
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it('fails a delivery after its tenth attempt, and a redelivery starts over', async () => {
    const { ctx, id, turn } = await scene();
    receiver.reply = status(500);
    await happen(ctx);
    for (let i = 0; i < 10; i += 1) {
      await force(id);
      await sender.takeTurn(turn);
    }
    const [row] = await rowsOf(ctx, id);
    expect(row).toMatchObject({ state: 'failed', attempts: 10, in_s: null });
    const again = JSON.parse(await deliveries.redeliverEvent(ctx, id, row!.id)) as {
      status: string;
      attempts: unknown[];
    };
    expect([again.status, again.attempts.length]).toEqual(['pending', 10]);
    receiver.reply = status(204);
    await force(id);
    await sender.takeTurn(turn);
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'delivered', attempts: 11, tries: 1 }]);
  });
});

describe('a webhook that fails', () => {
  const failingFor = async (days: number, failures: number) => {
    const made = await scene(['run.completed', 'webhook.disabled']);
    const listener = await make(made.ctx, '/listener', ['webhook.disabled']);
    await test.database.query(
      ALL,
      'UPDATE webhooks.endpoints SET failing_since = now() - make_interval(days => $2), failures = $3 WHERE id = $1',
      [made.id, days, failures],
    );
    receiver.reply = status(500);
    await happen(made.ctx);
    await happen(made.ctx);
    await sender.takeTurn(made.turn);
    return { ...made, listener };
  };

  it('is disabled after five days and ten failures, and other webhooks are notified', async () => {
    const { ctx, id, listener } = await failingFor(6, 9);
    expect(await webhookOf(id)).toMatchObject({ status: 'disabled', reason: 'failing' });
    expect((await rowsOf(ctx, id)).map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
    expect(await rowsOf(ctx, listener.id)).toHaveLength(1);
    await happen(ctx);
    expect(await rowsOf(ctx, id)).toHaveLength(2);
    await expect(deliveries.replayEvents(ctx, id, { since: '2020-01-01T00:00:00Z' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await store.changeWebhook(ctx, id, { status: 'active' });
    expect(await webhookOf(id)).toMatchObject({
      status: 'active',
      reason: null,
      failures: 0,
      is_failing: false,
    });
  });

  it.each([
    [4, 50],
    [30, 8],
  ])('is not disabled after %d days with %d earlier failures', async (days, failures) => {
    const { id } = await failingFor(days, failures);
    expect(await webhookOf(id)).toMatchObject({ status: 'active', failures: failures + 1 });
  });

  it('is disabled at once if its receiver responds that it is gone', async () => {
    const { ctx, id, turn } = await scene();
    receiver.reply = status(410);
    await happen(ctx);
    await sender.takeTurn(turn);
    expect(await webhookOf(id)).toMatchObject({ status: 'disabled', reason: 'gone' });
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'cancelled', attempts: 1 }]);
  });

  it('keeps the result of a delivery that arrived while it was disabled', async () => {
    const { ctx, id, turn } = await scene();
    await happen(ctx);
    const lease = (await leases.claimTurn(turn))!;
    const [delivery] = await leases.dueOf(lease, 4);
    await store.changeWebhook(ctx, id, { status: 'disabled' });
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'cancelled' }]);
    await leases.settleDelivery(lease, [ended(delivery!.id)]);
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'cancelled', attempts: 1 }]);
    await leases.settleDelivery(lease, [ended(delivery!.id, { outcome: 'delivered' })]);
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });
});

describe('a change of a webhook', () => {
  it('does not overwrite what somebody else has changed since it was read', async () => {
    const { ctx, id, path } = await scene();
    const url = receiver.url(path);
    const expected = { url };
    await store.changeWebhook(ctx, id, { url: `${url}/a`, expected });
    await expect(store.changeWebhook(ctx, id, { url: `${url}/b`, expected })).rejects.toMatchObject({
      code: 'version_conflict',
      details: [{ path: 'expected.url' }],
    });
    await expect(store.changeWebhook(ctx, id, { expected: { secret: null } })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await store.changeWebhook(ctx, id, { types: ['run.failed'], expected: { types: ['run.completed'] } });
    expect(JSON.parse(await store.readWebhook(ctx, id))).toMatchObject({
      url: `${url}/a`,
      types: ['run.failed'],
    });
  });
});

describe('a replay', () => {
  const replay = async (
    ctx: Ctx,
    id: string,
    body: { since: string; until?: string; only_failed?: boolean },
  ) =>
    JSON.parse(await deliveries.replayEvents(ctx, id, body)) as {
      deliveries: number;
      next_since: string | null;
    };

  it('sends the events of a period, including missed ones, with the same ids', async () => {
    const { ctx, id, path, turn } = await scene();
    const [delivered, missed, older] = [await happen(ctx), await happen(ctx), await happen(ctx)];
    await happen(ctx, 'run.failed');
    await sender.takeTurn(turn);
    await test.database.query(ALL, 'DELETE FROM webhooks.deliveries WHERE event_id = $1', [missed]);
    await test.database.query(ALL, "UPDATE events.events SET at = at - interval '2 days' WHERE id = $1", [
      older,
    ]);
    const since = new Date(Date.now() - 86_400_000).toISOString();
    expect(await replay(ctx, id, { since, only_failed: true })).toEqual({ deliveries: 1, next_since: null });
    await sender.takeTurn(turn);
    expect(receiver.idsAt(path).slice(3)).toEqual([missed]);
    expect(await replay(ctx, id, { since })).toMatchObject({ deliveries: 2 });
    await sender.takeTurn(turn);
    expect(receiver.idsAt(path).slice(4).sort()).toEqual([delivered, missed].sort());
    expect(await replay(ctx, id, { since: '2020-01-01T00:00:00Z', until: since })).toMatchObject({
      deliveries: 1,
    });
    await expect(replay(ctx, id, { since, until: '2020-01-01T00:00:00Z' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'until', message: 'until must not be before since' }],
    });
  });

  it('sends up to 10,000 events, and returns where the next replay starts', async () => {
    const { ctx, id } = await scene();
    await test.database.query(
      ALL,
      `INSERT INTO events.events (org_id, mode, id, subject, seq, type, data, at)
       SELECT $1, 'live', 'evt_' || $1 || n, 'run_1', n, 'run.completed', '{}', '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 second'
       FROM generate_series(1, 10001) n`,
      [ctx.orgId],
    );
    const first = await replay(ctx, id, { since: '2026-01-01T00:00:00Z' });
    expect(first).toEqual({ deliveries: 10_000, next_since: '2026-01-01T02:46:41.000Z' });
    expect(await replay(ctx, id, { since: first.next_since! })).toEqual({ deliveries: 1, next_since: null });
    expect(await rowsOf(ctx, id)).toHaveLength(10_001);
  });
});

describe('webhook secrets', () => {
  it('are two during a rotation, and one after the overlap', async () => {
    const { ctx, id, path, turn } = await scene();
    const signatures = async (): Promise<number> => {
      await happen(ctx);
      await sender.takeTurn(turn);
      return String(
        receiver.received.filter((message) => message.path === path).at(-1)!.headers['webhook-signature'],
      ).split(' ').length;
    };
    expect(await signatures()).toBe(1);
    await store.rotateSecret(ctx, id, null);
    expect(await signatures()).toBe(2);
    await test.database.query(
      ALL,
      "UPDATE webhooks.endpoints SET previous_until = now() - interval '1 second' WHERE id = $1",
      [id],
    );
    expect(await signatures()).toBe(1);
    await store.rotateSecret(ctx, id, 0);
    expect(await signatures()).toBe(1);
  });

  it('are rotated once per idempotency key, so that a client can repeat a lost request', async () => {
    const { ctx, id } = await scene();
    const rotate = (hours: number | null) => store.rotateSecret(ctx, id, hours, 'rotate-1');
    const first = await rotate(null);
    expect(await rotate(null)).toBe(first);
    await expect(rotate(1)).rejects.toMatchObject({ code: 'idempotency_conflict' });
    expect(await store.rotateSecret(ctx, id, null)).not.toBe(first);
  });

  it('are not shown again by the idempotency key of a webhook that was deleted, which says so', async () => {
    const ctx = testCtx('org_repeating');
    const body: CreateWebhookRequest = { url: receiver.url(), types: ['run.completed'] };
    const create = () => store.createWebhook(ctx, body, 'key');
    const first = await create();
    expect(await create()).toBe(first);
    await store.removeWebhook(ctx, (JSON.parse(first) as { id: string }).id);
    await expect(create()).rejects.toMatchObject({
      code: 'idempotency_conflict',
      message: expect.stringContaining('has been deleted') as unknown,
    });
  });

  it('are encrypted for their webhook, and can be re-encrypted with the first key', async () => {
    const { ctx, id, secret, path } = await scene();
    await store.rotateSecret(ctx, id, 24);
    const sealedOf = () =>
      test.database.queryOne<{ sealed_secret: string; previous_secret: string }>(
        ALL,
        'SELECT sealed_secret, previous_secret FROM webhooks.endpoints WHERE id = $1',
        [id],
      );
    const before = (await sealedOf())!;
    expect(JSON.stringify(before)).not.toContain(secret.slice(6, 20));
    const rotated = new SealedSecrets([NEW, OLD]);
    expect((await resealWebhooks(test.database, rotated)).resealed).toBeGreaterThanOrEqual(2);
    const after = (await sealedOf())!;
    for (const sealed of Object.values(after)) expect(rotated.isSealedByFirst(sealed)).toBe(true);
    expect(await resealWebhooks(test.database, rotated)).toMatchObject({ resealed: 0, unreadable: 0 });
    expect((await resealWebhooks(test.database, new SealedSecrets([OLD]))).unreadable).toBeGreaterThanOrEqual(
      2,
    );
    // Without the encryption key nothing is sent, and nothing is lost.
    await happen(ctx);
    await sender.takeTurn({ orgId: ctx.orgId, mode: ctx.mode, id });
    expect(receiver.idsAt(path)).toEqual([]);
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    await resealWebhooks(test.database, new SealedSecrets([OLD, NEW]));
  });

  it('need an encryption key, and an organisation has at most 20 webhooks, even if created concurrently', async () => {
    const { database } = test;
    const withoutKey = new WebhookStore(
      database,
      new IdempotentRequests(database),
      client,
      new SealedSecrets([]),
    );
    const ctx = testCtx('org_many');
    const body = { url: receiver.url(), types: ['run.completed'] };
    await expect(withoutKey.createWebhook(ctx, body, null)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 24 }, () => make(ctx, '/')));
    expect(outcomes.filter(({ status: outcome }) => outcome === 'fulfilled')).toHaveLength(20);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'invalid_request' });
  });
});

describe('retention of webhooks', () => {
  it('deletes deliveries and their attempts with their webhook', async () => {
    const { ctx, id, turn } = await scene();
    await happen(ctx);
    await sender.takeTurn(turn);
    await store.removeWebhook(ctx, id);
    expect(await left(id)).toEqual({ deliveries: 0, attempts: 0 });
    await expect(store.readWebhook(ctx, id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('deletes deliveries and their attempts after 30 days', async () => {
    const { ctx, id, turn } = await scene();
    await happen(ctx);
    await sender.takeTurn(turn);
    const [rule] = webhookRetention(test.database);
    await rule!.removeSome();
    expect(await left(id)).toEqual({ deliveries: 1, attempts: 1 });
    await test.database.query(
      ALL,
      "UPDATE webhooks.deliveries SET created_at = now() - interval '31 days' WHERE endpoint_id = $1",
      [id],
    );
    await rule!.removeSome();
    expect(await left(id)).toEqual({ deliveries: 0, attempts: 0 });
  });

  it('cancels the delivery of an event that was deleted before it was sent', async () => {
    const { ctx, id, turn } = await scene();
    const event = await happen(ctx);
    await test.database.query(ALL, 'DELETE FROM events.events WHERE id = $1', [event]);
    await sender.takeTurn(turn);
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'cancelled', attempts: 0 }]);
    expect(await webhookOf(id)).toMatchObject({ failures: 0, is_failing: false });
  });

  const left = async (id: string) =>
    test.database.queryOne(
      ALL,
      `SELECT (SELECT count(*)::int FROM webhooks.deliveries WHERE endpoint_id = $1) AS deliveries,
         (SELECT count(*)::int FROM webhooks.attempts WHERE endpoint_id = $1) AS attempts`,
      [id],
    );
});

describe('a process that stops', () => {
  it('hands back a turn whose receiver does not respond, and the event is sent again', async () => {
    const { ctx, id, path, turn } = await scene();
    const patient = new WebhookClient({ allowHosts: [receiver.host], timeoutMs: 60_000 });
    const stopped = new WebhookSender(
      leases,
      patient,
      new SealedSecrets([OLD]),
      createLogger('spec', 'silent'),
    );
    receiver.reply = () => undefined;
    await happen(ctx);
    const working = stopped.takeTurn(turn);
    await waitFor('the message', () => Promise.resolve(receiver.idsAt(path).length === 1));
    await stopped.stopWork();
    await working;
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    receiver.reply = status(204);
    await sender.takeTurn(turn);
    expect(new Set(receiver.idsAt(path)).size).toBe(1);
    expect(await rowsOf(ctx, id)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    await patient.onApplicationShutdown();
  }, 30_000);
});
