import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parseResource, Person } from '@quarry/dto';
import { newId, type Ctx } from '@quarry/app';
import { useTestDatabase, runBehind, testCtx } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { approvalHolds } from '../approvals/holds.sql.js';
import { eraseFromOutreach } from '../erase-from-outreach.js';
import { ACTOR, allOf, contactRow, inMode, SequenceScene } from '../sequence-scene.fixture.js';
import type { ThreadFilter } from './thread.store.js';

const test = useTestDatabase();
let scene: SequenceScene;
let ctx: Ctx;
let orgs = 0;

beforeAll(() => {
  scene = new SequenceScene(test.database);
});
beforeEach(() => {
  ctx = inMode(testCtx(`org_threads_${++orgs}`), 'live');
});

const NONE: ThreadFilter = { mailboxId: null, sequenceId: null, label: null, unread: null, query: null };

/** Inserts a thread with a sent message and, if `isAnswered`, a reply that quotes it. @returns its id */
async function thread(email: string, { isAnswered = true, at = ctx } = {}): Promise<string> {
  const id = newId('thr');
  const mailbox = await scene.mailbox(at);
  const tenant = [at.orgId, at.mode];
  await test.database.query(
    at,
    `INSERT INTO outreach.threads (org_id, mode, id, mailbox_id, contact_email, contact_name, subject, kind, unread, snippet, received_at)
     VALUES ($1, $2, $3, $4, $5, 'Ann', 'Hello', $6, $7, 'Yes', $8)`,
    [
      ...tenant,
      id,
      mailbox,
      email,
      isAnswered ? 'reply' : 'sent',
      isAnswered,
      isAnswered ? new Date() : null,
    ],
  );
  const write = (direction: string, state: string, text: string, quoted: string | null) =>
    test.database.query(
      at,
      `INSERT INTO outreach.messages (org_id, mode, id, thread_id, mailbox_id, direction, kind, state, rfc_message_id, from_address,
         to_address, subject, body_text, quoted_text, body_html, ended_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'a@x', 'b@x', 'Hello', $10, $11, $12, now())`,
      [
        ...tenant,
        newId('msg'),
        id,
        mailbox,
        direction,
        direction === 'in' ? 'reply' : 'sent',
        state,
        `${direction}-${id}@x`,
        text,
        quoted,
        direction === 'in' ? '<p>Yes</p>' : null,
      ],
    );
  await write('out', 'sent', 'A question about apples', null);
  if (isAnswered) await write('in', 'received', 'Yes', '> A question');
  return id;
}

const list = async (filter: Partial<ThreadFilter> = {}, at: Ctx = ctx) =>
  parseResource(await scene.threads.listThreads(at, { ...NONE, ...filter, limit: 100, cursor: null })).items;
const idsOf = async (filter: Partial<ThreadFilter> = {}, at: Ctx = ctx) =>
  (await list(filter, at)).map(({ thread_id: id }) => id);
const read = async (threadId: string, limit = 100, cursor: string | null = null) =>
  parseResource(await scene.threads.readThread(ctx, { threadId, limit, cursor }));
const draft = async (threadId: string, text = 'With pleasure.', key: string | null = null) =>
  parseResource(await scene.drafts.createDraft(ctx, threadId, { body_text: text }, key));
const send = async (id: string, digest: string, approvalId?: string) =>
  parseResource(
    await scene.drafts.sendDraft(ctx, id, {
      digest,
      ...(approvalId === undefined ? {} : { approval_id: approvalId }),
    }),
  );

describe('threads', () => {
  it('include only those with a reply, and in test mode all, newest first', async () => {
    const [first, second] = [await thread('a@acme.com'), await thread('b@acme.com')];
    await thread('c@acme.com', { isAnswered: false });
    expect(await idsOf()).toEqual([second, first]);
    const own = inMode(ctx, 'test');
    const sunk = await thread('reply+a@sandbox.test', { isAnswered: false, at: own });
    expect(await idsOf({}, own)).toEqual([sunk]);
    const pages = await allOf(async (cursor) =>
      parseResource(await scene.threads.listThreads(ctx, { ...NONE, limit: 1, cursor })),
    );
    expect(pages.map(({ thread_id: id }) => id)).toEqual([second, first]);
  });

  it('are filtered by the kind of the last received message', async () => {
    const own = inMode(ctx, 'test');
    const reply = await thread('a@acme.com', { at: own });
    const sent = await thread('b@acme.com', { isAnswered: false, at: own });
    expect(await idsOf({ kind: 'reply' }, own)).toEqual([reply]);
    expect(await idsOf({ kind: 'sent' }, own)).toEqual([sent]);
    expect(await idsOf({ kind: null }, own)).toEqual([sent, reply]);
  });

  it('are filtered by mailbox, label, unread state and a part of their text', async () => {
    const [first, second] = [await thread('ann@acme.com'), await thread('bob@other.com')];
    const changed = parseResource(
      await scene.threads.changeThread(ctx, first, { label: ' hot ', unread: false }),
    );
    expect(changed).toMatchObject({
      label: 'hot',
      unread: false,
      contact: { email: 'ann@acme.com', name: 'Ann' },
    });
    const { mailbox_id: mailboxId } = (await list({ query: 'BOB@' }))[0]!;
    expect(await idsOf({ mailboxId })).toEqual([second]);
    expect(await idsOf({ label: 'hot' })).toEqual([first]);
    expect([await idsOf({ unread: true }), await idsOf({ unread: false })]).toEqual([[second], [first]]);
    expect([await idsOf({ query: 'apples' }), await idsOf({ query: '100%' })]).toEqual([[second, first], []]);
    expect(parseResource(await scene.threads.changeThread(ctx, first, { label: '' }))).toMatchObject({
      label: null,
      unread: false,
    });
    await expect(scene.threads.changeThread(ctx, first, {})).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('show their messages in pages, newest last, without quoted text', async () => {
    const id = await thread('a@acme.com');
    const { messages, next_cursor: end } = await read(id);
    expect(messages).toMatchObject([
      {
        direction: 'out',
        kind: 'sent',
        status: 'sent',
        text: 'A question about apples',
        html: null,
        has_more: false,
      },
      { direction: 'in', kind: 'reply', status: 'received', text: 'Yes', html: '<p>Yes</p>', has_more: true },
    ]);
    expect(end).toBeNull();
    const first = await read(id, 1);
    const second = await read(id, 1, first.next_cursor);
    expect([...first.messages, ...second.messages]).toEqual(messages);
    expect(second.next_cursor).toBeNull();
  });

  it('are invisible to another organisation and to the other mode', async () => {
    const id = await thread('a@acme.com');
    const { draft_id: draftId, digest } = await draft(id);
    for (const other of [testCtx('org_elsewhere'), inMode(ctx, 'test')]) {
      expect(await idsOf({}, other)).toEqual([]);
      for (const refused of [
        () => scene.threads.readThread(other, { threadId: id, limit: 1, cursor: null }),
        () => scene.threads.changeThread(other, id, { label: 'x' }),
        () => scene.drafts.createDraft(other, id, { body_text: 'x' }, null),
        () => scene.drafts.sendDraft(other, draftId, { digest }),
      ])
        await expect(refused()).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('a draft', () => {
  it('requests its approval when it is written, once per idempotency key', async () => {
    const id = await thread('a@acme.com');
    const written = await draft(id, 'With pleasure.', 'key');
    expect(written).toMatchObject({
      to: 'a@acme.com',
      subject: 'Re: Hello',
      body_text: 'With pleasure.',
      approval_status: 'pending',
      message_id: null,
    });
    expect(await draft(id, 'With pleasure.', 'key')).toEqual(written);
    expect((await draft(id, 'Another.')).digest).not.toBe(written.digest);
    expect((await read(id)).drafts[0]).toEqual(written);
    const details = parseResource(await scene.approvals.readApproval(ctx, written.approval_id));
    expect(details).toMatchObject({
      approval: {
        kind: 'draft',
        draft_id: written.draft_id,
        sequence_id: null,
        digest: written.digest,
        messages: 1,
      },
      preview: null,
      draft: written,
      thread_id: id,
      recipients: ['a@acme.com'],
    });
  });

  it('is sent once, after a person approved exactly this text', async () => {
    const id = await thread('a@acme.com');
    const { draft_id: draftId, approval_id: approvalId, digest } = await draft(id);
    await expect(send(draftId, digest)).rejects.toMatchObject({ code: 'approval_required' });
    await scene.approvals.decideApproval(ctx, ACTOR, approvalId, { decision: 'approve', digest });
    await expect(send(draftId, 'f'.repeat(64))).rejects.toMatchObject({ code: 'approval_required' });
    await expect(send(draftId, digest, newId('apr'))).rejects.toMatchObject({ code: 'approval_required' });
    const [first, second] = await Promise.all([send(draftId, digest), send(draftId, digest, approvalId)]);
    expect(second).toEqual(first);
    expect(first.status).toBe('planned');
    const [row] = await test.database.query(
      ctx,
      `SELECT m.in_reply_to, m.reference_ids, m.subject, m.body_text, m.draft_id, ${approvalHolds('m')} AS holds
       FROM outreach.messages m WHERE m.org_id = $1 AND m.id = $2`,
      [ctx.orgId, first.message_id],
    );
    expect(row).toEqual({
      in_reply_to: `in-${id}@x`,
      reference_ids: [`out-${id}@x`, `in-${id}@x`],
      subject: 'Re: Hello',
      body_text: 'With pleasure.',
      draft_id: draftId,
      holds: true,
    });
    expect((await read(id)).drafts).toMatchObject([
      { approval_status: 'approved', message_id: first.message_id },
    ]);
  });

  it('cannot be written or sent to a suppressed contact', async () => {
    const id = await thread('a@acme.com');
    const { draft_id: draftId, approval_id: approvalId, digest } = await draft(id);
    await scene.approvals.decideApproval(ctx, ACTOR, approvalId, { decision: 'approve', digest });
    await scene.suppressions.addSuppressions(ctx, { addresses: ['a@acme.com'] });
    await expect(send(draftId, digest)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(draft(id)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('is not sent after it was rejected', async () => {
    const id = await thread('a@acme.com');
    const { draft_id: draftId, approval_id: approvalId, digest } = await draft(id);
    await scene.approvals.decideApproval(ctx, ACTOR, approvalId, { decision: 'reject', digest });
    await expect(send(draftId, digest)).rejects.toMatchObject({ code: 'approval_required' });
  });

  it('is refused while an erasure deletes its thread', async () => {
    const id = await thread('a@acme.com');
    const written = runBehind(
      test.database,
      ctx,
      (tx) => eraseFromOutreach(test.database, tx, Person.of({ email: 'a@acme.com' })),
      () => draft(id),
    );
    await expect(written).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leaves nothing of an erased person in its approval, also when its thread is gone', async () => {
    for (const email of ['a@acme.com', 'b@acme.com']) await draft(await thread(email));
    const person = Person.of({ email: 'a@acme.com' });
    await eraseFromOutreach(test.database, ctx, person);
    const approvals = async () =>
      parseResource(await scene.approvals.listApprovals(ctx, { limit: 10, cursor: null })).items;
    expect((await approvals()).map(({ summary }) => summary)).toEqual(['An answer to b@acme.com: Re: Hello']);
    const b = Person.of({ email: 'b@acme.com' });
    await test.database.query(ctx, 'DELETE FROM outreach.threads WHERE org_id = $1', [ctx.orgId]);
    await eraseFromOutreach(test.database, ctx, b);
    expect(await approvals()).toEqual([]);
  });
});

describe('an erasure', () => {
  it('waits for an enrollment that has read the person', async () => {
    const sequenceId = await scene.sequence(ctx);
    const [isWritten, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const enrollment = test.database.transaction(ctx, async (tx) => {
      await scene.enroll(tx, sequenceId, [contactRow('ann@acme.com')]);
      isWritten.resolve();
      await gate.promise;
    });
    await isWritten.promise;
    let hasEnded = false;
    const person = Person.of({ email: 'ann@acme.com' });
    const tries = jest.spyOn(test.database, 'queryOne');
    const erasure = eraseFromOutreach(test.database, ctx, person).finally(() => (hasEnded = true));
    await waitFor('the erasure to have tried twice, or to end', () =>
      Promise.resolve(hasEnded || tries.mock.calls.length > 1),
    ).finally(gate.resolve);
    await enrollment;
    expect(await erasure).toMatchObject({ contacts: 1 });
    expect(await scene.contactsOf(ctx, sequenceId)).toEqual([]);
  });
});
