import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseResource } from '@quarry/dto';
import { newId, type Ctx } from '@quarry/app';
import { AuditLog } from '@quarry/postgres';
import { useTestDatabase, runBehind, testCtx } from '@quarry/testing';
import { suppressedAmong } from './suppression.store.js';
import { ACTOR, allOf, contactRow, inMode, SequenceScene } from '../sequence-scene.fixture.js';

const test = useTestDatabase();
let scene: SequenceScene;
let ctx: Ctx;
let orgs = 0;

beforeAll(() => {
  scene = new SequenceScene(test.database);
});
beforeEach(() => {
  ctx = { ...testCtx(`org_suppressions_${++orgs}`), keyId: newId('key') };
});

const sql = (text: string, ...params: unknown[]) => test.database.query(ctx, text, [ctx.orgId, ...params]);
const add = async (addresses: string[], domains: string[] = []) =>
  parseResource(await scene.suppressions.addSuppressions(ctx, { addresses, domains }));
const list = async (query: string | null = null, at: Ctx = ctx) =>
  parseResource(await scene.suppressions.listSuppressions(at, { query, limit: 100, cursor: null })).items;
const stop = async (body: Parameters<typeof scene.contacts.stopContact>[1]) =>
  parseResource(await scene.contacts.stopContact(ctx, body));

/** Creates an active sequence with the given contacts. @returns its id */
async function active(...emails: string[]): Promise<string> {
  const id = await scene.sequence(ctx);
  await scene.enroll(
    ctx,
    id,
    emails.map((email) => contactRow(email)),
  );
  await scene.start(ctx, id);
  return id;
}

/** Inserts a message of a contact in the given state. @returns its id */
async function message(email: string, state: string, step = 0): Promise<string> {
  const id = newId('msg');
  const thread = newId('thr');
  await sql(
    `INSERT INTO outreach.threads (org_id, mode, id, mailbox_id, sequence_id, contact_email, subject)
     SELECT e.org_id, e.mode, $2, e.mailbox_id, e.sequence_id, e.email, 'x' FROM outreach.enrollments e WHERE e.org_id = $1 AND e.email = $3`,
    thread,
    email,
  );
  await sql(
    `INSERT INTO outreach.messages (org_id, mode, id, thread_id, mailbox_id, direction, sequence_id, enrollment_id, step, approval_id,
       state, rfc_message_id, from_address, to_address, subject, body_text, due_at, data_started_at, ended_at)
     SELECT e.org_id, e.mode, $2, $3, e.mailbox_id, 'out', e.sequence_id, e.id, $5, e.approval_id, $4::text, $2 || '@x', 'a', e.email, 's', 'b',
       CASE WHEN $4 IN ('planned', 'deferred') THEN now() END, CASE WHEN $4 NOT IN ('planned', 'deferred') THEN now() END,
       CASE WHEN $4 IN ('sent', 'unknown') THEN now() END
     FROM outreach.enrollments e WHERE e.org_id = $1 AND e.email = $6`,
    id,
    thread,
    state,
    step,
    email,
  );
  return id;
}
const stateOf = async (id: string) =>
  (await sql('SELECT state FROM outreach.messages WHERE org_id = $1 AND id = $2', id))[0]!.state;
const contactsOf = async (id: string) =>
  (await scene.contactsOf(ctx, id)).map(({ email, status, reason }) => [email, status, reason]);

describe('a suppression', () => {
  it('is added once, and values that are no address or domain are named', async () => {
    expect(await add(['Ann@acme.com', 'ann@ACME.com', 'no'], ['Acme.com', 'https://x.com'])).toEqual({
      created: 2,
      unchanged: 1,
      rejected: [
        { value: 'no', message: 'is not an e-mail address' },
        { value: 'https://x.com', message: 'is not a domain name' },
      ],
    });
    expect(await add(['ann@acme.com'])).toMatchObject({ created: 0, unchanged: 1 });
    expect((await list()).map(({ kind, value, reason }) => [kind, value, reason])).toEqual(
      expect.arrayContaining([
        ['address', 'ann@acme.com', 'manual'],
        ['domain', 'acme.com', 'manual'],
      ]),
    );
  });

  it('removes contacts from all sequences, and cancels their waiting messages', async () => {
    const id = await active(
      'ann@acme.com',
      'bob@mail.acme.com',
      'eva@notacme.com',
      'dan@gone.com',
      'acme.com@x.com',
    );
    const planned = await message('bob@mail.acme.com', 'planned');
    const deferred = await message('dan@gone.com', 'deferred');
    const other = await message('eva@notacme.com', 'planned');
    await add(['dan@gone.com'], ['acme.com']);
    expect(await contactsOf(id)).toEqual([
      ['ann@acme.com', 'stopped', 'manual'],
      ['bob@mail.acme.com', 'stopped', 'manual'],
      ['eva@notacme.com', 'active', null],
      ['dan@gone.com', 'stopped', 'manual'],
      ['acme.com@x.com', 'active', null],
    ]);
    expect(await Promise.all([planned, deferred, other].map(stateOf))).toEqual([
      'cancelled',
      'cancelled',
      'planned',
    ]);
  });

  it.each([
    ['unsubscribed', 'unsubscribed'],
    ['hard_bounce', 'bounced'],
    ['soft_bounces', 'bounced'],
    ['reply', 'stopped'],
  ] as const)(
    'by %s ends contacts as %s, and completes the sequence with its last contact',
    async (reason, status) => {
      const id = await active('ann@acme.com');
      const suppress = () =>
        test.database.transaction(ctx, (tx) =>
          scene.suppressions.suppressAddress(tx, 'ann@acme.com', reason),
        );
      expect([await suppress(), await suppress()]).toEqual([1, 0]);
      expect(await contactsOf(id)).toEqual([['ann@acme.com', status, reason]]);
      expect((await scene.read(ctx, id)).status).toBe('completed');
    },
  );

  it('is recorded for a contact that already got the last message', async () => {
    const id = await active('ann@acme.com', 'bob@acme.com');
    await sql(
      `UPDATE outreach.enrollments SET status = 'finished', step = 2, next_at = NULL, ended_at = now() WHERE org_id = $1 AND email = 'ann@acme.com'`,
    );
    const ended = await test.database.transaction(ctx, (tx) =>
      scene.suppressions.suppressAddress(tx, 'ann@acme.com', 'unsubscribed'),
    );
    expect(ended).toBe(0);
    expect((await contactsOf(id))[0]).toEqual(['ann@acme.com', 'unsubscribed', 'unsubscribed']);
  });

  it('is found by a part of it, in pages, and only by its own organisation and mode', async () => {
    await add(['ann@acme.com', 'bob@acme.com', 'x_y@other.com', 'xzy@other.com']);
    expect((await list('ACME')).map(({ value }) => value).sort()).toEqual(['ann@acme.com', 'bob@acme.com']);
    expect((await list('x_y')).map(({ value }) => value)).toEqual(['x_y@other.com']);
    const found = await allOf(async (cursor) =>
      parseResource(await scene.suppressions.listSuppressions(ctx, { query: null, limit: 3, cursor })),
    );
    expect(new Set(found.map(({ value }) => value)).size).toBe(4);
    const { suppression_id: id } = (await list('ann'))[0]!;
    for (const other of [testCtx('org_elsewhere'), inMode(ctx, ctx.mode === 'live' ? 'test' : 'live')]) {
      expect(await list(null, other)).toEqual([]);
      await expect(scene.suppressions.removeSuppression(other, ACTOR, id)).rejects.toMatchObject({
        code: 'not_found',
      });
    }
  });

  it('is removed by a user, and this is recorded', async () => {
    await add(['ann@acme.com']);
    const { suppression_id: id } = (await list())[0]!;
    await scene.suppressions.removeSuppression(ctx, ACTOR, id);
    expect(await list()).toEqual([]);
    await expect(scene.suppressions.removeSuppression(ctx, ACTOR, id)).rejects.toMatchObject({
      code: 'not_found',
    });
    const [entry] = await new AuditLog(test.database).listEntries(ctx, 1);
    expect(entry).toMatchObject({ action: 'suppression.removed', object: id, facts: { user: ACTOR.userId } });
  });

  it('is reported for given addresses, only in its own organisation and mode', async () => {
    await add(['ann@acme.test'], ['rival.test']);
    const addresses = ['ann@acme.test', 'bo@acme.test', 'cy@mail.rival.test', 'di@notrival.test'];
    const among = async (at: Ctx) => [...(await suppressedAmong(test.database, at, addresses))].sort();
    expect(await among(ctx)).toEqual(['ann@acme.test', 'cy@mail.rival.test']);
    expect(await among(inMode(ctx, 'test'))).toEqual([]);
  });

  it('is reported for an address that is written differently', async () => {
    await add(['ann@bücher.test'], ['münchen.test']);
    const addresses = [
      'Ann@Bücher.test',
      'ann@xn--bcher-kva.test',
      'ann@bücher.test\u200b',
      'bo@münchen.test',
    ];
    expect(await suppressedAmong(test.database, ctx, [...addresses, 'bo@bücher.test'])).toEqual(
      new Set(addresses),
    );
  });

  it('applies even if only its hash is left', async () => {
    await add(['ann@acme.com']);
    await sql('UPDATE outreach.suppressions SET value = NULL WHERE org_id = $1');
    const id = await scene.sequence(ctx);
    expect(await scene.enroll(ctx, id, [contactRow('ann@acme.com')])).toMatchObject({
      skipped: { suppressed: 1 },
    });
    expect(await add(['ann@acme.com'])).toMatchObject({ created: 0, unchanged: 1 });
  });
});

describe('a contact', () => {
  it('is stopped in one sequence or in all, and suppressed on request', async () => {
    const id = await active('ann@acme.com', 'bob@acme.com');
    const other = await active('eva@acme.com');
    expect(await stop({ email: 'ANN@acme.com', sequence_id: other })).toEqual({
      stopped: 0,
      suppressed: false,
    });
    expect(await stop({ email: 'ANN@acme.com', sequence_id: id })).toEqual({ stopped: 1, suppressed: false });
    expect(await stop({ email: 'ann@acme.com' })).toEqual({ stopped: 0, suppressed: false });
    expect(await stop({ email: 'bob@acme.com', suppress: true })).toEqual({ stopped: 1, suppressed: true });
    expect((await list()).map(({ value }) => value)).toEqual(['bob@acme.com']);
    await expect(stop({ email: 'nobody' })).rejects.toMatchObject({ details: [{ path: 'email' }] });
  });

  it('unsubscribes by the link of a message, repeatedly and without an organisation', async () => {
    const id = await active('ann@acme.com', 'bob@acme.com');
    const [row] = await sql(
      `SELECT unsubscribe_token AS token FROM outreach.enrollments WHERE org_id = $1 AND email = 'ann@acme.com'`,
    );
    const token = row!.token as string;
    expect(await scene.contacts.readUnsubscribe(token)).toEqual({
      email: 'ann@acme.com',
      isUnsubscribed: false,
    });
    expect((await contactsOf(id))[0]![1]).toBe('active');
    expect([
      await scene.contacts.unsubscribeContact(token),
      await scene.contacts.unsubscribeContact(token),
    ]).toEqual([true, true]);
    expect(await scene.contacts.readUnsubscribe(token)).toEqual({
      email: 'ann@acme.com',
      isUnsubscribed: true,
    });
    expect(await contactsOf(id)).toEqual([
      ['ann@acme.com', 'unsubscribed', 'unsubscribed'],
      ['bob@acme.com', 'active', null],
    ]);
    for (const wrong of ['', 'x'.repeat(24), '../../etc', `${token}x`]) {
      expect(await scene.contacts.readUnsubscribe(wrong)).toBeNull();
      expect(await scene.contacts.unsubscribeContact(wrong)).toBe(false);
    }
  });

  it('resumes or is stopped as a person decides on a message with unknown delivery', async () => {
    const id = await active('ann@acme.com', 'bob@acme.com');
    const [sent, lost] = [await message('ann@acme.com', 'unknown'), await message('bob@acme.com', 'unknown')];
    await sql(
      `UPDATE outreach.enrollments SET next_at = NULL, reason = 'unknown_delivery' WHERE org_id = $1`,
    );
    const resolve = (messageId: string, outcome: 'sent' | 'not_sent') =>
      scene.contacts.resolveMessage(ctx, ACTOR, messageId, outcome);
    for (let i = 0; i < 2; i++) {
      await resolve(sent, 'sent');
      await resolve(lost, 'not_sent');
    }
    expect([await stateOf(sent), await stateOf(lost)]).toEqual(['sent', 'rejected']);
    expect(await scene.contactsOf(ctx, id)).toMatchObject([
      { status: 'active', step: 1, reason: null, next_at: expect.any(String) },
      { status: 'stopped', step: 0, reason: 'not_sent' },
    ]);
    await expect(resolve(sent, 'not_sent')).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(resolve(newId('msg'), 'sent')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('outreach statistics', () => {
  it("count sent messages and their outcomes, by step and by the mailbox's local day", async () => {
    const id = await active('a@acme.com', 'b@acme.com', 'c@acme.com', 'd@acme.com');
    for (const [email, step] of [
      ['a', 0],
      ['a', 1],
      ['b', 0],
      ['c', 0],
    ] as const)
      await message(`${email}@acme.com`, 'sent', step);
    await message('d@acme.com', 'unknown');
    // 23:30 in UTC is the next day in Berlin.
    await sql(
      `UPDATE outreach.messages SET ended_at = '2026-03-01T23:30:00Z' WHERE org_id = $1 AND step = 0 AND state = 'sent'`,
    );
    await sql(
      `UPDATE outreach.messages SET ended_at = '2026-03-05T12:00:00Z' WHERE org_id = $1 AND step = 1`,
    );
    for (const [email, status, step] of [
      ['a', 'replied', 2],
      ['b', 'bounced', 1],
      ['c', 'unsubscribed', 1],
    ] as const)
      await sql(
        `UPDATE outreach.enrollments SET status = $3, step = $4, next_at = NULL, ended_at = '2026-03-06T12:00:00Z' WHERE org_id = $1 AND email = $2`,
        `${email}@acme.com`,
        status,
        step,
      );
    const none = { sent: 0, bounced: 0, replied: 0, unsubscribed: 0 };
    expect(parseResource(await scene.statistics.readStatistics(ctx, id))).toEqual({
      totals: { sent: 4, bounced: 1, replied: 1, unsubscribed: 1 },
      by_step: [
        { ...none, step: 0, sent: 3, bounced: 1, unsubscribed: 1 },
        { ...none, step: 1, sent: 1, replied: 1 },
      ],
      by_day: [
        { ...none, day: '2026-03-02', sent: 3 },
        { ...none, day: '2026-03-05', sent: 1 },
        { ...none, day: '2026-03-06', bounced: 1, replied: 1, unsubscribed: 1 },
      ],
    });
    expect((await scene.read(ctx, id)).counts).toMatchObject({ enrolled: 4, sent: 4, unknown: 1, active: 1 });
    const fresh = await scene.sequence(ctx);
    expect(parseResource(await scene.statistics.readStatistics(ctx, fresh))).toEqual({
      totals: none,
      by_step: [],
      by_day: [],
    });
  });
});

describe('a message with unknown delivery', () => {
  it('takes the same decision twice at once', async () => {
    const id = await active('ann@acme.com');
    const messageId = await message('ann@acme.com', 'unknown');
    const both = runBehind(
      test.database,
      ctx,
      (tx) => scene.sequences.lockSequence(tx, id),
      () =>
        Promise.allSettled([1, 2].map(() => scene.contacts.resolveMessage(ctx, ACTOR, messageId, 'sent'))),
      { waiters: 2 },
    );
    expect((await both).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });
});
