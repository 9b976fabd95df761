import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { AddressGuard, DnsClient, MailProbe, type MailProbeOptions } from '@quarry/safe-http';
import { LOOKUP_OUTPUTS } from '@quarry/service-catalog';
import { MailServer, NameServer, type NameRecord } from '@quarry/test-servers';
import { verdictOf } from './mail-verdict.js';
import { VerifyEmailProvider } from './verify-email.provider.js';

const LOCAL = ['127.0.0.1'];
const mx = (exchange: string): NameRecord[] => [{ preference: 10, exchange }];
const RECORDS: Record<string, readonly NameRecord[]> = {
  'MX halbrook.example': mx('mail.halbrook.example'),
  'A mail.halbrook.example': LOCAL,
  'MX open.example': mx('mail.open.example'),
  'A mail.open.example': LOCAL,
  'MX yahoo.example': mx('mta.am0.yahoodns.net'),
  'A mta.am0.yahoodns.net': LOCAL,
  // Its first server is at a private address, and its second is not allowed either.
  'MX inside.example': mx('mail.inside.example'),
  'A mail.inside.example': ['10.0.0.1'],
  'MX null.example': mx('.'),
  'A plain.example': LOCAL,
  'MX mailinator.com': mx('mail.halbrook.example'),
  'MX xn--mnchen-3ya.example': mx('mail.halbrook.example'),
};

let names: NameServer;
let mail: MailServer;
const refused = (code: number, text: string) => ({ code, text });

beforeAll(async () => {
  names = await NameServer.start(({ type, name }) => RECORDS[`${type} ${name}`] ?? []);
  mail = await MailServer.start({
    sender: (from) => (from === 'bad@sender.example' ? refused(554, '5.7.1 We know you') : null),
    recipient: (to) => {
      if (/@(open|yahoo)\.example$/.test(to)) return null;
      if (to.startsWith('grey@')) return refused(451, '4.7.1 Greylisted, come back');
      if (to.startsWith('policy@')) return refused(550, '5.7.1 Your host is on a block list');
      return /^(ada|info|jobs)@/i.test(to) ? null : refused(550, '5.1.1 No such user here');
    },
  });
});
afterAll(async () => {
  await mail.stop();
  names.stop();
});

function provider(
  options: MailProbeOptions | null = {},
  { port = mail.port, dns = new DnsClient([names.address]) } = {},
) {
  const hosts = ['mail.halbrook.example', 'mail.open.example', 'mta.am0.yahoodns.net', 'plain.example'];
  const guard = new AddressGuard({ allowHosts: hosts.map((host) => `${host}:${port}`), dns });
  return new VerifyEmailProvider({ dns, probe: options && new MailProbe(guard, { port, ...options }) });
}

async function verified(email: string, by = provider()) {
  const signal = AbortSignal.timeout(60_000);
  const call = { service: 'verifyEmail', input: { email }, searchId: 'hold_1', signal };
  const { found, output } = await by.answerCall(call);
  // Another provider may be able to determine what this one cannot.
  expect(found).toBe(output.status !== 'unknown');
  return LOOKUP_OUTPUTS.verifyEmail.parse(output);
}

describe('verifyEmail without a key', () => {
  it.each([
    ['ada@halbrook.example', 'valid', 'mail.halbrook.example'],
    ['Ada@Halbrook.example', 'valid', 'mail.halbrook.example'],
    ['ada@münchen.example', 'valid', 'mail.halbrook.example'],
    ['nobody@halbrook.example', 'invalid', 'mail.halbrook.example'],
    ['info@halbrook.example', 'role', 'mail.halbrook.example'],
    ['Jobs+x@halbrook.example', 'invalid', 'mail.halbrook.example'],
    ['JOBS@halbrook.example', 'role', 'mail.halbrook.example'],
    ['sales@halbrook.example', 'invalid', 'mail.halbrook.example'],
    ['anybody@open.example', 'catch_all', 'mail.open.example'],
    ['anybody@yahoo.example', 'unknown', 'mta.am0.yahoodns.net'],
    ['grey@halbrook.example', 'unknown', 'mail.halbrook.example'],
    ['policy@halbrook.example', 'unknown', 'mail.halbrook.example'],
    ['ada@mailinator.com', 'disposable', 'mail.halbrook.example'],
    ['ada@null.example', 'invalid', null],
    ['ada@gone.example', 'invalid', null],
    // Without an MX record, the host itself is contacted.
    ['ada@plain.example', 'valid', 'plain.example'],
    ['ada', 'invalid', null],
    ['ada@@halbrook.example', 'invalid', null],
    ['ada@halbrook', 'invalid', null],
    ['ada lovelace@halbrook.example', 'invalid', null],
    ['ada@halbrook.example\r\nRCPT TO:<x@y.example>', 'invalid', null],
    [`${'a'.repeat(65)}@halbrook.example`, 'invalid', null],
    // Not every server supports its non-ASCII letters.
    ['adé@halbrook.example', 'unknown', 'mail.halbrook.example'],
  ])('%s is %s', async (email, status, host) => {
    expect(await verified(email)).toMatchObject({ email, status, mx_host: host, provider: 'mail-servers' });
  });

  it('asks for the address and a random one in one connection, and never sends mail', async () => {
    const before = { connections: mail.connections, requests: mail.recipients.length };
    await verified('ada@halbrook.example');
    const [own, nobody, ...rest] = mail.recipients.slice(before.requests);
    expect([own, rest]).toEqual(['ada@halbrook.example', []]);
    expect(nobody).toMatch(/^[0-9a-f]{20}@halbrook\.example$/);
    expect([mail.connections - before.connections, mail.mails]).toEqual([1, 0]);
    expect([mail.senders.at(-1), mail.clients.at(-1)]).toEqual(['', '[127.0.0.1]']);
  });

  it('uses the configured HELO name, and reports if that is refused', async () => {
    const by = provider({ helo: 'probe.quarry.example', from: 'bad@sender.example' });
    const { status, reason } = await verified('ada@halbrook.example', by);
    expect([status, reason]).toEqual(['unknown', 'The mail server refuses to talk to this machine (554).']);
    expect(mail.clients.at(-1)).toBe('probe.quarry.example');
  });

  it('connects to no internal address, and reports the status as unknown', async () => {
    expect(await verified('ada@inside.example')).toMatchObject({
      status: 'unknown',
      mx_host: 'mail.inside.example',
      reason: expect.stringContaining('is not on the public Internet') as unknown,
    });
  });

  it('does not mistake silent name servers for a domain without mail', async () => {
    const closed = new DnsClient(['127.0.0.1:9']);
    expect(await verified('ada@halbrook.example', provider({}, { dns: closed }))).toMatchObject({
      status: 'unknown',
      mx_host: null,
    });
  });

  it('does not accept "no such domain" from a name server that knows no names at all', async () => {
    const cutOff = await NameServer.start(() => [], undefined, true);
    try {
      const dns = new DnsClient([cutOff.address]);
      await expect(verified('ada@halbrook.example', provider({}, { dns }))).rejects.toMatchObject({
        code: 'provider_unavailable',
        message: expect.stringContaining('DNS_CONTROL_NAMES') as unknown,
      });
      // Without a control name the name server is trusted, as in a network that only has names of its own.
      const closed = new DnsClient([cutOff.address], []);
      expect(await verified('ada@halbrook.example', provider({}, { dns: closed }))).toMatchObject({
        status: 'invalid',
      });
    } finally {
      cutOff.stop();
    }
  });

  it('asks no mail server if that is switched off', async () => {
    const before = mail.connections;
    const { status, reason } = await verified('ada@halbrook.example', provider(null));
    expect([status, reason]).toEqual(['unknown', expect.stringContaining('SMTP_PROBE is off')]);
    expect((await verified('info@halbrook.example', provider(null))).status).toBe('role');
    expect(mail.connections).toBe(before);
  });

  // An unresponsive server is not contacted for a minute; a responsive one is.
  it.each<[string, (socket: Socket) => void, string, number]>([
    ['says nothing', () => undefined, 'too long', 1],
    [
      'is no mail server',
      (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'does not speak SMTP',
      2,
    ],
    ['never ends its line', (socket) => void socket.write('2'.repeat(200_000)), 'sent too much data', 2],
    ['hangs up', (socket) => socket.end('220 hello\r\n'), 'closed the connection', 1],
    [
      'refuses at the door',
      (socket) => socket.end('554 5.7.1 Go away\r\n'),
      'refuses to talk to this machine',
      2,
    ],
  ])('a server that %s makes the status unknown', async (_, handle, part, connections) => {
    const sockets = new Set<Socket>();
    const odd = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      handle(socket);
    }).listen(0, '127.0.0.1');
    await once(odd, 'listening');
    const { port } = odd.address() as AddressInfo;
    const by = provider({ timeoutMs: 1000 }, { port });
    for (const email of ['ada@halbrook.example', 'bob@halbrook.example']) {
      const found = await verified(email, by);
      expect([found.status, found.reason]).toEqual(['unknown', expect.stringContaining(part)]);
    }
    expect(sockets.size).toBe(connections);
    for (const socket of sockets) socket.destroy();
    odd.close();
  });
});

describe('an SMTP response', () => {
  it.each([
    [250, null, 'OK', 'taken'],
    [252, null, 'Cannot VRFY user', 'unclear'],
    [450, '4.2.0', 'Greylisted', 'later'],
    [550, '5.1.1', 'The email account that you tried to reach does not exist', 'no such mailbox'],
    [550, '5.2.1', 'The account is disabled', 'no such mailbox'],
    [552, '5.2.2', 'The mailbox is full', 'unclear'],
    [550, '5.7.1', 'Service unavailable, client host blocked using Spamhaus', 'refused us'],
    [550, '5.4.1', 'Recipient address rejected: Access denied', 'unclear'],
    [550, null, 'User unknown', 'no such mailbox'],
    [550, null, 'Blocked by our policy', 'refused us'],
    [554, null, 'Relay access denied', 'refused us'],
    [550, null, 'Administrative prohibition', 'refused us'],
    [550, null, 'Ip frequency limited', 'refused us'],
    [550, '5.1.1', 'Rejected: User unknown in relay recipient table', 'no such mailbox'],
    [554, null, 'Transaction failed', 'unclear'],
    [501, '5.5.4', 'Invalid', 'unclear'],
  ])('%i %s %s means: %s', (code, status, text, verdict) => {
    expect(verdictOf({ code, status, text })).toBe(verdict);
  });
});
