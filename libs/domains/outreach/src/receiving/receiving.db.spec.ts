import { describe, expect, it } from '@jest/globals';
import { MailboxError, MailboxReader, sinkAnswer, type OutgoingMail, type ReadState } from '@quarry/mail';
import { useTestDatabase, runBehind } from '@quarry/testing';
import { ACCEPTED, FakeTransport, outreachParts, MailScene } from '../mail-scene.fixture.js';

/** An inbox whose mails have UIDs, as on a server. */
class FakeInbox extends MailboxReader {
  readonly mails: Array<{ folder: string; raw: string; isSent?: boolean }> = [];
  uidvalidity = 1;
  failure: MailboxError | null = null;

  async readNew(...[, state, , seen]: Parameters<MailboxReader['readNew']>) {
    if (this.failure) throw this.failure;
    let next: ReadState = state;
    for (const [i, { folder, raw, isSent = false }] of this.mails.entries()) {
      const known = next[folder];
      const from = known?.uidvalidity === this.uidvalidity ? known.uidnext : 0;
      const { uidvalidity } = this;
      if (i < from) continue;
      next = { ...next, [folder]: { uidvalidity, uidnext: i + 1 } };
      await seen({ folder, uidvalidity, uid: i, raw: Buffer.from(raw), isSent }, next);
    }
    return { state: next, hasMore: false };
  }

  tryLogin(): Promise<string | null> {
    return Promise.resolve(null);
  }
}

const test = useTestDatabase();

/** Sends a message, with a known or an unknown outcome. @returns also the inbox that receives the replies */
async function sent({ isUnknown = false, steps = 2 } = {}) {
  const [inbox, transport] = [new FakeInbox(), new FakeTransport()];
  if (isUnknown) transport.answer = () => ({ kind: 'unknown', reply: 'cut' });
  const parts = outreachParts(test, { transport: transport.port, reader: inbox });
  const scene = await MailScene.open(test, 'live');
  await scene.sequence(['bo@acme.test'], {
    steps: Array.from({ length: steps }, (_, i) => ({
      delay_days: i,
      subject: i === 0 ? 'Hello' : null,
      body: `Text ${i}`,
    })),
    messages: 20,
  });
  await parts.sender.takeTurn(scene.turn);
  const [mail] = transport.bodies;
  const read = async () => {
    await scene.makeDue();
    await parts.inbox.takeTurn(scene.turn);
  };
  return { inbox, transport, parts, scene, mail: mail!, read };
}
const answerTo = (mail: OutgoingMail, word: string): string => sinkAnswer(mail, word).reply!;
const copyOf = ({ messageId }: OutgoingMail): string =>
  `From: <ann@sender.test>\r\nTo: <bo@acme.test>\r\nMessage-ID: <${messageId}>\r\nSubject: Hello\r\n\r\nText\r\n`;
const received = async (scene: MailScene) =>
  (await scene.messages()).filter(({ direction }) => direction === 'in').map(({ kind }) => kind);

describe('I6: a contact who replied', () => {
  it('gets no further step, in no sequence of the organisation', async () => {
    const { inbox, scene, mail, read, parts, transport } = await sent();
    await scene.sequence(['bo@acme.test', 'al@acme.test'], {
      window: { days: [], from: '00:00', to: '24:00' },
    });
    inbox.mails.push({ folder: 'INBOX', raw: answerTo(mail, 'reply') });
    await read();
    expect((await scene.enrollments()).map(({ email, status }) => [email, status])).toEqual([
      ['bo@acme.test', 'replied'],
      ['bo@acme.test', 'replied'],
      ['al@acme.test', 'active'],
    ]);
    await scene.makeDue();
    await parts.sender.takeTurn(scene.turn);
    expect(transport.bodies).toHaveLength(1);
    const events = await scene.events();
    expect(events.map(({ type }) => type)).toEqual(['sequence.replied', 'sequence.replied']);
    const [thread] = await scene.threads();
    expect(events.map(({ data }) => data)).toContainEqual({
      sequence_id: events[0]!.subject,
      enrollment_id: expect.any(String),
      reason: 'reply',
      thread_id: thread!.id,
      links: {
        self: `/v1/sequences/${events[0]!.subject}`,
        thread: `/v1/inbox/threads/${thread!.id as string}`,
      },
    });
  });

  it('is recognised in the mailbox that replaces a removed one', async () => {
    const { inbox, scene, mail, parts } = await sent();
    await scene.sql(
      `UPDATE outreach.mailboxes SET status = 'removed', smtp = NULL, imap = NULL, sealed_secrets = NULL WHERE org_id = $1 AND mode = $2`,
    );
    const next = await MailScene.open(test, 'live', { ctx: scene.ctx });
    inbox.mails.push({ folder: 'INBOX', raw: answerTo(mail, 'reply') });
    await parts.inbox.takeTurn(next.turn);
    expect(await scene.enrollments()).toMatchObject([{ status: 'replied' }]);
    expect(await scene.threads()).toMatchObject([{ kind: 'reply', unread: true }]);
  });

  it('has the sequence locked before the thread, as sending does', async () => {
    const { inbox, scene, mail, parts } = await sent();
    inbox.mails.push({ folder: 'INBOX', raw: answerTo(mail, 'reply') });
    const lockSequences = 'SELECT FROM outreach.sequences WHERE org_id = $1 FOR UPDATE';
    const lockThreads = 'SELECT FROM outreach.threads WHERE org_id = $1 FOR NO KEY UPDATE NOWAIT';
    const { orgId } = scene.ctx;
    await scene.makeDue();
    await runBehind(
      test.database,
      scene.ctx,
      (tx) => test.database.query(tx, lockSequences, [orgId]),
      () => parts.inbox.takeTurn(scene.turn),
      {
        meanwhile: async (tx) => expect(await test.database.query(tx, lockThreads, [orgId])).toHaveLength(1),
      },
    );
    expect(await scene.threads()).toMatchObject([{ kind: 'reply', unread: true }]);
  });

  it('by an automatic reply still gets the next steps', async () => {
    const { inbox, scene, mail, read } = await sent();
    inbox.mails.push({ folder: 'INBOX', raw: answerTo(mail, 'away') });
    await read();
    expect(await scene.enrollments()).toMatchObject([{ status: 'active', step: 1 }]);
    expect(await scene.threads()).toMatchObject([{ kind: 'away', unread: true }]);
  });
});

describe('I7: each mail takes effect once', () => {
  it('if its folder is renumbered, and if it is in two folders', async () => {
    const { inbox, scene, mail, read } = await sent();
    const raw = answerTo(mail, 'reply');
    inbox.mails.push({ folder: 'INBOX', raw }, { folder: 'Junk', raw });
    await read();
    await scene.sql('UPDATE outreach.threads SET unread = false WHERE org_id = $1 AND mode = $2');
    inbox.uidvalidity = 2;
    await read();
    expect(await received(scene)).toEqual(['reply']);
    expect(await scene.threads()).toMatchObject([{ unread: false }]);
  });

  it('if two workers read the same inbox at once', async () => {
    const { inbox, scene, mail, parts } = await sent();
    const other = outreachParts(test, { reader: inbox });
    inbox.mails.push({ folder: 'INBOX', raw: answerTo(mail, 'soft') });
    await scene.makeDue();
    await Promise.all([parts.inbox.takeTurn(scene.turn), other.inbox.takeTurn(scene.turn)]);
    expect(await received(scene)).toEqual(['bounce']);
  });

  it('and never from a worker whose lease was lost', async () => {
    const { inbox, scene, mail, parts } = await sent();
    inbox.mails.push({ folder: 'INBOX', raw: answerTo(mail, 'reply') });
    await scene.makeDue();
    const lease = (await parts.reading.claimTurn(scene.turn))!;
    const found = { folder: 'INBOX', uidvalidity: 1, uid: 0, raw: Buffer.alloc(0), isSent: false };
    await scene.lapse();
    await parts.reading.claimTurn(scene.turn);
    expect(await parts.mails.takeMessage(lease, found, null, {})).toBe(false);
    expect(await scene.sql('SELECT 1 FROM outreach.seen_mails WHERE org_id = $1 AND mode = $2')).toEqual([]);
  });
});

describe('a bounce report', () => {
  it('that is permanent suppresses the address, and also ends a finished enrollment', async () => {
    const { inbox, scene, mail, read } = await sent({ steps: 1 });
    inbox.mails.push({ folder: 'INBOX', raw: answerTo(mail, 'bounce') });
    await read();
    expect(await scene.enrollments()).toMatchObject([{ status: 'bounced', reason: 'hard_bounce' }]);
    expect(await scene.suppressions()).toEqual([{ value: 'bo@acme.test', reason: 'hard_bounce' }]);
    expect(await scene.events()).toMatchObject([
      { type: 'sequence.bounced', data: { reason: 'hard_bounce' } },
    ]);
  });

  it('that names none of our messages changes nothing', async () => {
    const { inbox, scene, mail, read } = await sent();
    inbox.mails.push({
      folder: 'INBOX',
      raw: answerTo({ ...mail, messageId: 'msg_other@sender.test' }, 'bounce'),
    });
    await read();
    expect(await received(scene)).toEqual([]);
    expect(await scene.suppressions()).toEqual([]);
    expect(await scene.enrollments()).toMatchObject([{ status: 'active' }]);
  });

  it('without a Message-ID refers to the last message to its recipient within seven days', async () => {
    for (const [days, status] of [
      [6, 'bounced'],
      [8, 'active'],
    ] as const) {
      const { inbox, scene, mail, read } = await sent();
      await scene.sql(
        `UPDATE outreach.messages SET data_started_at = data_started_at - interval '${days} days' WHERE org_id = $1 AND mode = $2`,
      );
      const unnamed = (to: string) =>
        answerTo({ ...mail, to }, 'bounce').replace(`Message-ID: <${mail.messageId}>\r\n`, '');
      inbox.mails.push(
        { folder: 'INBOX', raw: unnamed('eve@acme.test') },
        { folder: 'INBOX', raw: unnamed(mail.to).replace(/^Message-ID: </m, '$&2') },
      );
      await read();
      expect(await received(scene)).toEqual(status === 'bounced' ? ['bounce'] : []);
      expect(await scene.enrollments()).toMatchObject([{ status }]);
    }
  });

  it('that is temporary suppresses after three messages within 14 days, however often each is reported', async () => {
    const { inbox, scene, mail, read, parts, transport } = await sent({ steps: 3 });
    inbox.mails.push(
      { folder: 'INBOX', raw: answerTo(mail, 'soft') },
      ...[1, 2].map((i) => ({
        folder: 'INBOX',
        raw: answerTo(mail, 'soft').replace(/^Message-ID: <.*$/m, `Message-ID: <again-${i}@sandbox.test>\r`),
      })),
    );
    await read();
    expect(await received(scene)).toEqual(['bounce', 'bounce', 'bounce']);
    expect(await scene.suppressions()).toEqual([]);
    for (const step of [1, 2]) {
      await scene.makeDue();
      await parts.sender.takeTurn(scene.turn);
      inbox.mails.push({ folder: 'INBOX', raw: answerTo(transport.bodies[step]!, 'soft') });
      await read();
    }
    expect(await scene.suppressions()).toEqual([{ value: 'bo@acme.test', reason: 'soft_bounces' }]);
  });
});

describe('a message with unknown delivery', () => {
  it.each([
    ['is answered', 'reply', false, 'replied', 1],
    ['comes back', 'bounce', false, 'bounced', 1],
    ['lies in the folder of sent messages', null, true, 'active', 1],
  ])('counts as sent when it %s', async (_, word, isSent, status, step) => {
    const { inbox, scene, mail, read } = await sent({ isUnknown: true });
    expect(await scene.states()).toEqual(['unknown']);
    inbox.mails.push({
      folder: isSent ? 'Sent' : 'INBOX',
      raw: word === null ? copyOf(mail) : answerTo(mail, word),
      isSent,
    });
    await read();
    expect(await scene.states()).toEqual(['sent']);
    expect(await scene.enrollments()).toMatchObject([{ status, step }]);
  });
});

describe('a message whose reply is read while its delivery is still unknown', () => {
  it.each([
    ['a person answers', 'reply', false, 'replied'],
    ['a program answers', 'away', false, 'active'],
    ['it comes back', 'bounce', false, 'bounced'],
    ['it lies in the folder of sent messages', null, true, 'active'],
  ])(
    'counts as sent when %s, whatever happens to its connection or worker',
    async (_, word, isSent, status) => {
      for (const end of ['unknown', 'killed', 'refused', 'accepted'] as const) {
        const [inbox, transport] = [new FakeInbox(), new FakeTransport()];
        const parts = outreachParts(test, { transport: transport.port, reader: inbox });
        const scene = await MailScene.open(test, 'live');
        const steps = [0, 1].map((i) => ({
          delay_days: i,
          subject: i === 0 ? 'Hello' : null,
          body: `Text ${i}`,
        }));
        await scene.sequence(['bo@acme.test'], { steps, messages: 20 });
        transport.answer = async (mail) => {
          expect(await scene.states()).toEqual(['sending']);
          const raw = word === null ? copyOf(mail) : answerTo(mail, word);
          inbox.mails.push({ folder: isSent ? 'Sent' : 'INBOX', raw, isSent });
          await scene.makeDue();
          await parts.inbox.takeTurn(scene.turn);
          if (end === 'killed') {
            await scene.lapse();
            await outreachParts(test).messages.reapMessages();
          }
          if (end === 'accepted') return ACCEPTED;
          if (end !== 'refused') return { kind: 'unknown', reply: 'cut' };
          return { kind: 'refused', isPermanent: true, stage: 'data', code: 554, status: null, reply: 'no' };
        };
        await parts.sender.takeTurn(scene.turn);
        expect([end, await scene.states()]).toEqual([end, ['sent']]);
        expect(await scene.enrollments()).toMatchObject([{ status, step: 1 }]);
        const begun = await scene.sql(
          'SELECT started FROM outreach.sending_days WHERE org_id = $1 AND mode = $2',
        );
        expect(new Set(begun.map(({ started }) => started))).toEqual(new Set([1]));
      }
    },
  );
});

describe('a received mail', () => {
  it('to unsubscribe suppresses the contact of its token, and nobody else', async () => {
    const { inbox, scene, read } = await sent();
    const [{ unsubscribe_token: token } = { unsubscribe_token: '' }] = await scene.sql<{
      unsubscribe_token: string;
    }>('SELECT unsubscribe_token FROM outreach.enrollments WHERE org_id = $1 AND mode = $2');
    const raw = (rawMail: string): string =>
      `From: <phone@elsewhere.test>\r\nTo: <ann@sender.test>\r\nMessage-ID: <${rawMail}@x.test>\r\nSubject: unsubscribe ${rawMail}\r\n\r\n`;
    inbox.mails.push({ folder: 'INBOX', raw: raw('token-enl_none') });
    await read();
    expect(await scene.suppressions()).toEqual([]);
    inbox.mails.push({ folder: 'INBOX', raw: raw(token) });
    await read();
    expect(await scene.suppressions()).toEqual([{ value: 'bo@acme.test', reason: 'unsubscribed' }]);
    expect(await scene.enrollments()).toMatchObject([{ status: 'unsubscribed' }]);
  });

  it('from somebody who was never written to is not stored', async () => {
    const { inbox, scene, read } = await sent();
    inbox.mails.push({
      folder: 'INBOX',
      raw: 'From: <x@y.test>\r\nTo: <ann@sender.test>\r\nSubject: Hi\r\n\r\nHi\r\n',
    });
    await read();
    expect(await received(scene)).toEqual([]);
  });
});

describe('an inbox', () => {
  it('that refuses the login stops its mailbox, and one that is unreachable is tried again later', async () => {
    const { inbox, scene, read } = await sent();
    inbox.failure = new MailboxError('connection', 'The server cannot be reached.');
    await read();
    expect(await scene.mailbox()).toMatchObject({ status: 'connected' });
    inbox.failure = new MailboxError('login', 'The server did not accept the password.');
    await read();
    expect(await scene.mailbox()).toMatchObject({
      status: 'failing',
      status_reason: 'The server did not accept the password.',
    });
  });
});
