import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AddressGuard } from '@quarry/safe-http';
import { newId } from '@quarry/app';
import { SmtpTransport, type SendOutcome } from '@quarry/mail';
import type { TxCtx } from '@quarry/postgres';
import {
  ScriptedSmtpServer,
  TestAuthority,
  waitFor,
  type SmtpPoint,
  type SmtpTurn,
} from '@quarry/test-servers';
import { createTestDatabase, runBehind, type TestDatabase } from '@quarry/testing';
import fc from 'fast-check';
import { EnrollmentProgress } from '../enrollments/enrollment-progress.js';
import { FakeExclusions, outreachParts, MailScene } from '../mail-scene.fixture.js';
import { SequenceScene } from '../sequence-scene.fixture.js';

/** Number of races. QUARRY_SUPPRESSION_RACES=10000 makes a long run. */
const RACES = Number(process.env.QUARRY_SUPPRESSION_RACES ?? 200);

let test: TestDatabase;
let authority: TestAuthority;
let server: ScriptedSmtpServer;
let parts: ReturnType<typeof outreachParts>;
const exclusions = new FakeExclusions();

beforeAll(async () => {
  test = await createTestDatabase();
  authority = TestAuthority.make();
  server = await ScriptedSmtpServer.start(authority);
  parts = newWorker();
});
afterEach(() => {
  server.clear();
  exclusions.domains.clear();
});
afterAll(async () => {
  await server.stop();
  await test.drop();
});

/** Creates the parts of another worker on the same database. */
function newWorker() {
  const guard = new AddressGuard({ allowHosts: [`127.0.0.1:${server.port}`] });
  return outreachParts(test, { transport: new SmtpTransport(guard, { ca: authority.ca }), exclusions });
}
const live = (mailbox: { limit?: number; timeZone?: string; rampUp?: boolean } = {}) =>
  MailScene.open(test, 'live', {
    server: { host: '127.0.0.1', port: server.port, security: 'tls', user: 'u' },
    ...mailbox,
  });
const people = (n: number): string[] => Array.from({ length: n }, (_, i) => `p${i}@acme.test`);
/** Returns a script that makes the server act at one point only. */
const at = (point: SmtpPoint, turn: SmtpTurn) => (each: SmtpPoint) => (each === point ? turn : null);

/** Plans a message and claims it as a worker does. */
async function claimed(scene: MailScene) {
  const lease = (await parts.leases.claimTurn(scene.turn))!;
  await parts.planner.planNext(lease);
  return { lease, message: (await parts.messages.claimMessages(lease))! };
}

describe('a message whose SMTP server', () => {
  it.each<[SmtpPoint, SmtpTurn, string, string]>([
    ['greeting', 'cut', 'deferred', 'sent'],
    ['ehlo', 'cut', 'deferred', 'sent'],
    ['auth', '535 5.7.8 no', 'planned', 'planned'],
    ['mail', '451 4.3.0 later', 'deferred', 'sent'],
    ['rcpt', '550 5.1.1 nobody', 'rejected', 'rejected'],
    ['rcpt', '550 5.7.1 policy', 'rejected', 'rejected'],
    ['data', 'cut', 'deferred', 'sent'],
    ['body', 'cut', 'unknown', 'unknown'],
    ['dot', 'cut', 'unknown', 'unknown'],
    ['dot', '451 4.3.0 later', 'deferred', 'sent'],
    ['dot', '554 5.6.0 no', 'rejected', 'rejected'],
  ])(
    'fails at %s (%s) is first %s, later %s, and never accepted twice',
    async (point, turn, first, later) => {
      const scene = await live();
      await scene.sequence(['bo@acme.test']);
      server.script = at(point, turn);
      await parts.sender.takeTurn(scene.turn);
      expect(await scene.states()).toEqual([first]);
      const begun = server.begun.length;
      server.script = () => null;
      await scene.makeDue();
      await parts.sender.takeTurn(scene.turn);
      expect(await scene.states()).toEqual([later]);
      const [message] = await scene.messages();
      expect(server.timesAccepted(message!.rfc_message_id)).toBeLessThanOrEqual(1);
      if (first === 'unknown') expect(server.begun).toHaveLength(begun);
    },
  );
});

describe('I1: each step is sent once', () => {
  it('even if two workers serve the same mailboxes at the same time', async () => {
    const [scene, other] = [await live(), newWorker()];
    await scene.sequence(people(12));
    for (let i = 0; i < 4; i += 1) {
      await Promise.all([parts.sender.takeTurn(scene.turn), other.sender.takeTurn(scene.turn)]);
      await scene.makeDue();
    }
    expect(await scene.states()).toEqual(Array(12).fill('sent'));
    expect(new Set(server.begun.map(({ recipient }) => recipient)).size).toBe(12);
    expect(server.begun).toHaveLength(12);
  });

  it('and settled only by the worker that claimed it, before its claim expires', async () => {
    const scene = await live();
    await scene.sequence(['bo@acme.test']);
    const { lease, message } = await claimed(scene);
    expect(await parts.messages.markMessage(lease, message)).toBe(true);
    await scene.lapse();
    await parts.messages.reapMessages();
    expect(await scene.states()).toEqual(['unknown']);
    const accepted = { kind: 'accepted', code: 250, reply: 'ok' } as const;
    expect(await parts.messages.settleMessage(lease, message, accepted, null)).toBe(false);
    expect(await scene.states()).toEqual(['unknown']);
    expect(await scene.enrollments()).toMatchObject([{ step: 0, next_at: null, reason: 'unknown_delivery' }]);
  });

  it('and planned again if its claim expired before the message was marked', async () => {
    const scene = await live();
    await scene.sequence(['bo@acme.test']);
    const { lease, message } = await claimed(scene);
    await scene.lapse();
    await parts.messages.reapMessages();
    expect(await scene.states()).toEqual(['planned']);
    expect(await parts.messages.markMessage(lease, message)).toBe(false);
    await parts.sender.takeTurn(scene.turn);
    expect(await scene.states()).toEqual(['sent']);
  });
});

describe('I2: a message needs a valid approval', () => {
  it.each([
    ['withdrawn', "UPDATE outreach.approvals SET status = 'void'"],
    ['expired', 'UPDATE outreach.approvals SET expires_at = now()'],
    ['used up', 'UPDATE outreach.approvals SET started = messages'],
    ['of another version', 'UPDATE outreach.sequences SET version = 2'],
    ['taken from its sequence', 'UPDATE outreach.sequences SET approval_id = NULL'],
    ['of a sequence that is paused', "UPDATE outreach.sequences SET status = 'paused'"],
  ])('and is neither planned, claimed nor marked if its approval is %s', async (_, change) => {
    const scene = await live();
    await scene.sequence(['bo@acme.test']);
    const { lease, message } = await claimed(scene);
    await scene.sql(`${change} WHERE org_id = $1 AND mode = $2`);
    expect(await parts.messages.markMessage(lease, message)).toBe(false);
    await parts.messages.handBack(lease, message);
    expect(await parts.messages.claimMessages(lease)).toBeNull();
    await scene.sql('DELETE FROM outreach.messages WHERE org_id = $1 AND mode = $2');
    expect(await parts.planner.planNext(lease)).toBe(false);
    const days = await scene.sql('SELECT 1 FROM outreach.sending_days WHERE org_id = $1 AND mode = $2');
    expect(days).toEqual([]);
  });

  it('and is written again under the new one if it was planned under an earlier one', async () => {
    const scene = await live();
    const { sequenceId } = await scene.sequence(['bo@acme.test']);
    const { lease, message } = await claimed(scene);
    await parts.messages.handBack(lease, message);
    const approvalId = newId('apr');
    await scene.approval(approvalId, { sequenceId, messages: 1 });
    const steps = [{ delay_days: 0, subject: 'Other', body: 'New {{ name }}' }];
    await scene.sql(
      `WITH e AS (UPDATE outreach.enrollments SET approval_id = $3 WHERE org_id = $1 AND mode = $2)
       UPDATE outreach.sequences SET approval_id = $3, definition = $4 WHERE org_id = $1 AND mode = $2`,
      [approvalId, JSON.stringify({ steps })],
    );
    await parts.leases.releaseLease(lease, 0);
    await parts.sender.takeTurn(scene.turn);
    expect(server.accepted).toHaveLength(1);
    expect(server.accepted[0]!.raw).toMatch(/Subject: Other[\s\S]*New Bo/);
    expect(await scene.threads()).toMatchObject([{ subject: 'Other' }]);
  });
});

describe('a message that was claimed before a pause', () => {
  it.each(['is handed back', 'has its claim run out'])(
    'and %s once the sequence is active again, is sent under the new approval',
    async (end) => {
      const scene = await live();
      const { sequenceId } = await scene.sequence(['bo@acme.test']);
      const { lease, message } = await claimed(scene);
      const api = new SequenceScene(test.database);
      await api.sequences.pauseSequence(scene.ctx, sequenceId);
      await api.start(scene.ctx, sequenceId);
      expect(await parts.messages.markMessage(lease, message)).toBe(false);
      if (end === 'is handed back') await parts.messages.handBack(lease, message);
      else {
        await scene.lapse();
        await parts.messages.reapMessages();
      }
      await parts.leases.releaseLease(lease, 0);
      await parts.sender.takeTurn(scene.turn);
      expect(await scene.states()).toEqual(['sent']);
      expect(server.accepted.map(({ recipient }) => recipient)).toEqual(['bo@acme.test']);
    },
  );
});

describe('a sequence whose last contact is stopped while a message to them is being sent', () => {
  const accepted = { kind: 'accepted', code: 250, reply: 'ok' } as const;
  const refused = {
    kind: 'refused',
    stage: 'recipient',
    isPermanent: false,
    code: 450,
    status: null,
    reply: 'later',
  } as const;
  type Claim = Awaited<ReturnType<typeof claimed>>;
  const settle = async ({ lease, message }: Claim, outcome: SendOutcome) =>
    void (await parts.messages.settleMessage(lease, message, outcome, null));

  it.each<[string, boolean, (scene: MailScene, claim: Claim) => Promise<void>, string]>([
    ['handed back', false, (_, { lease, message }) => parts.messages.handBack(lease, message), 'cancelled'],
    [
      'excluded',
      false,
      (_, { lease, message }) => parts.messages.excludeContact(lease, message),
      'cancelled',
    ],
    ['taken by the server', true, (_, claim) => settle(claim, accepted), 'sent'],
    ['refused for now', true, (_, claim) => settle(claim, refused), 'cancelled'],
    [
      'given up before the mark',
      false,
      (scene) => scene.lapse().then(() => parts.messages.reapMessages()),
      'cancelled',
    ],
    [
      'given up behind the mark',
      true,
      (scene) => scene.lapse().then(() => parts.messages.reapMessages()),
      'unknown',
    ],
  ])('is completed when the message is %s', async (_, isMarked, end, state) => {
    const scene = await live();
    const steps = [0, 3].map((delay_days) => ({ delay_days, subject: 'A subject', body: 'Hello' }));
    const { sequenceId } = await scene.sequence(['bo@acme.test'], { steps });
    const claim = await claimed(scene);
    if (isMarked) expect(await parts.messages.markMessage(claim.lease, claim.message)).toBe(true);
    await new SequenceScene(test.database).contacts.stopContact(scene.ctx, { email: 'bo@acme.test' });
    const status = () =>
      scene.sql('SELECT status FROM outreach.sequences WHERE org_id = $1 AND mode = $2 AND id = $3', [
        sequenceId,
      ]);
    expect(await status()).toEqual([{ status: 'active' }]);
    await end(scene, claim);
    expect(await scene.states()).toEqual([state]);
    expect(await status()).toEqual([{ status: 'completed' }]);
  });

  it.each<[string, string, (scene: MailScene) => Promise<() => Promise<unknown>>, string[]]>([
    [
      'messages',
      'Hello',
      async (scene) => {
        const claim = await claimed(scene);
        return () => settle(claim, refused);
      },
      ['deferred'],
    ],
    [
      'enrollments',
      '{{ missing }}',
      async (scene) => {
        const lease = (await parts.leases.claimTurn(scene.turn))!;
        return () => parts.planner.planNext(lease);
      },
      [],
    ],
  ])('is locked before its %s, as pausing and marking do', async (rows, body, prepared, states) => {
    const scene = await live();
    const steps = [{ delay_days: 0, subject: 'A subject', body }];
    const { sequenceId } = await scene.sequence(['bo@acme.test'], { steps });
    const work = await prepared(scene);
    const lockSequence = 'SELECT FROM outreach.sequences WHERE id = $1 FOR UPDATE';
    const first = (tx: TxCtx) => test.database.query(tx, lockSequence, [sequenceId]);
    await runBehind(test.database, scene.ctx, first, work, {
      meanwhile: (tx) => {
        const lock = `SELECT FROM outreach.${rows} WHERE sequence_id = $1 FOR UPDATE NOWAIT`;
        return test.database.query(tx, lock, [sequenceId]);
      },
    });
    expect(await scene.states()).toEqual(states);
  });
});

describe('I3: a suppressed contact gets no message', () => {
  const rivals = {
    suppressed: (scene: MailScene) =>
      test.database.transaction(scene.ctx, (tx) =>
        parts.suppressions.suppressAddress(tx, 'bo@acme.test', 'unsubscribed'),
      ),
    'a company that is': (scene: MailScene) =>
      parts.suppressions.addSuppressions(scene.ctx, { domains: ['acme.test'] }),
    answering: (scene: MailScene) =>
      test.database.transaction(scene.ctx, (tx) =>
        new EnrollmentProgress(test.database).endEnrollments(
          tx,
          { kind: 'address', value: 'bo@acme.test' },
          'replied',
          'reply',
        ),
      ),
    paused: async (scene: MailScene) =>
      scene.sql(
        "UPDATE outreach.sequences SET status = 'paused', approval_id = NULL WHERE org_id = $1 AND mode = $2",
      ),
  };

  it.each(Object.keys(rivals) as Array<keyof typeof rivals>)(
    'since the mark for sending waits for an open transaction, and fails: %s',
    async (name) => {
      const scene = await live();
      await scene.sequence(['bo@acme.test']);
      const { lease, message } = await claimed(scene);
      const writeAll = (tx: TxCtx) =>
        rivals[name]({
          ...scene,
          ctx: tx,
          sql: (text: string) => test.database.query(tx, text, [tx.orgId, tx.mode]),
        } as never);
      const mark = () => parts.messages.markMessage(lease, message);
      expect(await runBehind(test.database, scene.ctx, writeAll, mark)).toBe(false);
    },
  );

  it('whichever comes first, suppression or mark, in any interleaving', async () => {
    let scene = await live();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(Object.keys(rivals) as Array<keyof typeof rivals>)),
        fc.array(fc.boolean(), { minLength: 2, maxLength: 6 }),
        async (name, turns) => {
          scene = await live();
          await scene.sequence(['bo@acme.test']);
          const { lease, message } = await claimed(scene);
          let isRivalDone = false;
          let begunAfter = false;
          const steps = {
            rival: () => rivals[name](scene).then(() => (isRivalDone = true)),
            mark: () => {
              begunAfter = isRivalDone;
              return parts.messages.markMessage(lease, message);
            },
          };
          const running: Array<Promise<unknown>> = [];
          let marking: Promise<boolean> | null = null;
          let rival: Promise<unknown> | null = null;
          for (const isMark of [...turns, true, false]) {
            if (isMark) running.push((marking ??= steps.mark()));
            else running.push((rival ??= steps.rival()));
            await new Promise((resolve) => setImmediate(resolve));
            if (turns.length % 2 === 0) await test.database.query(scene.ctx, 'SELECT 1');
          }
          await Promise.all(running);
          const isMarked = await marking!;
          expect(begunAfter && isMarked).toBe(false);
          expect(await scene.states()).toEqual([isMarked ? 'sending' : 'claimed']);
          await parts.messages.handBack(lease, message);
          expect(await parts.messages.claimMessages(lease)).toBeNull();
        },
      ),
      { numRuns: RACES },
    );
  }, 900_000);

  it('nor does a contact whom an exclusion list has named since', async () => {
    const scene = await live();
    await scene.sequence(['bo@acme.test', 'al@other.test']);
    exclusions.domains.add('acme.test');
    await parts.sender.takeTurn(scene.turn);
    expect(await scene.states()).toEqual(['cancelled', 'sent']);
    expect(await scene.enrollments()).toMatchObject([
      { status: 'stopped', reason: 'excluded' },
      { status: 'finished' },
    ]);
  });
});

describe('I4: the daily limit', () => {
  it('of a mailbox follows its local day, and refused messages do not count', async () => {
    const scene = await live({ limit: 3, timeZone: 'Pacific/Pago_Pago' });
    await scene.sequence(people(8));
    server.script = (point, { recipient }) =>
      point === 'dot' && recipient === 'p0@acme.test' ? '554 5.6.0 no' : null;
    await parts.sender.takeTurn(scene.turn);
    expect(server.accepted).toHaveLength(3);
    await parts.sender.takeTurn(scene.turn);
    expect(server.accepted).toHaveLength(3);
    // In this time zone it is already another day: midnight has passed.
    await scene.sql(
      "UPDATE outreach.mailboxes SET time_zone = 'Pacific/Kiritimati' WHERE org_id = $1 AND mode = $2",
    );
    await parts.sender.takeTurn(scene.turn);
    expect(server.accepted).toHaveLength(6);
    const days = await scene.sql<{ started: number }>(
      'SELECT started FROM outreach.sending_days WHERE org_id = $1 AND mode = $2 AND owner_id = $3',
      [scene.mailboxId],
    );
    expect(days).toEqual([{ started: 3 }, { started: 3 }]);
  });

  it('of a sequence is not exceeded', async () => {
    const scene = await live();
    await scene.sequence(people(4), { dailyLimit: 2 });
    await parts.sender.takeTurn(scene.turn);
    expect(server.accepted).toHaveLength(2);
  });

  it('of a new mailbox is ten on the first day, and ten more on each further day', async () => {
    const scene = await live({ limit: 25, rampUp: true });
    await scene.sequence(people(60));
    await parts.sender.takeTurn(scene.turn);
    expect(server.accepted).toHaveLength(10);
    const pass = (days: number) =>
      scene.sql(
        `WITH d AS (UPDATE outreach.sending_days SET day = day - $3::integer WHERE org_id = $1 AND mode = $2)
         UPDATE outreach.mailboxes SET first_day = first_day - $3::integer WHERE org_id = $1 AND mode = $2`,
        [days],
      );
    await pass(1);
    await parts.sender.takeTurn(scene.turn);
    expect(server.accepted).toHaveLength(30);
    await pass(5);
    await parts.sender.takeTurn(scene.turn);
    expect(server.accepted).toHaveLength(55);
  }, 60_000);
});

describe('I5: the sending window', () => {
  it('is closed on a weekday that it does not name', async () => {
    const scene = await live();
    await scene.sequence(['bo@acme.test'], { window: { days: [], from: '00:00', to: '24:00' } });
    await parts.sender.takeTurn(scene.turn);
    expect(await scene.messages()).toEqual([]);
    expect(server.connections).toBe(0);
  });

  // Start and end of daylight saving time, north and south, and a time zone that moves by half an hour.
  it.each([
    [
      'Europe/Berlin',
      '2026-03-29',
      '01:30',
      ['2026-03-29T00:30:00Z'],
      ['2026-03-29T00:29:59Z', '2026-03-29T01:00:00Z'],
    ],
    [
      'Europe/Berlin',
      '2026-10-25',
      '02:30',
      ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
      ['2026-10-25T01:00:00Z'],
    ],
    [
      'America/New_York',
      '2026-11-01',
      '01:30',
      ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z'],
      ['2026-11-01T06:00:00Z'],
    ],
    [
      'Australia/Lord_Howe',
      '2026-04-05',
      '01:30',
      ['2026-04-04T14:30:00Z', '2026-04-04T15:00:00Z'],
      ['2026-04-04T14:29:59Z'],
    ],
    ['Australia/Sydney', '2026-10-04', '03:00', ['2026-10-03T16:00:00Z'], ['2026-10-03T15:59:59Z']],
  ])('in %s on %s opens at %s local time', async (zone, _, from, open, closed) => {
    const isOpen = async (time: string): Promise<boolean> => {
      const [hour, minute] = from.split(':').map(Number);
      const to = `${String(hour! + (minute! + 30 >= 60 ? 1 : 0)).padStart(2, '0')}:${String((minute! + 30) % 60).padStart(2, '0')}`;
      const [row] = await test.database.query<{ open: boolean }>(
        { ...(await live()).ctx },
        `SELECT outreach.is_window_open($1::timestamptz, $2, '{1,2,3,4,5,6,7}', $3::time, $4::time) AS open`,
        [time, zone, from, to],
      );
      return row!.open;
    };
    for (const time of open) expect([time, await isOpen(time)]).toEqual([time, true]);
    for (const time of closed) expect([time, await isOpen(time)]).toEqual([time, false]);
  });
});

describe('I8: a message with unknown delivery', () => {
  it('never becomes anything that can be sent again', async () => {
    const scene = await live();
    await scene.sequence(['bo@acme.test']);
    server.script = at('dot', 'cut');
    await parts.sender.takeTurn(scene.turn);
    for (const state of ['planned', 'claimed', 'sending', 'deferred'])
      await expect(
        scene.sql('UPDATE outreach.messages SET state = $3 WHERE org_id = $1 AND mode = $2', [state]),
      ).rejects.toThrow(/cannot become|violates check/);
  });
});

describe('a pause', () => {
  it('keeps planned messages from starting, while many are about to be sent', async () => {
    const scenes = await Promise.all(Array.from({ length: 20 }, () => live()));
    for (const scene of scenes) await scene.sequence(['bo@acme.test']);
    const gate = Promise.withResolvers<null>();
    let waiting = 0;
    server.script = (point) => {
      if (point !== 'data') return null;
      waiting += 1;
      return gate.promise;
    };
    const turns = scenes.map((scene) => parts.sender.takeTurn(scene.turn));
    await waitFor('all to be on their way', () => Promise.resolve(waiting === 20));
    for (const scene of scenes)
      await scene.sql(
        "UPDATE outreach.sequences SET status = 'paused', approval_id = NULL WHERE org_id = $1 AND mode = $2",
      );
    gate.resolve(null);
    await Promise.all(turns);
    expect(server.begun).toEqual([]);
    for (const scene of scenes) expect(await scene.states()).toEqual(['planned']);
  });

  it('of the process lets started messages end, and releases the rest', async () => {
    const [scene, worker] = [await live(), newWorker()];
    await scene.sequence(people(2));
    const gate = Promise.withResolvers<null>();
    const reached = Promise.withResolvers<void>();
    server.script = (point) => {
      if (point !== 'dot') return null;
      reached.resolve();
      return gate.promise;
    };
    const turn = worker.sender.takeTurn(scene.turn);
    await reached.promise;
    const stop = worker.sender.stopWork();
    gate.resolve(null);
    await Promise.all([turn, stop]);
    expect(await scene.states()).toEqual(['sent']);
    await parts.sender.takeTurn(scene.turn);
    expect(await scene.states()).toEqual(['sent', 'sent']);
  });
});

describe('the response of a mail server', () => {
  it('that is temporary causes four retries, after 1, 5, 15 and 60 minutes, and then the message fails', async () => {
    const scene = await live();
    await scene.sequence(['bo@acme.test']);
    server.script = at('rcpt', '451 4.7.1 greylisted');
    const waits: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      await parts.sender.takeTurn(scene.turn);
      const [{ due_at: due } = { due_at: null }] = await scene.messages();
      if (due) waits.push(Math.round((due.getTime() - Date.now()) / 60_000));
      await scene.makeDue();
    }
    expect(waits).toEqual([1, 5, 15, 60]);
    expect(await scene.states()).toEqual(['rejected']);
    expect(await scene.enrollments()).toMatchObject([{ status: 'failed', reason: 'undeliverable' }]);
  });

  it('that names an unknown recipient suppresses the address, and six in a hundred pause the mailbox', async () => {
    const scene = await live();
    await scene.sequence(people(7));
    server.script = at('rcpt', '550 5.1.1 no such user');
    await parts.sender.takeTurn(scene.turn);
    expect(await scene.states()).toEqual(Array(6).fill('rejected'));
    expect((await scene.suppressions()).map(({ reason }) => reason)).toEqual(Array(6).fill('hard_bounce'));
    expect((await scene.enrollments()).map(({ status }) => status)).toEqual([
      ...Array<string>(6).fill('bounced'),
      'active',
    ]);
    expect(await scene.mailbox()).toMatchObject({ status: 'paused' });
  });

  it('that cites a policy fails the enrollment, and suppresses nobody', async () => {
    const scene = await live();
    await scene.sequence(['bo@acme.test']);
    server.script = at('rcpt', '550 5.7.1 no');
    await parts.sender.takeTurn(scene.turn);
    expect(await scene.enrollments()).toMatchObject([{ status: 'failed', reason: 'refused' }]);
    expect(await scene.suppressions()).toEqual([]);
  });

  it('that refuses the login stops the mailbox at once, and five failed connections in a row do too', async () => {
    const [refused, gone] = [await live(), await live()];
    for (const scene of [refused, gone]) await scene.sequence(['bo@acme.test']);
    server.script = at('auth', '535 5.7.8 no');
    await parts.sender.takeTurn(refused.turn);
    expect(await refused.mailbox()).toMatchObject({ status: 'failing' });
    expect(await refused.states()).toEqual(['planned']);
    server.script = at('greeting', 'cut');
    for (let i = 1; i <= 5; i += 1) {
      expect(await gone.mailbox()).toMatchObject({ status: 'connected', failures: i - 1 });
      await parts.sender.takeTurn(gone.turn);
      await gone.makeDue();
    }
    expect(await gone.mailbox()).toMatchObject({ status: 'failing' });
    expect(await gone.states()).toEqual(['deferred']);
  });
});

describe('messages to a contact', () => {
  it('are in one thread, each with an unsubscribe link', async () => {
    const scene = await live();
    const steps = [
      { delay_days: 0, subject: 'Hello {{ name }}', body: 'First' },
      { delay_days: 2, subject: null, body: 'Second' },
    ];
    await scene.sequence(['bo@acme.test'], { steps });
    await parts.sender.takeTurn(scene.turn);
    expect(await scene.enrollments()).toMatchObject([{ status: 'active', step: 1 }]);
    await parts.sender.takeTurn(scene.turn);
    expect(server.accepted).toHaveLength(1);
    await scene.makeDue();
    await parts.sender.takeTurn(scene.turn);
    const [first, second] = await scene.messages();
    expect(second).toMatchObject({
      subject: 'Re: Hello Bo',
      in_reply_to: first!.rfc_message_id,
      reference_ids: [first!.rfc_message_id],
    });
    expect(await scene.enrollments()).toMatchObject([{ status: 'finished', step: 2, next_at: null }]);
    for (const { raw } of server.accepted)
      expect(raw).toMatch(
        /List-Unsubscribe: <https:\/\/quarry\.test\/u\/token-[\s\S]*List-Unsubscribe-Post/i,
      );
    const sequences = await scene.sql<{ status: string }>(
      'SELECT status FROM outreach.sequences WHERE org_id = $1 AND mode = $2',
    );
    expect(sequences).toEqual([{ status: 'completed' }]);
  });

  it('end if a template has no value for a variable', async () => {
    const scene = await live();
    await scene.sequence(['bo@acme.test'], {
      steps: [{ delay_days: 0, subject: 'x', body: '{{ missing }}' }],
    });
    await parts.sender.takeTurn(scene.turn);
    expect(await scene.enrollments()).toMatchObject([{ status: 'failed', reason: 'template_error' }]);
    expect(server.connections).toBe(0);
  });

  it('from a draft are sent without a window, under their own approval, and count towards the daily limit', async () => {
    const scene = await live({ limit: 1 });
    const [threadId, draftId, approvalId] = [newId('thr'), newId('drf'), newId('apr')];
    const digest = 'd'.repeat(64);
    await scene.approval(approvalId, { draftId, messages: 1, digest });
    await scene.sql(
      `WITH t AS (INSERT INTO outreach.threads (org_id, mode, id, mailbox_id, contact_email, subject) VALUES ($1, $2, $3, $4, 'bo@acme.test', 's') RETURNING id),
       d AS (INSERT INTO outreach.drafts (org_id, mode, id, thread_id, to_address, subject, body_text, digest, approval_id)
         SELECT $1, $2, $5, t.id, 'bo@acme.test', 's', 'b', $6, $7 FROM t)
       INSERT INTO outreach.messages (org_id, mode, id, thread_id, mailbox_id, direction, draft_id, approval_id, state, rfc_message_id,
         from_address, to_address, subject, body_text, due_at)
       SELECT $1, $2, $8, t.id, $4, 'out', $5, $7, 'planned', $8, 'ann@sender.test', 'bo@acme.test', 's', 'b', now() FROM t`,
      [threadId, scene.mailboxId, draftId, digest, approvalId, newId('msg')],
    );
    await scene.sequence(['al@acme.test']);
    await parts.sender.takeTurn(scene.turn);
    expect(server.accepted.map(({ recipient }) => recipient)).toEqual(['bo@acme.test']);
    expect(server.accepted[0]!.raw).not.toMatch(/List-Unsubscribe/i);
  });
});
