import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AddressGuard } from '@quarry/safe-http';
import { ImapServer, TestAuthority } from '@quarry/test-servers';
import { ImapReader } from './imap-reader.js';
import { inboundMail } from './inbound-mail.fixture.js';
import type { MailServer } from './mail-transport.port.js';
import { MAIL_BYTES_MAX, type FoundMail, type ReadState } from './mailbox-reader.port.js';
import { readInbound } from './read-inbound.js';

let authority: TestAuthority;
let server: ImapServer;
let account: MailServer;

beforeAll(() => {
  authority = TestAuthority.make();
});
beforeEach(async () => {
  server = await ImapServer.start({ cert: authority.cert, key: authority.key });
  account = { host: '127.0.0.1', port: server.port, security: 'tls', user: 'ada', password: 'secret' };
});
afterEach(() => server.stop());
afterAll(() => authority.remove());

const never = (): AbortSignal => new AbortController().signal;
const readerOf = (allowHosts = [`${account.host}:${account.port}`]): ImapReader =>
  new ImapReader(new AddressGuard({ allowHosts }), { ca: authority.ca });
const mailOf = (subject: string): Buffer => inboundMail('Hello', { Subject: subject });

/** Reads the new mail and returns its subjects. */
async function readNew(
  state: ReadState = {},
  { limit = 100, days = 30 } = {},
): Promise<{
  subjects: string[];
  state: ReadState;
  hasMore: boolean;
  mails: FoundMail[];
  states: ReadState[];
}> {
  const mails: FoundMail[] = [];
  const states: ReadState[] = [];
  const read = await readerOf().readNew(account, state, { days, limit, signal: never() }, (mail, reached) => {
    mails.push(mail);
    states.push(reached);
    return Promise.resolve();
  });
  const subjects = mails.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())![1]!);
  return { subjects, mails, states, ...read };
}

describe('reading a mailbox', () => {
  it('finds new mail in inbox, junk and sent folders, and nothing twice', async () => {
    server.append('Sent Items', mailOf('sent'));
    server.append('INBOX', mailOf('one'));
    server.append('INBOX', mailOf('two'));
    server.append('Spam', mailOf('junk'));
    server.append('Archive', mailOf('put away'));
    const first = await readNew();
    expect(first.subjects).toEqual(['one', 'two', 'junk', 'sent']);
    expect(first.mails.map(({ isSent }) => isSent)).toEqual([false, false, false, true]);
    expect(first.hasMore).toBe(false);
    expect(await readNew(first.state)).toMatchObject({ subjects: [], state: first.state });
    server.append('INBOX', mailOf('three'));
    expect((await readNew(first.state)).subjects).toEqual(['three']);
  });

  it('opens folders read-only', async () => {
    server.append('INBOX', mailOf('one'));
    await readNew();
    expect(server.flags('INBOX')).toEqual([[]]);
    expect(server.commands).toEqual(['EXAMINE', 'EXAMINE', 'EXAMINE']);
  });

  it('reads a renumbered folder again, as far back as requested', async () => {
    const { state } = await readNew();
    const long = new Date(Date.now() - 40 * 86_400_000);
    server.append('INBOX', mailOf('old'), long);
    server.append('INBOX', mailOf('one'));
    const before = await readNew(state);
    expect(before.subjects).toEqual(['old', 'one']);
    server.renumber('INBOX');
    const again = await readNew(before.state);
    expect(again.subjects).toEqual(['one']);
    expect(again.state.INBOX).toEqual({ uidvalidity: 2, uidnext: 3 });
  });

  it('stops at its limit, and continues from there', async () => {
    for (const subject of ['one', 'two', 'three']) server.append('INBOX', mailOf(subject));
    server.append('Spam', mailOf('junk'));
    const first = await readNew({}, { limit: 2 });
    expect(first).toMatchObject({ subjects: ['one', 'two'], hasMore: true });
    expect(await readNew(first.state, { limit: 2 })).toMatchObject({
      subjects: ['three', 'junk'],
      hasMore: false,
    });
  });

  it('returns with each mail the position to resume from, so that a crash repeats only that mail', async () => {
    for (const subject of ['one', 'two', 'three']) server.append('INBOX', mailOf(subject));
    const { states } = await readNew();
    expect((await readNew(states[1]!)).subjects).toEqual(['three']);
    await expect(
      readerOf().readNew(account, {}, { days: 1, limit: 9, signal: never() }, () =>
        Promise.reject(new RangeError('no room')),
      ),
    ).rejects.toThrow(new RangeError('no room'));
  });

  it('truncates a mail longer than 5 MB, and the rest can be read', async () => {
    const long = inboundMail('A line of text.\n'.repeat(1_900_000), { Subject: 'long' });
    expect(long.length).toBeGreaterThan(30_000_000);
    server.append('INBOX', long);
    const { mails, subjects } = await readNew();
    expect(subjects).toEqual(['long']);
    expect(mails[0]!.raw).toHaveLength(MAIL_BYTES_MAX);
    expect(mails[0]!.raw.equals(long.subarray(0, MAIL_BYTES_MAX))).toBe(true);
    expect(await readInbound(mails[0]!.raw, { address: 'ada@sender.example' })).toMatchObject({
      subject: 'long',
    });
  });
});

describe('reading after STARTTLS', () => {
  it('signs in only after the connection is encrypted', async () => {
    const later = await ImapServer.start({ cert: authority.cert, key: authority.key, security: 'starttls' });
    try {
      const settings: MailServer = { ...account, port: later.port, security: 'starttls' };
      expect(await readerOf([`127.0.0.1:${later.port}`]).tryLogin(settings, never())).toBeNull();
    } finally {
      await later.stop();
    }
  });
});

describe('a mailbox that cannot be read', () => {
  it('reports the reason', async () => {
    const tried = (fields: Partial<MailServer>, allowHosts?: string[]): Promise<unknown> => {
      const changed = { ...account, ...fields };
      return readerOf(allowHosts ?? [`${changed.host}:${changed.port}`]).readNew(
        changed,
        {},
        { days: 1, limit: 1, signal: never() },
        () => Promise.resolve(),
      );
    };
    await expect(tried({ password: 'wrong' })).rejects.toMatchObject({
      reason: 'login',
      message: expect.stringMatching(/^The server did not accept the user name and password/),
    });
    await expect(tried({ port: 1 })).rejects.toMatchObject({ reason: 'connection' });
    await expect(tried({}, [])).rejects.toMatchObject({ reason: 'refused_address' });
    await expect(tried({ port: 993 }, [])).rejects.toMatchObject({ reason: 'refused_address' });
    await expect(tried({ host: '93.184.216.34', port: 25 }, [])).rejects.toMatchObject({
      reason: 'refused_address',
    });
  });

  it('reports if the server disconnects midway', async () => {
    server.append('INBOX', mailOf('one'));
    server.append('INBOX', mailOf('two'));
    await expect(
      readerOf().readNew(account, {}, { days: 1, limit: 9, signal: never() }, () => {
        server.disconnect();
        return Promise.resolve();
      }),
    ).rejects.toMatchObject({ name: 'MailboxError', reason: 'connection' });
  });

  it('is aborted by the signal', async () => {
    server.append('INBOX', mailOf('one'));
    server.append('INBOX', mailOf('two'));
    const stop = new AbortController();
    let mails = 0;
    await expect(
      readerOf().readNew(account, {}, { days: 1, limit: 9, signal: stop.signal }, () => {
        mails += 1;
        stop.abort(new Error('shutting down'));
        return Promise.resolve();
      }),
    ).rejects.toThrow('shutting down');
    expect(mails).toBe(1);
  });
});

describe('a server that keeps its client waiting', () => {
  it('is given up, so that others can be read', async () => {
    const slow = createServer((socket) => {
      const more = setInterval(() => socket.write('* OK Still here\r\n'), 10);
      socket.on('error', () => undefined).on('close', () => clearInterval(more));
      socket.write('* OK [CAPABILITY IMAP4rev1 STARTTLS] Hello\r\n');
    });
    await once(slow.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = slow.address() as AddressInfo;
      const there = { ...account, port, security: 'starttls' as const };
      const guard = new AddressGuard({ allowHosts: [`${there.host}:${port}`] });
      const reader = new ImapReader(guard, { connectedMs: 200 });
      await expect(
        reader.readNew(there, {}, { days: 1, limit: 9, signal: never() }, () => Promise.resolve()),
      ).rejects.toMatchObject({ name: 'MailboxError', reason: 'connection' });
    } finally {
      slow.close();
    }
  });
});

describe('testing an IMAP login', () => {
  it('is cut off at a server that sends responses without end', async () => {
    const lines = '* 1 EXISTS\r\n'.repeat(5_000);
    const flood = createServer((socket) => {
      const sendMore = () => {
        while (!socket.destroyed && socket.write(lines));
      };
      socket.on('error', () => undefined).on('drain', sendMore);
      socket.write('* OK [CAPABILITY IMAP4rev1 STARTTLS] Hello\r\n', sendMore);
    });
    await once(flood.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = flood.address() as AddressInfo;
      const there = { ...account, port, security: 'starttls' as const };
      expect(await readerOf([`${there.host}:${port}`]).tryLogin(there, never())).toContain('closed');
    } finally {
      flood.close();
    }
  });

  it('names the wrong setting', async () => {
    const tried = (fields: Partial<MailServer>, ca = authority.ca): Promise<string | null> => {
      const changed = { ...account, ...fields };
      const guard = new AddressGuard({ allowHosts: [`${changed.host}:${changed.port}`] });
      return new ImapReader(guard, { ca }).tryLogin(changed, never());
    };
    expect(await tried({})).toBeNull();
    expect(await tried({ password: 'wrong' })).toMatch(
      /^The server did not accept the user name and password/,
    );
    expect(await tried({ port: 1 })).toBe('The server cannot be reached, or closed the connection.');
    const other = TestAuthority.make();
    expect(await tried({}, other.ca)).toBe('The certificate of the server is not valid for this host.');
    other.remove();
  });
});
