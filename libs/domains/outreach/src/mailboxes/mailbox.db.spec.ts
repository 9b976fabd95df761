import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  MAILBOXES_MAX,
  Person,
  type Actor,
  type ChangeMailboxRequest,
  type ConnectMailboxRequest,
} from '@quarry/dto';
import { CursorSigner, SealedSecrets, type Ctx } from '@quarry/app';
import { MailboxReader, MailTransport, type DomainRecords, type MailServer } from '@quarry/mail';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { eraseFromOutreach } from '../erase-from-outreach.js';
import { ALL, outreachParts, MailScene } from '../mail-scene.fixture.js';
import { outreachRetention } from '../outreach-retention.js';
import { openMailboxSecrets } from './mailbox-secrets.js';
import { MailboxStore } from './mailbox.store.js';
import { resealMailboxes } from './reseal-mailboxes.js';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const ACTOR: Actor = { userId: 'usr_1', role: 'owner', sessionId: 'session_1' };
const server = (password: string) => ({
  host: 'Mail.sender.test',
  port: 465,
  security: 'tls' as const,
  user: 'ann',
  password,
});
const BODY: ConnectMailboxRequest = { address: 'Ann@Sender.test', smtp: server('one'), imap: server('two') };
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const RECORD = { status: 'good', explanation: 'Found.' };

interface Shown {
  id: string;
  status: string;
  limit_today: number;
  sent_today: number;
  domain: object | null;
  signs: boolean;
  time_zone: string;
}

/** Login attempts, at servers that accept the passwords `one` and `two`. */
const tried: MailServer[] = [];
let duringLogin: () => Promise<unknown> = () => Promise.resolve();
const tryLogin = async (known: MailServer): Promise<string | null> => {
  tried.push(known);
  await duringLogin();
  return ['one', 'two'].includes(known.password) ? null : 'The server did not accept the password.';
};
class Transport extends MailTransport {
  sendMessage = () => Promise.reject(new Error('Nothing is sent.'));
  tryLogin = tryLogin;
}
class Reader extends MailboxReader {
  readNew = () => Promise.reject(new Error('Nothing is read.'));
  tryLogin = tryLogin;
}

const test = useTestDatabase();
let store: MailboxStore;
let count = 0;
const newCtx = (mode: 'live' | 'test' = 'live'): Ctx => testCtx(`org_mbx_${++count}`, { mode });
const storeWith = (keys: string[]) =>
  new MailboxStore(
    test.database,
    new CursorSigner([{ id: 'k', secret: 's' }]),
    new SealedSecrets(keys),
    new Transport(),
    new Reader(),
    {
      checkDomain: () => Promise.resolve({ spf: RECORD, dkim: RECORD, dmarc: RECORD }),
    } as unknown as DomainRecords,
  );
const connect = async (ctx: Ctx, body: ConnectMailboxRequest = BODY) =>
  JSON.parse(await store.connectMailbox(ctx, ACTOR, body)) as Shown;
const change = async (ctx: Ctx, id: string, body: ChangeMailboxRequest) =>
  JSON.parse(await store.changeMailbox(ctx, ACTOR, id, body)) as Shown;
const list = async (ctx: Ctx, cursor: string | null = null, limit = 2) =>
  JSON.parse(await store.listMailboxes(ctx, { limit, cursor })) as {
    items: Shown[];
    next_cursor: string | null;
  };
const rowOf = async ({ orgId }: Ctx) =>
  (await test.database.queryOne<{ sealed_secrets: string | null; status: string; smtp: object | null }>(
    ALL,
    'SELECT sealed_secrets, status, smtp FROM outreach.mailboxes WHERE org_id = $1',
    [orgId],
  ))!;

beforeAll(() => {
  store = storeWith([OLD]);
});

describe('a mailbox', () => {
  it('is connected after both logins succeed, shows what its domain says, and neither shows nor stores a password', async () => {
    const ctx = newCtx();
    const made = await connect(ctx, { ...BODY, dkim: { selector: 's1', private_key: PEM } });
    expect(made).toMatchObject({
      address: 'ann@sender.test',
      status: 'connected',
      daily_limit: 50,
      limit_today: 10,
      sent_today: 0,
    });
    expect(made).toMatchObject({
      gap_seconds: 60,
      ramp_up: true,
      time_zone: 'UTC',
      signs: true,
      domain: { spf: RECORD },
    });
    const row = await rowOf(ctx);
    expect(JSON.stringify([made, row.smtp])).not.toMatch(/"one"|"two"|PRIVATE|password/);
    const opened = openMailboxSecrets(new SealedSecrets([OLD]), { ...ctx, id: made.id }, row.sealed_secrets!);
    expect(opened).toEqual({ smtp_password: 'one', imap_password: 'two', dkim_key: PEM });
    const audit = await test.database.query(
      ALL,
      'SELECT action, facts FROM identity.audit_events WHERE org_id = $1',
      [ctx.orgId],
    );
    expect(audit).toEqual([{ action: 'mailbox.connected', facts: { user: 'usr_1' } }]);
  });

  it('in test mode has no server and no gap, and needs no encryption key of the operator', async () => {
    const made = await storeWith([]).connectMailbox(newCtx('test'), ACTOR, { address: 'ann@sender.test' });
    expect(JSON.parse(made)).toMatchObject({ gap_seconds: 0, domain: null, signs: false });
    await expect(connect(newCtx('test'))).rejects.toThrow(/smtp must be left out in test mode/);
  });

  it.each<[string, Partial<ConnectMailboxRequest>]>([
    ['smtp: The server did not accept the password.', { smtp: server('wrong') }],
    ['imap: The server did not accept the password.', { imap: server('wrong') }],
    ['smtp is required', { smtp: undefined }],
    ['address must be an e-mail address', { address: 'ann' }],
    ['time_zone must be an IANA time zone', { time_zone: '+01:00' }],
    ['time_zone must be an IANA time zone', { time_zone: 'CAT' }],
    ['time_zone must be an IANA time zone', { time_zone: 'Europe/Nowhere' }],
    ['dkim.private_key must be a private key in PEM', { dkim: { selector: 's1', private_key: 'x' } }],
  ])('is refused: %s', async (message, fault) => {
    await expect(connect(newCtx(), { ...BODY, ...fault })).rejects.toThrow(message);
  });

  it('is refused if no encryption key is configured', async () => {
    await expect(storeWith([]).connectMailbox(newCtx(), ACTOR, BODY)).rejects.toThrow(
      /has not set ENCRYPTION_KEYS/,
    );
  });

  it('is connected once per address, and can be again after removal, which deletes its secrets', async () => {
    const ctx = newCtx();
    const { id } = await connect(ctx);
    await expect(connect(ctx)).rejects.toThrow(/is already connected/);
    await store.removeMailbox(ctx, ACTOR, id);
    expect(await rowOf(ctx)).toEqual({ sealed_secrets: null, status: 'removed', smtp: null });
    await expect(store.removeMailbox(ctx, ACTOR, id)).rejects.toMatchObject({ code: 'not_found' });
    await connect(ctx);
    expect((await list(ctx)).items).toHaveLength(1);
  });

  it('counts towards a limit of fifty', async () => {
    const ctx = newCtx('test');
    for (let i = 0; i < MAILBOXES_MAX; i += 1) await connect(ctx, { address: `a${i}@sender.test` });
    await expect(connect(ctx, { address: 'more@sender.test' })).rejects.toThrow(/which is the limit/);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof list>> = await list(ctx, cursor, 20);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(MAILBOXES_MAX);
  });

  it('is changed only after a login with the stored secrets, and is active again', async () => {
    const ctx = newCtx();
    const { id } = await connect(ctx);
    tried.length = 0;
    await expect(change(ctx, id, { smtp: server('wrong') })).rejects.toThrow(/smtp: /);
    expect(tried.map(({ password }) => password)).toEqual(['wrong', 'two']);
    expect(await change(ctx, id, { status: 'paused', daily_limit: 7 })).toMatchObject({
      status: 'paused',
      limit_today: 7,
    });
    await test.database.query(
      ALL,
      "UPDATE outreach.mailboxes SET status = 'failing', failures = 5 WHERE id = $1",
      [id],
    );
    tried.length = 0;
    expect(await change(ctx, id, { status: 'connected', imap: server('one') })).toMatchObject({
      status: 'connected',
    });
    expect(tried.map(({ password }) => password)).toEqual(['one', 'one']);
    const { sealed_secrets: sealed } = await rowOf(ctx);
    expect(openMailboxSecrets(new SealedSecrets([OLD]), { ...ctx, id }, sealed!)).toMatchObject({
      imap_password: 'one',
    });
  });

  it('that failed becomes active when its servers accept the login, and a paused one stays paused', async () => {
    const ctx = newCtx();
    const { id } = await connect(ctx);
    for (const [before, after] of [
      ['failing', 'connected'],
      ['paused', 'paused'],
    ] as const) {
      const sql =
        "UPDATE outreach.mailboxes SET status = $2, status_reason = 'x', failures = 5 WHERE id = $1";
      await test.database.query(ALL, sql, [id, before]);
      expect(await change(ctx, id, { name: 'Ann' })).toMatchObject({ status: before });
      expect(await change(ctx, id, { smtp: server('one') })).toMatchObject({ status: after });
    }
  });

  it('stays paused if it is paused while a login is tried', async () => {
    const ctx = newCtx();
    const { id } = await connect(ctx);
    await test.database.query(ALL, "UPDATE outreach.mailboxes SET status = 'failing' WHERE id = $1", [id]);
    duringLogin = () => change(ctx, id, { status: 'paused' });
    const changed = await change(ctx, id, { smtp: server('one') }).finally(
      () => (duringLogin = () => Promise.resolve()),
    );
    expect(changed).toMatchObject({ status: 'paused' });
  });

  it('is invisible to another organisation and to the other mode', async () => {
    const ctx = newCtx();
    const { id } = await connect(ctx);
    for (const other of [newCtx(), { ...ctx, mode: 'test' as const }]) {
      expect((await list(other)).items).toEqual([]);
      await expect(store.changeMailbox(other, ACTOR, id, { name: 'x' })).rejects.toMatchObject({
        code: 'not_found',
      });
      await expect(store.removeMailbox(other, ACTOR, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('loses its name and its signature when they are removed, and nothing else', async () => {
    const ctx = newCtx();
    const { id } = await connect(ctx, { ...BODY, name: 'Ann', dkim: { selector: 's1', private_key: PEM } });
    const secrets = async () =>
      openMailboxSecrets(new SealedSecrets([OLD]), { ...ctx, id }, (await rowOf(ctx)).sealed_secrets!);
    expect(await change(ctx, id, { daily_limit: 7 })).toMatchObject({ name: 'Ann', signs: true });
    expect(await change(ctx, id, { name: null })).toMatchObject({ name: null, signs: true, daily_limit: 7 });
    expect(await secrets()).toMatchObject({ dkim_key: PEM });
    expect(await change(ctx, id, { dkim: null })).toMatchObject({ signs: false, daily_limit: 7 });
    expect(await secrets()).toMatchObject({ smtp_password: 'one', dkim_key: null });
  });

  it('has its secrets re-encrypted with a new key', async () => {
    const ctx = newCtx();
    const { id } = await connect(ctx);
    expect((await resealMailboxes(test.database, new SealedSecrets([NEW, OLD]))).resealed).toBeGreaterThan(0);
    const { sealed_secrets: sealed } = await rowOf(ctx);
    expect(openMailboxSecrets(new SealedSecrets([NEW]), { ...ctx, id }, sealed!)).toMatchObject({
      smtp_password: 'one',
    });
    expect((await resealMailboxes(test.database, new SealedSecrets([NEW, OLD]))).resealed).toBe(0);
  });
});

describe('retention of mail', () => {
  const written = async () => {
    const [scene, parts] = [await MailScene.open(test), outreachParts(test)];
    await scene.sequence(['reply+bo@sandbox.test', 'bounce+al@sandbox.test']);
    await parts.sender.takeTurn(scene.turn);
    await parts.inbox.takeTurn(scene.turn);
    return scene;
  };
  const rows = async (scene: MailScene, table: string) =>
    (
      await scene.sql<{ n: number }>(
        `SELECT count(*)::int AS n FROM outreach.${table} WHERE org_id = $1 AND mode = $2`,
      )
    )[0]!.n;

  it('deletes mail after its days, and not a day before', async () => {
    const scene = await written();
    const run = async () => {
      for (const { removeSome } of outreachRetention(test.database, { mailDays: 100 }))
        while (await removeSome());
    };
    const age = (days: number) =>
      scene.sql(
        `WITH m AS (UPDATE outreach.messages SET ended_at = now() - make_interval(days => $3) WHERE org_id = $1 AND mode = $2),
         t AS (UPDATE outreach.threads SET last_at = now() - make_interval(days => $3) WHERE org_id = $1 AND mode = $2),
         s AS (UPDATE outreach.seen_mails SET seen_at = now() - make_interval(days => $3) WHERE org_id = $1 AND mode = $2)
         UPDATE outreach.sink_mails SET created_at = now() - make_interval(days => $3) WHERE org_id = $1 AND mode = $2`,
        [days],
      );
    const left = () =>
      Promise.all(['messages', 'threads', 'seen_mails', 'sink_mails'].map((table) => rows(scene, table)));
    await age(29);
    await run();
    expect(await left()).toEqual([4, 2, 2, 2]);
    await age(99);
    await run();
    expect(await left()).toEqual([4, 2, 2, 0]);
    await age(101);
    await run();
    expect(await left()).toEqual([0, 0, 0, 0]);
    expect(await rows(scene, 'enrollments')).toBe(2);
  });

  it("erases a person's mail with the person, and keeps the address suppressed", async () => {
    const scene = await written();
    const person = Person.of({ email: 'bounce+al@sandbox.test' });
    expect(await eraseFromOutreach(test.database, scene.ctx, person)).toEqual({ contacts: 1, threads: 1 });
    expect((await scene.enrollments()).map(({ email }) => email)).toEqual(['reply+bo@sandbox.test']);
    expect((await scene.messages()).map(({ to_address: to }) => to)).not.toContain('bounce+al@sandbox.test');
    expect(await scene.suppressions()).toEqual([{ value: null, reason: 'hard_bounce' }]);
    expect(await rows(scene, 'sink_mails')).toBe(1);
    await scene.sequence(['bounce+al@sandbox.test']);
    await outreachParts(test).sender.takeTurn(scene.turn);
    expect((await scene.enrollments()).at(-1)).toMatchObject({ status: 'stopped', reason: 'suppressed' });
  });

  it("erases a person from other contacts' rows and keeps those contacts; the person stays suppressed", async () => {
    const scene = await written();
    await scene.sql(
      `UPDATE outreach.enrollments SET variables = '{"referrer": "sent by Ann <ann@acme.example>"}'
       WHERE org_id = $1 AND mode = $2 AND email LIKE 'bounce%'`,
    );
    await scene.sequence(['ann@acme.example']);
    const person = Person.of({ email: 'Ann@acme.example' });
    expect(await eraseFromOutreach(test.database, scene.ctx, person)).toEqual({ contacts: 2, threads: 0 });
    expect((await scene.enrollments()).map(({ email }) => email).sort()).toEqual([
      'bounce+al@sandbox.test',
      'reply+bo@sandbox.test',
    ]);
    expect(
      await scene.sql(
        `SELECT 1 FROM outreach.enrollments WHERE org_id = $1 AND mode = $2 AND variables::text LIKE '%ann@%'`,
      ),
    ).toEqual([]);
    expect(await rows(scene, 'threads')).toBe(2);
    expect(await scene.suppressions()).toContainEqual({ value: null, reason: 'manual' });
    await scene.sequence(['ann@acme.example']);
    await outreachParts(test).sender.takeTurn(scene.turn);
    expect((await scene.enrollments()).at(-1)).toMatchObject({ status: 'stopped', reason: 'suppressed' });
  });
});
