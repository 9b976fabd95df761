import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseResource } from '@quarry/dto';
import { newId, type Ctx } from '@quarry/app';
import { AuditLog } from '@quarry/postgres';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { ACTOR, contactRow, SequenceScene } from '../sequence-scene.fixture.js';
import { approvalHolds } from './holds.sql.js';

const test = useTestDatabase();
let scene: SequenceScene;
let ctx: Ctx;
let orgs = 0;

beforeAll(() => {
  scene = new SequenceScene(test.database);
});
beforeEach(() => {
  ctx = { ...testCtx(`org_approvals_${++orgs}`), keyId: newId('key') };
});

const people = (n: number) => Array.from({ length: n }, (_, i) => contactRow(`p${i}@acme.com`));
const sql = (text: string, ...params: unknown[]) => test.database.query(ctx, text, [ctx.orgId, ...params]);
const decide = async (id: string, decision: 'approve' | 'reject', digest: string) =>
  parseResource(await scene.approvals.decideApproval(ctx, ACTOR, id, { decision, digest }));
const acts = async () =>
  (await new AuditLog(test.database).listEntries(ctx, 100)).map(({ action }) => action).reverse();

/** Creates a sequence with `n` contacts. @returns its id */
async function enrolled(n = 2, more: Parameters<SequenceScene['sequence']>[1] = {}): Promise<string> {
  const id = await scene.sequence(ctx, more);
  await scene.enroll(ctx, id, people(n));
  return id;
}

describe('an approval', () => {
  it('is requested once, for exactly what the preview showed', async () => {
    const id = await enrolled();
    const first = await scene.request(ctx, id);
    expect(first).toMatchObject({
      kind: 'sequence',
      status: 'pending',
      sequence_id: id,
      version: 1,
      audience: 2,
      messages: 4,
      requested_by: ctx.keyId,
      decided_by: null,
      summary: 'Spec: 4 messages at most to 2 people from 1 mailbox',
    });
    const days = (Date.parse(first.expires_at) - Date.parse(first.requested_at)) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    expect(await scene.request(ctx, id)).toEqual(first);
    expect((await scene.read(ctx, id)).approval).toEqual(first);
  });

  it.each([
    [
      'the text',
      (id: string) => scene.sequences.changeSequence(ctx, id, { version: 1, changes: { daily_limit: 3 } }),
    ],
    ['the people', (id: string) => scene.enroll(ctx, id, [contactRow('new@acme.com')])],
    ['who is left', () => scene.contacts.stopContact(ctx, { email: 'p0@acme.com' })],
  ] as const)('is refused for a preview older than %s', async (_what, act) => {
    const id = await enrolled();
    const { digest } = await scene.preview(ctx, id);
    await act(id);
    await expect(scene.approvals.requestApproval(ctx, id, digest)).rejects.toMatchObject({
      code: 'version_conflict',
    });
  });

  it('is refused while any message lacks a variable, and the rows are named', async () => {
    const id = await enrolled(30);
    const rows = [
      contactRow('no-name@acme.com', { name: null }),
      contactRow('none@acme.com', { name: null }),
    ];
    await scene.enroll(ctx, id, rows);
    const { digest } = await scene.preview(ctx, id);
    const refusal = scene.approvals.requestApproval(ctx, id, digest);
    await expect(refusal).rejects.toMatchObject({ code: 'invalid_request' });
    const details = await refusal.catch((error: unknown) => (error as { details: unknown }).details);
    expect(details).toHaveLength(4);
    for (const { id: row } of rows)
      expect(details).toContainEqual({
        path: 'steps[1].body',
        message: `${row}: The body has no value for first_name.`,
      });
  });

  it('is refused for a sequence without contacts', async () => {
    const id = await scene.sequence(ctx);
    await expect(scene.request(ctx, id)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('is decided by a user who has seen exactly this preview', async () => {
    const id = await enrolled();
    const { approval_id: approvalId, digest } = await scene.request(ctx, id);
    await expect(decide(approvalId, 'approve', 'f'.repeat(64))).rejects.toMatchObject({
      code: 'version_conflict',
    });
    const approved = await decide(approvalId, 'approve', digest);
    expect(approved).toMatchObject({ status: 'approved', decided_by: ACTOR.userId });
    const days = (Date.parse(approved.expires_at) - Date.parse(approved.decided_at!)) / 86_400_000;
    expect(Math.round(days)).toBe(93);
    expect(await decide(approvalId, 'approve', digest)).toEqual(approved);
    await expect(decide(approvalId, 'reject', digest)).rejects.toMatchObject({ code: 'version_conflict' });
    expect(await scene.read(ctx, id)).toMatchObject({ status: 'approved', approval: approved });
    expect(await acts()).toEqual(['sequence.approved']);
  });

  it('that is rejected starts nothing, and another can be requested', async () => {
    const id = await enrolled();
    const { approval_id: approvalId, digest } = await scene.request(ctx, id);
    await decide(approvalId, 'reject', digest);
    await expect(scene.approvals.activateSequence(ctx, id, approvalId)).rejects.toMatchObject({
      code: 'approval_required',
    });
    expect(await acts()).toEqual(['sequence.rejected']);
    const next = await scene.request(ctx, id);
    expect(next).toMatchObject({ status: 'pending' });
    expect(next.approval_id).not.toBe(approvalId);
  });

  it('shows what it covers to whoever decides on it', async () => {
    const id = await enrolled(12);
    const { approval_id: approvalId, digest } = await scene.request(ctx, id);
    const details = parseResource(await scene.approvals.readApproval(ctx, approvalId));
    expect(details).toMatchObject({
      approval: { digest },
      preview: { digest, total_messages: 24 },
      draft: null,
    });
    expect(details.recipients).toHaveLength(12);
    const page = parseResource(await scene.approvals.listApprovals(ctx, { limit: 10, cursor: null }));
    expect(page.items).toEqual([details.approval]);
  });

  it.each([
    [
      'a change',
      (id: string) => scene.sequences.changeSequence(ctx, id, { version: 1, changes: { name: 'x' } }),
      'draft',
    ],
    ['a pause', (id: string) => scene.sequences.pauseSequence(ctx, id), 'draft'],
    ['an enrollment', (id: string) => scene.enroll(ctx, id, [contactRow('new@acme.com')]), 'draft'],
  ] as const)('is void after %s, whether it was granted or not', async (_what, act, status) => {
    const id = await enrolled();
    const approvalId = await scene.approve(ctx, id);
    await act(id);
    await expect(scene.approvals.activateSequence(ctx, id, approvalId)).rejects.toMatchObject({
      code: 'approval_required',
    });
    expect(await scene.read(ctx, id)).toMatchObject({ status, approval: { status: 'void' } });
  });

  it('expires if nobody decides in time, or nobody uses it', async () => {
    const id = await enrolled();
    const { approval_id: approvalId, digest } = await scene.request(ctx, id);
    const expire = () => sql(`UPDATE outreach.approvals SET expires_at = now() WHERE org_id = $1`);
    await expire();
    expect((await scene.read(ctx, id)).approval).toMatchObject({ status: 'expired' });
    await expect(decide(approvalId, 'approve', digest)).rejects.toMatchObject({ code: 'version_conflict' });
    const second = await scene.approve(ctx, id);
    expect(second).not.toBe(approvalId);
    await expire();
    await expect(scene.approvals.activateSequence(ctx, id, second)).rejects.toMatchObject({
      code: 'approval_required',
    });
  });

  it('cannot be granted and voided at the same time', async () => {
    for (let i = 0; i < 10; i++) {
      const id = await enrolled(1);
      await sql(`DELETE FROM outreach.enrollments WHERE org_id = $1 AND sequence_id <> $2`, id);
      await scene.enroll(ctx, id, [contactRow(`x${i}@acme.com`)]);
      const { approval_id: approvalId, digest } = await scene.request(ctx, id);
      await Promise.allSettled([
        decide(approvalId, 'approve', digest),
        scene.enroll(ctx, id, [contactRow(`y${i}@acme.com`)]),
      ]);
      const { status, approval } = await scene.read(ctx, id);
      expect([status, approval!.status]).toEqual(['draft', 'void']);
    }
  });
});

/** Inserts a message to the first contact of a sequence, in the given state under an approval. */
async function messageOf(id: string, approvalId: string, state: 'planned' | 'cancelled'): Promise<void> {
  const [enrollment] = await scene.contactsOf(ctx, id);
  const thread = newId('thr');
  await sql(
    `INSERT INTO outreach.threads (org_id, mode, id, mailbox_id, contact_email, subject) VALUES ($1, $2, $3, 'mbx', 'x', 'x')`,
    ctx.mode,
    thread,
  );
  await sql(
    `INSERT INTO outreach.messages (org_id, mode, id, thread_id, mailbox_id, direction, sequence_id, enrollment_id, step, approval_id,
       state, rfc_message_id, from_address, to_address, subject, body_text, ${state === 'planned' ? 'due_at' : 'ended_at'})
     VALUES ($1, $2, $3, $4, 'mbx', 'out', $5, $6, 0, $7, $8, 'a', 'a', 'p0@acme.com', 's', 'b', now())`,
    ctx.mode,
    newId('msg'),
    thread,
    id,
    enrollment!.enrollment_id,
    approvalId,
    state,
  );
}

describe('the start of a sequence', () => {
  it('spreads the contacts evenly over the mailboxes, by the delay of the first step', async () => {
    const boxes = [await scene.mailbox(ctx), await scene.mailbox(ctx), await scene.mailbox(ctx)];
    const steps = [{ delay_days: 2, subject: 'x', body: 'y' }];
    const id = await enrolled(10, { mailbox_ids: boxes, steps });
    const approvalId = await scene.start(ctx, id);
    const spread = await sql(
      `SELECT mailbox_id AS box, count(*)::int AS n,
         bool_and(next_at BETWEEN now() + interval '47 hours' AND now() + interval '49 hours' AND approval_id = $2) AS is_due
       FROM outreach.enrollments WHERE org_id = $1 AND status = 'active' GROUP BY mailbox_id ORDER BY n DESC`,
      approvalId,
    );
    expect(spread.map(({ n }) => n)).toEqual([4, 3, 3]);
    expect(spread.every(({ is_due: isDue }) => isDue)).toBe(true);
    expect(new Set(spread.map(({ box }) => box))).toEqual(new Set(boxes));
    await scene.approvals.activateSequence(ctx, id, approvalId);
    expect(await scene.read(ctx, id)).toMatchObject({ status: 'active', counts: { active: 10 } });
    expect(await acts()).toEqual(['sequence.approved', 'sequence.activated']);
  });

  it('after a pause resumes each contact where it stood, in the same mailbox, under a new approval', async () => {
    const id = await enrolled(4, { mailbox_ids: [await scene.mailbox(ctx), await scene.mailbox(ctx)] });
    await scene.start(ctx, id);
    await sql(
      `UPDATE outreach.enrollments SET step = 1, next_at = now() + interval '3 days' WHERE org_id = $1 AND email = 'p1@acme.com'`,
    );
    await sql(
      `UPDATE outreach.enrollments SET next_at = NULL, reason = 'unknown_delivery' WHERE org_id = $1 AND email = 'p2@acme.com'`,
    );
    const before = await sql(
      'SELECT email, mailbox_id, step, next_at FROM outreach.enrollments WHERE org_id = $1 ORDER BY email',
    );
    await scene.sequences.pauseSequence(ctx, id);
    expect((await scene.request(ctx, id)).messages).toBe(7);
    const second = await scene.start(ctx, id);
    const after = await sql(
      'SELECT email, mailbox_id, step, next_at, approval_id FROM outreach.enrollments WHERE org_id = $1 ORDER BY email',
    );
    expect(after).toEqual(before.map((each) => ({ ...each, approval_id: second })));
    expect(await acts()).toEqual([
      'sequence.approved',
      'sequence.activated',
      'sequence.paused',
      'sequence.approved',
      'sequence.activated',
    ]);
  });

  it('requires that the mailbox still exists', async () => {
    const id = await enrolled();
    const approvalId = await scene.approve(ctx, id);
    await sql(`UPDATE outreach.mailboxes SET status = 'removed' WHERE org_id = $1`);
    await expect(scene.approvals.activateSequence(ctx, id, approvalId)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('names the mailboxes that cannot send, as long as contacts wait for them', async () => {
    const boxes = [await scene.mailbox(ctx), await scene.mailbox(ctx)];
    const id = await enrolled(2, { mailbox_ids: boxes });
    const reason = async () => (await scene.read(ctx, id)).status_reason;
    await sql(`UPDATE outreach.mailboxes SET status = 'failing' WHERE org_id = $1 AND id = $2`, boxes[1]);
    expect(await reason()).toBeNull();
    await scene.start(ctx, id);
    expect(await reason()).toBe(`Nothing leaves from ${boxes[1]!.slice(-6)}@sender.example (failing).`);
    await sql(`UPDATE outreach.mailboxes SET status = 'connected', daily_limit = 5 WHERE org_id = $1`);
    await sql(
      `INSERT INTO outreach.sending_days (org_id, mode, owner_id, day, started, day_limit)
       VALUES ($1, $3, $2, (now() AT TIME ZONE 'Europe/Berlin')::date, 5, 5)`,
      boxes[0],
      ctx.mode,
    );
    expect(await reason()).toBe(
      `Nothing leaves from ${boxes[0]!.slice(-6)}@sender.example (5 messages today, which is its limit).`,
    );
    await sql(`UPDATE outreach.mailboxes SET status = 'removed' WHERE org_id = $1`);
    expect(await reason()).toMatch(/^Nothing leaves from \S+ \(removed\), \S+ \(removed\)\.$/);
    await sql(`UPDATE outreach.approvals SET expires_at = now() WHERE org_id = $1`);
    expect(await reason()).toBe('Nothing leaves: the approval has expired.');
    await scene.sequences.pauseSequence(ctx, id);
    expect(await reason()).toBeNull();
  });

  it('is undone by a pause, which waits for a message being marked and then ends the effect of the approval', async () => {
    const id = await enrolled(1);
    const approvalId = await scene.start(ctx, id);
    await messageOf(id, approvalId, 'planned');
    const holds = async (at: Ctx = ctx) =>
      (
        await test.database.query(
          at,
          `SELECT ${approvalHolds('m')} AS holds FROM outreach.messages m WHERE m.org_id = $1`,
          [ctx.orgId],
        )
      )[0]!.holds;
    expect(await holds()).toBe(true);
    const order: string[] = [];
    let pausing: Promise<unknown> = Promise.resolve();
    await test.database.transaction(ctx, async (tx) => {
      await test.database.query(
        tx,
        'SELECT 1 FROM outreach.sequences WHERE org_id = $1 AND id = $2 FOR SHARE',
        [ctx.orgId, id],
      );
      pausing = scene.sequences.pauseSequence(ctx, id).then(() => order.push('paused'));
      expect(await holds(tx)).toBe(true);
      order.push('marked');
    });
    await pausing;
    expect([order, await holds()]).toEqual([['marked', 'paused'], false]);
    for (const [change, held] of [
      [`UPDATE outreach.approvals SET status = 'approved' WHERE org_id = $1`, false],
      [`UPDATE outreach.sequences SET status = 'active' WHERE org_id = $1`, false],
      [`UPDATE outreach.sequences SET approval_id = '${approvalId}' WHERE org_id = $1`, true],
      [`UPDATE outreach.sequences SET status = 'paused' WHERE org_id = $1`, false],
      [`UPDATE outreach.sequences SET status = 'active' WHERE org_id = $1`, true],
      [`UPDATE outreach.approvals SET started = messages WHERE org_id = $1`, false],
      [`UPDATE outreach.approvals SET started = 0, expires_at = now() WHERE org_id = $1`, false],
    ] as const) {
      await sql(change);
      expect([change, await holds()]).toEqual([change, held]);
    }
  });

  it('plans cancelled messages again under the new approval', async () => {
    const id = await enrolled(1);
    const approvalId = await scene.start(ctx, id);
    await messageOf(id, approvalId, 'cancelled');
    await scene.sequences.pauseSequence(ctx, id);
    await scene.start(ctx, id);
    expect((await scene.contactsOf(ctx, id))[0]).toMatchObject({ last_message: null });
  });
});
