import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AddressGuard, DnsClient } from '@quarry/safe-http';
import {
  NameServer,
  ScriptedSmtpServer,
  TestAuthority,
  waitFor,
  type SmtpPoint,
  type SmtpTurn,
} from '@quarry/test-servers';
import type { MailServer, SendOutcome } from './mail-transport.port.js';
import { outgoingMail } from './outgoing-mail.fixture.js';
import { SmtpTransport } from './smtp-transport.js';

let authority: TestAuthority;
/** Servers with TLS and pipelining, and with STARTTLS and one command at a time. */
let servers: Record<'tls' | 'starttls', ScriptedSmtpServer>;

beforeAll(async () => {
  authority = TestAuthority.make();
  const account = { cert: authority.cert, key: authority.key, user: 'ada', password: 'secret' };
  servers = {
    tls: await ScriptedSmtpServer.start({ ...account, security: 'tls' }),
    starttls: await ScriptedSmtpServer.start({ ...account, security: 'starttls', extensions: [] }),
  };
});
afterEach(() => {
  for (const server of Object.values(servers)) server.clear();
});
afterAll(async () => {
  for (const server of Object.values(servers)) await server.stop();
  authority.remove();
});

const never = (): AbortSignal => new AbortController().signal;

function accountAt(security: 'tls' | 'starttls', fields: Partial<MailServer> = {}): MailServer {
  const { port } = servers[security];
  return { host: '127.0.0.1', port, security, user: 'ada', password: 'secret', ...fields };
}

function transportTo(...accounts: MailServer[]): SmtpTransport {
  const allowHosts = accounts.map(({ host, port }) => `${host}:${port}`);
  return new SmtpTransport(new AddressGuard({ allowHosts }), { ca: authority.ca });
}

/** Sends one message and counts its marks. */
async function send(
  account: MailServer,
  { signal = never(), mark = () => Promise.resolve(true) } = {},
): Promise<{ outcome: SendOutcome; marks: number }> {
  let marks = 0;
  const outcome = await transportTo(account).sendMessage(
    account,
    outgoingMail(),
    () => {
      marks += 1;
      return mark();
    },
    signal,
  );
  return { outcome, marks };
}

const at =
  (wanted: SmtpPoint, turn: SmtpTurn) =>
  (point: SmtpPoint): SmtpTurn =>
    point === wanted ? turn : null;

describe.each(['tls', 'starttls'] as const)('sending over %s', (security) => {
  it('delivers the message, and marks it once before its first byte', async () => {
    const server = servers[security];
    let begunAtMark = -1;
    const mark = (): Promise<boolean> => {
      begunAtMark = server.begun.length;
      return Promise.resolve(true);
    };
    expect(await send(accountAt(security), { mark })).toEqual({
      outcome: { kind: 'accepted', code: 250, reply: '250 2.0.0 Taken' },
      marks: 1,
    });
    expect(begunAtMark).toBe(0);
    expect(server.accepted).toEqual([
      expect.objectContaining({
        from: 'ada@sender.example',
        recipient: 'grace@customer.example',
        messageId: 'msg_1@sender.example',
      }),
    ]);
    await waitFor('the goodbye', () => Promise.resolve(server.commands.includes('QUIT')));
  });

  it('converts an internationalised domain to ASCII', async () => {
    const account = accountAt(security);
    const mail = outgoingMail({ to: 'grace@müller.example' });
    await transportTo(account).sendMessage(account, mail, () => Promise.resolve(true), never());
    expect(servers[security].accepted[0]).toMatchObject({ recipient: 'grace@xn--mller-kva.example' });
  });

  it.each<[SmtpPoint]>([['greeting'], ['ehlo'], ['auth'], ['mail'], ['rcpt'], ['data']])(
    'reports failed, and marks nothing, if the connection breaks at %s',
    async (point) => {
      servers[security].script = at(point, 'cut');
      expect(await send(accountAt(security))).toEqual({
        outcome: expect.objectContaining({ kind: 'failed', cause: 'connection', code: null }),
        marks: 0,
      });
      expect(servers[security].begun).toEqual([]);
    },
  );

  it.each<[SmtpPoint]>([['body'], ['dot']])(
    'reports unknown, after the mark, if the connection breaks at %s',
    async (point) => {
      servers[security].script = at(point, 'cut');
      expect(await send(accountAt(security))).toEqual({
        outcome: { kind: 'unknown', reply: 'The server closed the connection.' },
        marks: 1,
      });
      expect(servers[security].begun).toHaveLength(1);
    },
  );

  it.each<[SmtpPoint, SmtpTurn, Partial<SendOutcome>, number]>([
    ['greeting', '554 5.3.2 No service', { kind: 'failed', cause: 'connection', code: 554 }, 0],
    ['greeting', '421 4.3.2 Too busy', { kind: 'failed', cause: 'connection', code: 421 }, 0],
    ['ehlo', '421 4.3.2 Too busy', { kind: 'failed', cause: 'connection', code: 421 }, 0],
    ['auth', '535 5.7.8 Wrong', { kind: 'failed', cause: 'login', code: 535 }, 0],
    ['auth', '454 4.7.0 Try later', { kind: 'failed', cause: 'connection', code: 454 }, 0],
    ['auth', '421 4.3.2 Too busy', { kind: 'failed', cause: 'connection', code: 421 }, 0],
    ['mail', '530 5.7.0 Sign in first', { kind: 'failed', cause: 'login', code: 530 }, 0],
    ['mail', '550 5.7.1 Not yours', refused(true, 'sender', 550, '5.7.1'), 0],
    ['mail', '451 4.3.0 Later', refused(false, 'sender', 451, '4.3.0'), 0],
    ['rcpt', '550 5.1.1 No such user', refused(true, 'recipient', 550, '5.1.1'), 0],
    ['rcpt', '450 Grey', refused(false, 'recipient', 450, null), 0],
    // 421 rejects the recipient and also ends the dialog; both are temporary.
    ['rcpt', '421 4.3.2 Too busy', { code: 421 }, 0],
    ['data', '554 5.5.0 No', refused(true, 'data', 554, '5.5.0'), 0],
    ['data', '451 4.3.0 Later', refused(false, 'data', 451, '4.3.0'), 0],
    ['body', '552 5.3.4 Too large', refused(true, 'body', 552, '5.3.4'), 1],
    ['dot', '550 5.7.1 Spam', refused(true, 'body', 550, '5.7.1'), 1],
    ['dot', '451 4.3.0 Later', refused(false, 'body', 451, '4.3.0'), 1],
    ['dot', '421 4.3.2 Too busy', refused(false, 'body', 421, '4.3.2'), 1],
    // Neither an acceptance nor a rejection.
    ['dot', '354 Go on', { kind: 'unknown' }, 1],
  ])('at %s interprets the response "%s"', async (point, turn, expected, marks) => {
    servers[security].script = at(point, turn);
    const sent = await send(accountAt(security));
    expect(sent).toEqual({ outcome: expect.objectContaining(expected), marks });
    expect(servers[security].accepted).toEqual([]);
  });

  it('sends nothing if the mark is refused or cannot be written', async () => {
    const held = { outcome: expect.objectContaining({ kind: 'failed', cause: 'aborted' }), marks: 1 };
    expect(await send(accountAt(security), { mark: () => Promise.resolve(false) })).toEqual(held);
    expect(await send(accountAt(security), { mark: () => Promise.reject(new Error('no database')) })).toEqual(
      held,
    );
    expect(servers[security].begun).toEqual([]);
    expect(servers[security].accepted).toEqual([]);
  });

  it('sends nothing if the connection breaks while the mark is written, and waits for the mark', async () => {
    const server = servers[security];
    const { promise: written, resolve: write } = Promise.withResolvers<boolean>();
    const broken = new AbortController();
    let isMarking = false;
    const sending = send(accountAt(security), {
      signal: broken.signal,
      mark: () => ((isMarking = true), written),
    });
    await waitFor('the mark', () => Promise.resolve(isMarking));
    let hasEnded = false;
    void sending.then(() => (hasEnded = true));
    broken.abort();
    await waitFor('the hangup', () => Promise.resolve(server.openConnections === 0));
    expect(hasEnded).toBe(false);
    write(true);
    expect(await sending).toEqual({
      outcome: expect.objectContaining({ kind: 'failed', cause: 'aborted' }),
      marks: 1,
    });
    expect(server.begun).toEqual([]);
  });

  it.each<[SmtpPoint, Partial<SendOutcome>]>([
    ['greeting', { kind: 'failed', cause: 'aborted' }],
    ['auth', { kind: 'failed', cause: 'aborted' }],
    ['data', { kind: 'failed', cause: 'aborted' }],
    ['dot', { kind: 'unknown' }],
  ])('is aborted by the signal while the server is silent at %s', async (point, expected) => {
    const stop = new AbortController();
    servers[security].script = (here) => {
      if (here !== point) return null;
      stop.abort();
      return 'hang';
    };
    const { outcome } = await send(accountAt(security), { signal: stop.signal });
    expect(outcome).toMatchObject(expected);
  });

  it("keeps 500 characters of a server's response, without what the database cannot store", async () => {
    servers[security].script = at('rcpt', `550 5.1.1 \0${'x'.repeat(2000)}`);
    const { outcome } = await send(accountAt(security));
    expect(outcome.reply).toHaveLength(500);
    expect(outcome.reply).not.toContain('\0');
  });
});

describe('the address of a mail server', () => {
  const refusedAddress = expect.objectContaining({ kind: 'failed', cause: 'refused_address' });

  it('must not be private or use another port, unless the operator allows the host', async () => {
    const guard = new AddressGuard();
    const toNobody = (fields: Partial<MailServer>): Promise<SendOutcome> =>
      new SmtpTransport(guard).sendMessage(
        accountAt('tls', fields),
        outgoingMail(),
        () => Promise.resolve(true),
        never(),
      );
    expect(await toNobody({})).toEqual(refusedAddress);
    expect(await toNobody({ port: 465 })).toEqual(refusedAddress);
    expect(await toNobody({ host: '93.184.216.34', port: 25 })).toEqual(refusedAddress);
    expect(servers.tls.connections).toBe(0);
  });

  it('is the one that was checked, with TLS for the given name', async () => {
    const names = await NameServer.start(({ type, name }) =>
      type === 'A' && name === 'localhost' ? ['127.0.0.1'] : [],
    );
    try {
      const account = accountAt('tls', { host: 'localhost' });
      const guard = new AddressGuard({
        allowHosts: [`localhost:${account.port}`],
        dns: new DnsClient([names.address], []),
      });
      const transport = new SmtpTransport(guard, { ca: authority.ca });
      expect(await transport.tryLogin(account, never())).toBeNull();
    } finally {
      names.stop();
    }
  });
});

describe('testing an SMTP login', () => {
  it('names the wrong setting', async () => {
    const account = accountAt('tls');
    const tried = (fields: Partial<MailServer>): Promise<string | null> => {
      const changed = { ...account, ...fields };
      return transportTo(changed).tryLogin(changed, never());
    };
    expect(await tried({})).toBeNull();
    expect(await tried({ password: 'wrong' })).toBe(
      'The server did not accept the user name and password: 535 5.7.8 Wrong user or password',
    );
    expect(await tried({ port: 1 })).toBe('The server cannot be reached.');
    expect(await tried({ port: servers.starttls.port })).toMatch(/no TLS connection/);
    expect(
      await new SmtpTransport(new AddressGuard({ allowHosts: [`127.0.0.1:${account.port}`] })).tryLogin(
        account,
        never(),
      ),
    ).toBe('The certificate of the server is not valid for this host.');
  });

  it('never continues without TLS if a server offers none', async () => {
    servers.starttls.script = at('starttls', '502 5.5.2 Unknown');
    const account = accountAt('starttls');
    expect(await transportTo(account).tryLogin(account, never())).toMatch(/no TLS connection/);
    expect(servers.starttls.commands).not.toContain('AUTH');
  });
});

function refused(
  isPermanent: boolean,
  stage: 'sender' | 'recipient' | 'data' | 'body',
  code: number,
  status: string | null,
): Partial<SendOutcome> {
  return { kind: 'refused', isPermanent, stage, code, status };
}
