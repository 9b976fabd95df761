import { request, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import { RUNS_RPC } from '@quarry/dto';
import { EventLog } from '@quarry/events';
import { IdentityStore, SessionFinder, type CreatedKey } from '@quarry/identity';
import { newId, systemCtx, type Ctx, type Mode } from '@quarry/app';
import { waitFor } from '@quarry/test-servers';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import type { HttpApi } from '@quarry/http';
import { FixedRpc } from '../fixed-rpc.fixture.js';
import { openEdge } from '../open-edge.fixture.js';
import { StreamListener } from '../stream-listener.fixture.js';
import { eventSource } from './event-source.js';

interface Shown {
  id: string;
  seq: number;
  subject: string;
  type: string;
}

class Listener extends StreamListener {
  get events(): Shown[] {
    return [...this.text.matchAll(/^id: .*\nevent: .*\ndata: (.*)$/gm)].map(
      ([, json]) => JSON.parse(json!) as Shown,
    );
  }
}

describe('events over HTTP', () => {
  let test: TestDatabase;
  let [one, other, small]: Array<{ api: HttpApi; port: number }> = [];
  let ctx: Ctx;
  let key: CreatedKey;
  let testKey: string;
  let foreignKey: string;
  const rpc = new FixedRpc();
  const runs = new Map<string, { orgId: string; mode: Mode; status: string }>();
  const listeners: Listener[] = [];

  beforeAll(async () => {
    test = await createTestDatabase();
    const identity = new IdentityStore(test.database);
    const org = await identity.createOrganisation(systemCtx('spec'), { name: 'Spec' });
    const foreign = await identity.createOrganisation(systemCtx('spec'), { name: 'Other' });
    ctx = testCtx(org.orgId);
    key = await identity.createKey(systemCtx('spec'), { orgId: org.orgId, mode: 'live' });
    testKey = org.testKey;
    foreignKey = foreign.apiKey;
    rpc.on(RUNS_RPC.getRun.pattern, ({ runId }, { orgId, mode }) => {
      const run = runs.get(runId as string);
      if (run?.orgId !== orgId || run.mode !== mode) throw new AppError('run_not_found', 'Run not found.');
      return JSON.stringify({ status: run.status });
    });
    const events = {
      ...eventSource(test.database, identity, new SessionFinder(test.database)),
      limits: { ofKey: 2, ofOrganisation: 3, ofProcess: 4 },
    };
    [one, other, small] = [
      await openEdge(test, rpc),
      await openEdge(test, rpc),
      await openEdge(test, rpc, { events }),
    ];
  });
  afterEach(async () => {
    for (const each of listeners.splice(0)) await each.leave();
  });
  afterAll(async () => {
    for (const each of [one!, other!, small!]) await each.api.close();
    await test.drop();
  });

  function createRun(): string {
    const id = newId('run');
    runs.set(id, { orgId: ctx.orgId, mode: 'live', status: 'running' });
    return id;
  }
  const record = (subject: string, type = 'run.step'): Promise<unknown> =>
    test.database.query(ctx, "SELECT events.record_event($1, $2, $3, $4, '{}')", [
      ctx.orgId,
      ctx.mode,
      subject,
      type,
    ]);
  async function end(run: string): Promise<void> {
    await record(run, 'run.completed');
    runs.get(run)!.status = 'completed';
  }
  async function listen(path: string, lastEventId?: string, from = one!, apiKey = key.apiKey) {
    const headers = { authorization: `Bearer ${apiKey}`, accept: 'text/event-stream' };
    const listener = await Listener.open(`http://127.0.0.1:${from.port}${path}`, headers, lastEventId);
    listeners.push(listener);
    return listener;
  }
  async function read(path: string, apiKey = key.apiKey) {
    const response = await fetch(`http://127.0.0.1:${one!.port}${path}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const body = (await response.json()) as {
      items?: Shown[];
      next_cursor?: string | null;
      error?: { code: string };
    };
    return { status: response.status, items: body.items, next: body.next_cursor, code: body.error?.code };
  }

  it('are read in pages, each after the previous one', async () => {
    const run = createRun();
    for (let n = 0; n < 3; n += 1) await record(run);
    const first = await read(`/v1/runs/${run}/events?limit=2`);
    expect(first.items!.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(first.next).toBe(first.items![1]!.id);
    const second = await read(`/v1/runs/${run}/events?limit=2&after=${first.next}`);
    expect(second).toMatchObject({ items: [{ seq: 3 }], next: null });
  });

  it('are returned by a waiting read as soon as they happen', async () => {
    const run = createRun();
    await record(run);
    const [known] = (await read(`/v1/runs/${run}/events`)).items!;
    const held = read(`/v1/runs/${run}/events?after=${known!.id}&wait_seconds=60`);
    await record(run);
    expect((await held).items!.map(({ seq }) => seq)).toEqual([2]);
  });

  it('arrive once and in order over twenty interrupted connections to two gateways', async () => {
    const run = createRun();
    const seen: number[] = [];
    let last: string | undefined;
    for (let cut = 0; cut < 20; cut += 1) {
      await record(run);
      const stream = await listen(`/v1/runs/${run}/events`, last, cut % 2 ? one : other);
      await record(run);
      await waitFor('both events', () => stream.events.length >= 2);
      seen.push(...stream.events.map(({ seq }) => seq));
      last = stream.events.at(-1)!.id;
      await stream.leave();
    }
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    expect(seen).toHaveLength(40);
    const all = await new EventLog(test.database).readAfter(ctx, { subject: run, seq: '0' }, { limit: 100 });
    for (const { id, seq } of [all[0]!, all[19]!, all.at(-2)!]) {
      const stream = await listen(`/v1/runs/${run}/events?after=${id}`);
      await waitFor('the rest', () => stream.events.length >= 40 - Number(seq));
      expect(stream.events[0]!.seq).toBe(Number(seq) + 1);
      await stream.leave();
    }
  });

  it('end a stream with the event "end", and a later reconnect gets 204', async () => {
    const run = createRun();
    await record(run);
    const stream = await listen(`/v1/runs/${run}/events`);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await end(run);
    await waitFor('the end', () => stream.hasEnded);
    expect(stream.text.trimEnd().endsWith('event: end\ndata: {}')).toBe(true);
    const late = await listen(`/v1/runs/${run}/events`, stream.events.at(-1)!.id);
    expect(late.response.status).toBe(204);
    const again = await listen(`/v1/runs/${run}/events`);
    await waitFor('the whole stream', () => again.hasEnded);
    expect(again.events.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('of an organisation are filtered by type, and start from now', async () => {
    const run = createRun();
    await record(run);
    const stream = await listen('/v1/events?types=run.completed');
    await record(run);
    await end(run);
    // Events of others from just before may become visible only now: a stream begins behind those that have settled.
    const own = () => stream.events.filter(({ subject }) => subject === run);
    await waitFor('the event', () => own().length > 0);
    expect(own()).toMatchObject([{ type: 'run.completed', seq: 3 }]);
    expect(stream.events.every(({ type }) => type === 'run.completed')).toBe(true);
    const page = await read('/v1/events?types=run.completed&limit=1000');
    expect(page.items!.every(({ type }) => type === 'run.completed')).toBe(true);
    expect((await read('/v1/events?types=run.unknown')).status).toBe(400);
  });

  it('of an organisation are not missed by a client that reconnects before its first event', async () => {
    const [run, wanted] = [createRun(), '/v1/events?types=run.completed'];
    await record(run);
    const lastId = (of: Listener) => [...of.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1];
    const isShown = async () =>
      (await read('/v1/events?limit=1000')).items!.some(({ subject }) => subject === run);
    await waitFor('the feed to show it', isShown);
    const first = await listen(wanted);
    await waitFor('a place to come back to', () => lastId(first) !== undefined);
    await first.leave();
    await end(run);
    const second = await listen(wanted, lastId(first));
    await waitFor('the event', () => second.events.some(({ subject }) => subject === run));
  });

  it('that a stream filters out still advance its position', async () => {
    const run = createRun();
    const stream = await listen('/v1/events?types=run.completed');
    await record(run);
    const { items } = await read(`/v1/runs/${run}/events`);
    await waitFor('its place', () => stream.text.includes(`id: ${items![0]!.id}\n\n`));
    expect(stream.events.filter(({ subject }) => subject === run)).toEqual([]);
  });

  it('are shown to nobody else', async () => {
    const run = createRun();
    await record(run);
    for (const apiKey of [foreignKey, testKey]) {
      expect(await read(`/v1/runs/${run}/events`, apiKey)).toMatchObject({
        status: 404,
        code: 'run_not_found',
      });
      expect((await listen(`/v1/runs/${run}/events`, undefined, one, apiKey)).response.status).toBe(404);
      expect((await read('/v1/events', apiKey)).items).toEqual([]);
    }
  });

  it('cannot be resumed after an event that is not stored', async () => {
    const run = createRun();
    await record(run);
    const gone = newId('evt');
    const refused = { status: 400, code: 'invalid_cursor' };
    expect(await read(`/v1/runs/${run}/events?after=${gone}`)).toMatchObject(refused);
    expect(await read(`/v1/events?after=${gone}`)).toMatchObject(refused);
    expect((await listen(`/v1/runs/${run}/events`, gone)).response.status).toBe(400);
  });

  it('are refused for one stream too many per key, until another ends', async () => {
    const first = await listen('/v1/events', undefined, small);
    await listen('/v1/events', undefined, small);
    const refused = await listen('/v1/events', undefined, small);
    expect(refused.response.status).toBe(429);
    expect(refused.response.headers.get('retry-after')).toBe('5');
    await first.leave();
    await waitFor('a place', async () => {
      const next = await listen('/v1/events', undefined, small);
      return next.response.status === 200;
    });
  });

  it('wait for a client that does not read, and do not delay others', async () => {
    const run = createRun();
    // More than the machine keeps of a connection, 100 of them less than a client may leave unread.
    const count = 1_600;
    const path = `/v1/runs/${run}/events`;
    const slow = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key.apiKey}`, accept: 'text/event-stream' };
      request({ port: one!.port, path, headers }, resolve).on('error', reject).end();
    });
    slow.pause();
    const quick = await listen(path);
    await test.database.query(
      ctx,
      `SELECT events.record_event($1, $2, $3, 'run.step', jsonb_build_object('step', repeat('x', 9400)))
       FROM generate_series(1, ${count})`,
      [ctx.orgId, ctx.mode, run],
    );
    await waitFor('the events of the other', () => quick.text.slice(-10_000).includes(`"seq" : ${count},`));
    await end(run);
    let text = '';
    for await (const chunk of slow.setEncoding('utf8')) text += chunk as string;
    const seqs = [...text.matchAll(/"seq" : (\d+)/g)].map(([, seq]) => Number(seq));
    expect(seqs).toEqual(Array.from({ length: count + 1 }, (_, index) => index + 1));
  });

  it('end when the key is revoked', async () => {
    const identity = new IdentityStore(test.database);
    const revoked = await identity.createKey(systemCtx('spec'), { orgId: ctx.orgId, mode: 'live' });
    const stream = await listen('/v1/events', undefined, one, revoked.apiKey);
    const kept = await listen('/v1/events');
    await test.asAdmin(
      `UPDATE identity.api_keys SET revoked_at = clock_timestamp() WHERE id = '${revoked.keyId}'`,
    );
    await waitFor('the stream to end', () => stream.hasEnded);
    expect(kept.hasEnded).toBe(false);
  });

  it('end when the process stops, and tell the client to reconnect soon', async () => {
    const shutdown = await openEdge(test, rpc);
    const run = createRun();
    const stream = await listen(`/v1/runs/${run}/events`, undefined, shutdown);
    const held = fetch(`http://127.0.0.1:${shutdown.port}/v1/runs/${run}/events?wait_seconds=60`, {
      headers: { authorization: `Bearer ${key.apiKey}` },
    });
    await waitFor(
      'the read to be held',
      () => rpc.calls.filter(({ request }) => request.runId === run).length >= 2,
    );
    await shutdown.api.close();
    await waitFor('the stream to end', () => stream.hasEnded);
    expect(stream.text.endsWith('retry: 500\n\n')).toBe(true);
    expect(await (await held).json()).toEqual({ items: [], next_cursor: null });
  });
});
