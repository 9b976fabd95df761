import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isId, newId, systemCtx, type Ctx, type Mode } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { waitFor } from '@quarry/test-servers';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { EventFollower, type Followed } from './event-follower.js';
import { EventLog, type EventPlace, type LoggedEvent } from './event-log.js';
import { eventRetention } from './event-retention.js';

const WRITERS = 8;
const EVENTS_OF_WRITER = 100;

interface Read {
  id: string;
  type: string;
  subject: string;
  seq: number;
  data: Record<string, unknown>;
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

const timeOf = (id: string): number =>
  [...id.slice(4, 14)].reduce((time, letter) => time * 32 + CROCKFORD.indexOf(letter), 0);

const valueOf = ({ json }: LoggedEvent): Read => JSON.parse(json) as Read;

describe('the event log', () => {
  let test: TestDatabase;
  /** The database as a gateway reads it: in a role that sees the rows of one organisation at a time. */
  let serving: Database;
  let log: EventLog;

  beforeAll(async () => {
    test = await createTestDatabase();
    serving = await Database.open({ url: test.servingUrl, applicationName: 'spec', connectMs: 60_000 });
    log = new EventLog(serving);
  });
  afterAll(async () => {
    await serving.close();
    await test.drop();
  });

  const record = (ctx: Ctx, subject: string, type = 'run.step'): Promise<unknown> =>
    test.database.query(ctx, "SELECT events.record_event($1, $2, $3, $4, '{}')", [
      ctx.orgId,
      ctx.mode,
      subject,
      type,
    ]);
  const read = async (ctx: Ctx, subject: string | null, limit = 1000): Promise<Read[]> =>
    (await log.readAfter(ctx, log.placeBefore(subject), { limit })).map(valueOf);

  /** Waits until the feed has this many events: open transactions of other specs on the same server hold the feed back. */
  const feedOf = (ctx: Ctx, count: number): Promise<Read[]> =>
    waitFor('the feed', async () => {
      const events = await read(ctx, null);
      return events.length === count && events;
    });

  it('returns each event once and in order while eight writers append', async () => {
    const ctx = testCtx(newId('org'));
    const subjects = [newId('run'), newId('run'), newId('run')];
    const ofFeed: Read[] = [];
    const ofSubject: Read[] = [];
    const follower = new EventFollower(log, (error) => {
      throw error;
    });
    const follow = (place: EventPlace, into: Read[]) =>
      follower.followEvents({
        ...ctx,
        place,
        isReady: () => true,
        onEvents: (events) => into.push(...events.map(valueOf)),
      });
    follow(log.placeBefore(null), ofFeed);
    follow(log.placeBefore(subjects[0]!), ofSubject);
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let n = 0; n < EVENTS_OF_WRITER; n += 1)
          await test.database.transaction(ctx, async (tx) => {
            await record(tx, subjects[(writer + n) % subjects.length]!);
            // The commits happen in a different order from the event numbers.
            await test.database.query(tx, 'SELECT pg_sleep($1)', [((writer * 7 + n) % 5) / 1000]);
          });
      }),
    );
    const all = WRITERS * EVENTS_OF_WRITER;
    await waitFor('both readers to have all', () => {
      const written = ofFeed.filter(({ subject }) => subject === subjects[0]).length;
      return Promise.resolve(ofFeed.length >= all && ofSubject.length >= written);
    });
    follower.close();
    expect(new Set(ofFeed.map(({ id }) => id)).size).toBe(all);
    expect(ofFeed).toHaveLength(all);
    for (const subject of subjects) {
      const seqs = ofFeed.filter((event) => event.subject === subject).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    }
    expect(ofSubject.map(({ seq }) => seq)).toEqual(ofSubject.map((_, index) => index + 1));
    expect(ofSubject).toHaveLength(ofFeed.filter(({ subject }) => subject === subjects[0]).length);
  });

  describe('its readers', () => {
    /** A follower of a log that counts its calls, and whose next read may be made to fail. */
    const openFollower = () => {
      const reads = new Map<string, number>();
      const state = { polls: 0, failures: 0, errors: 0 };
      const follower = new EventFollower(
        {
          findChanged: async (orgIds, since) => {
            const found = await log.findChanged(orgIds, since);
            state.polls += 1;
            return found;
          },
          readAll: (orgId, readers) => {
            reads.set(orgId, (reads.get(orgId) ?? 0) + 1);
            if (state.failures === 0) return log.readAll(orgId, readers);
            state.failures -= 1;
            return Promise.reject(new Error('lost'));
          },
        },
        () => {
          state.errors += 1;
        },
      );
      const follow = (ctx: Ctx, isReady: Followed['isReady'] = () => true): Read[] => {
        const received: Read[] = [];
        const onEvents: Followed['onEvents'] = (events) => received.push(...events.map(valueOf));
        follower.followEvents({ ...ctx, place: log.placeBefore(null), isReady, onEvents });
        return received;
      };
      const afterPolls = (count: number): Promise<unknown> => {
        const until = state.polls + count;
        return waitFor('the polls', () => Promise.resolve(state.polls >= until));
      };
      return { follower, follow, state, reads, afterPolls };
    };
    const delivered = (received: readonly Read[], count = 1): Promise<unknown> =>
      waitFor('the events', () => Promise.resolve(received.length >= count));

    it('cost one query together, and one more only in an organisation with new events', async () => {
      const { follower, follow, reads, afterPolls } = openFollower();
      const idle = Array.from({ length: 20 }, () => testCtx(newId('org')));
      const busy = testCtx(newId('org'));
      for (const ctx of idle) follow(ctx);
      const received = follow(busy);
      await afterPolls(2);
      const before = idle.map(({ orgId }) => reads.get(orgId));
      await record(busy, newId('run'));
      await delivered(received);
      await afterPolls(2);
      expect(idle.map(({ orgId }) => reads.get(orgId))).toEqual(before);
      follower.close();
    });

    it('receive an event that an earlier transaction held back when it was written', async () => {
      const { follower, follow, afterPolls } = openFollower();
      const ctx = testCtx(newId('org'));
      const received = follow(ctx);
      await afterPolls(1);
      await test.database.transaction(testCtx(newId('org')), async (tx) => {
        await test.database.query(tx, 'SELECT pg_current_xact_id()');
        await record(ctx, newId('run'));
        await afterPolls(2);
        expect(received).toEqual([]);
      });
      await delivered(received);
      follower.close();
    });

    it('receive later what they could not take at once', async () => {
      const { follower, follow, afterPolls } = openFollower();
      const ctx = testCtx(newId('org'));
      let isReady = false;
      const received = follow(ctx, () => isReady);
      await record(ctx, newId('run'));
      await feedOf(ctx, 1);
      await afterPolls(2);
      expect(received).toEqual([]);
      isReady = true;
      await delivered(received);
      follower.close();
    });

    it('miss nothing when a read fails, or when they come while another one is read', async () => {
      const { follower, follow, state, afterPolls } = openFollower();
      const ctx = testCtx(newId('org'));
      await record(ctx, newId('run'));
      await feedOf(ctx, 1);
      state.failures = 2;
      const first = follow(ctx);
      await waitFor('a failure', () => Promise.resolve(state.errors > 0));
      const second = follow(ctx);
      await Promise.all([delivered(first), delivered(second)]);
      await afterPolls(2);
      expect([first.length, second.length, state.errors]).toEqual([1, 1, 2]);
      follower.close();
    });
  });

  it('holds the feed back while an earlier transaction is open, and skips nothing', async () => {
    const ctx = testCtx(newId('org'));
    const [slow, quick] = [newId('run'), newId('run')];
    await test.database.transaction(ctx, async (tx) => {
      await record(tx, slow);
      await record(ctx, quick);
      expect(await read(ctx, null)).toEqual([]);
      expect(await read(ctx, quick)).toHaveLength(1);
    });
    const both = await feedOf(ctx, 2);
    expect(both.map(({ subject }) => subject).sort()).toEqual([slow, quick].sort());
  });

  it("keeps the order of a subject's events in the feed, even if their transactions started in another order", async () => {
    const ctx = testCtx(newId('org'));
    const subject = newId('run');
    await test.database.transaction(ctx, async (tx) => {
      await test.database.query(tx, 'SELECT pg_current_xact_id()');
      await record(ctx, subject);
      await record(tx, subject);
    });
    expect((await feedOf(ctx, 2)).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('gives events time-ordered ids like all others: UUIDv7 in base 32', async () => {
    const ctx = testCtx(newId('org'));
    const run = newId('run');
    for (const id of [newId('evt'), newId('evt')]) {
      await record(ctx, run);
      const made = (await read(ctx, run)).at(-1)!.id;
      expect(isId('evt', made)).toBe(true);
      // Bits 48 to 51 hold version 7, and bits 64 and 65 the variant, after two zero bits.
      const bits = [...made.slice(4)]
        .map((letter) => CROCKFORD.indexOf(letter).toString(2).padStart(5, '0'))
        .join('');
      expect([bits.slice(50, 54), bits.slice(66, 68)]).toEqual(['0111', '10']);
      // The first ten characters encode the time in milliseconds.
      expect(Math.abs(timeOf(made) - timeOf(id))).toBeLessThan(60_000);
    }
  });

  it('starts a stream of the feed with the events after its opening', async () => {
    const ctx = testCtx(newId('org'));
    const subject = newId('run');
    await record(ctx, subject);
    await feedOf(ctx, 1);
    const { place } = await log.placeAtEnd(ctx);
    await record(ctx, subject);
    await feedOf(ctx, 2);
    expect((await log.readAfter(ctx, place, { limit: 10 })).map(({ seq }) => seq)).toEqual(['2']);
  });

  it('shows no event to another organisation or the other mode', async () => {
    const ctx = testCtx(newId('org'));
    const subject = newId('run');
    await record(ctx, subject);
    const [event] = await feedOf(ctx, 1);
    const others: Ctx[] = [testCtx(newId('org')), { ...ctx, mode: 'test' satisfies Mode }];
    for (const other of others) {
      expect(await read(other, subject)).toEqual([]);
      expect(await read(other, null)).toEqual([]);
      await expect(log.placeBehind(other, null, event!.id)).rejects.toMatchObject({ code: 'invalid_cursor' });
    }
  });

  it('records events of a run in the same transaction', async () => {
    const ctx = testCtx(newId('org'));
    const [run, conversation, workspace] = [newId('run'), newId('conv'), newId('ws')];
    const at = (sql: string, ...params: unknown[]) => test.database.query(ctx, sql, params);
    await at(
      'INSERT INTO runs.conversations (id, org_id, workspace_id) VALUES ($1, $2, $3)',
      conversation,
      ctx.orgId,
      workspace,
    );
    await at(
      `INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, status, body_hash)
       VALUES ($1, $2, $3, $4, $5, 'Ada Lovelace', 'queued', 'x')`,
      run,
      ctx.orgId,
      ctx.mode,
      workspace,
      conversation,
    );
    await at(`INSERT INTO runs.steps (run_id, name, position, input) VALUES ($1, 'plan', 1, '{}')`, run);
    await at(`UPDATE runs.runs SET status = 'running', lease_token = 'a' WHERE id = $1`, run);
    await at(`UPDATE runs.runs SET lease_until = clock_timestamp() WHERE id = $1`, run);
    await at(`UPDATE runs.steps SET finished_at = clock_timestamp() WHERE run_id = $1`, run);
    await at(`UPDATE runs.runs SET status = 'recovering', lease_token = NULL WHERE id = $1`, run);
    await at(`UPDATE runs.runs SET status = 'running', lease_token = 'b' WHERE id = $1`, run);
    const end = `UPDATE runs.runs SET status = 'completed', lease_token = NULL, ended_at = clock_timestamp() WHERE id = $1`;
    const undone = test.database.transaction(ctx, async (tx) => {
      await test.database.query(tx, end, [run]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const types = async () => (await read(ctx, run)).map(({ type }) => type);
    expect(await types()).toEqual(['run.started', 'run.step', 'run.recovering']);
    await at(end, run);
    expect(await types()).toEqual(['run.started', 'run.step', 'run.recovering', 'run.completed']);
    const events = await read(ctx, run);
    expect(events.at(-1)!.data).toMatchObject({ run_id: run, status: 'completed', workspace_id: workspace });
    expect(JSON.stringify(events)).not.toContain('Lovelace');
  });

  it('records progress of a batch at most once a second, and always its completion', async () => {
    const ctx = testCtx(newId('org'));
    const batch = newId('svcbatch');
    const at = (sql: string, ...params: unknown[]) => test.database.query(ctx, sql, params);
    await at(
      `INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, body_hash)
       VALUES ($1, $2, $3, 'findWorkEmail', 50, 50, 'x')`,
      batch,
      ctx.orgId,
      ctx.mode,
    );
    for (let left = 49; left > 0; left -= 1)
      await at('UPDATE jobs.batches SET open_lines = $2 WHERE id = $1', batch, left);
    await at('UPDATE jobs.batches SET open_lines = 0, completed_at = clock_timestamp() WHERE id = $1', batch);
    const events = await read(ctx, batch);
    expect(events.filter(({ type }) => type === 'batch.progress').length).toBeLessThan(49);
    expect(events.at(-1)).toMatchObject({ type: 'batch.completed', data: { lines: 50, open_lines: 0 } });
    expect(events.filter(({ type }) => type === 'batch.completed')).toHaveLength(1);
  });

  it('keeps events for 30 days, and refuses to resume after a deleted event', async () => {
    const ctx = testCtx(newId('org'));
    const subject = newId('run');
    await record(ctx, subject);
    await record(ctx, subject);
    const [old] = await read(ctx, subject);
    await test.database.query(ctx, "UPDATE events.events SET at = at - interval '31 days' WHERE id = $1", [
      old!.id,
    ]);
    for (const rule of eventRetention(test.database)) await rule.removeSome();
    expect((await read(ctx, subject)).map(({ seq }) => seq)).toEqual([2]);
    await expect(log.placeBehind(ctx, subject, old!.id)).rejects.toMatchObject({ code: 'invalid_cursor' });
    const counters = await test.database.query(
      systemCtx('spec'),
      'SELECT last_seq FROM events.subjects WHERE subject = $1',
      [subject],
    );
    expect(counters).toEqual([{ last_seq: '2' }]);
  });

  it('reports low credits once, and exhausted credits once', async () => {
    const ctx = testCtx(newId('org'));
    const account = `acct_${ctx.orgId}`;
    await test.database.query(
      ctx,
      'INSERT INTO credits.accounts (id, org_id, mode, granted, available) VALUES ($1, $2, $3, 150000, 150000)',
      [account, ctx.orgId, ctx.mode],
    );
    const leave = (available: number) =>
      test.database.query(
        ctx,
        'UPDATE credits.accounts SET available = $2::bigint, spent = granted - $2::bigint WHERE id = $1',
        [account, available],
      );
    for (const available of [120000, 99000, 101000, 90000, 50, 200, 99]) await leave(available);
    const events = await read(ctx, ctx.orgId);
    expect(events.map(({ type, data }) => [type, data.remaining])).toEqual([
      ['credits.low', 99],
      ['credits.exhausted', 0.05],
    ]);
  });

  it("reports all new rows of a running run's table, at most twice a second, and of no other table", async () => {
    const ctx = testCtx(newId('org'));
    const [ws, table, run, conversation] = [newId('ws'), newId('tbl'), newId('run'), newId('conv')];
    const statements: Array<[string, unknown[]]> = [
      ['INSERT INTO tables.workspaces (org_id, mode, id, name) VALUES ($1, $2, $3, $3)', [ws]],
      [
        "INSERT INTO tables.tables (org_id, mode, id, workspace_id, name, columns) VALUES ($1, $2, $3, $4, 'x', '[]')",
        [table, ws],
      ],
      [
        'INSERT INTO runs.conversations (org_id, mode, id, workspace_id) VALUES ($1, $2, $3, $4)',
        [conversation, ws],
      ],
      [
        `INSERT INTO runs.runs (org_id, mode, id, workspace_id, conversation_id, prompt, status, body_hash, artifacts)
         VALUES ($1, $2, $3, $4, $5, '', 'queued', '', jsonb_build_array(jsonb_build_object('id', $6::text)))`,
        [run, ws, conversation, table],
      ],
    ];
    for (const [sql, params] of statements)
      await test.database.query(ctx, sql, [ctx.orgId, ctx.mode, ...params]);
    const count = (to: number) =>
      test.database.query(ctx, 'UPDATE tables.tables SET row_count = $1 WHERE id = $2', [to, table]);
    // A recent step delays the events no longer than an old one.
    await record(ctx, run);
    await count(10);
    await count(30);
    await count(20);
    const rowsOf = async () => (await read(ctx, run)).filter(({ type }) => type === 'run.rows');
    expect(await rowsOf()).toMatchObject([{ data: { table_id: table, added: 10, total: 10 } }]);
    await test.database.query(
      ctx,
      "UPDATE events.events SET at = at - interval '1 second' WHERE subject = $1",
      [run],
    );
    await count(25);
    await count(27);
    expect(await rowsOf()).toMatchObject([{}, { data: { table_id: table, added: 15, total: 25 } }]);
    await test.database.query(
      ctx,
      "UPDATE runs.runs SET status = 'cancelled', ended_at = now() WHERE id = $1",
      [run],
    );
    await count(40);
    expect((await read(ctx, run)).slice(3)).toMatchObject([
      { type: 'run.rows', data: { table_id: table, added: 2, total: 27 } },
      { type: 'run.cancelled' },
    ]);
  });
});
