import { OutboundError, type AddressGuard } from '@quarry/safe-http';
import type { ImapFlow, ListResponse } from 'imapflow';
import {
  CONNECT_MS,
  excerptOf,
  GREETING_MS,
  checkMailServer,
  tlsFaultOf,
  type ConnectionFault,
} from './mail-network.js';
import type { MailServer } from './mail-transport.port.js';
import {
  MAIL_BYTES_MAX,
  MailboxError,
  MailboxReader,
  type FoundMail,
  type ReadState,
} from './mailbox-reader.port.js';

/** Ports of IMAP. Source: RFC 8314, 3.2, and RFC 3501, 2.1 with STARTTLS. */
const IMAP_PORTS = [993, 143];
const SILENCE_MS = 60_000;
/** Maximum duration of a connection: a server that says something every minute would keep one of the few readers for ever. */
const CONNECTED_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
/** Maximum number of bytes per line, and per response in addition to the mail. Typical: under 10 KiB. */
const LINE_MAX = 1024 * 1024;
/** Interval in milliseconds at which the bytes of a login are counted. */
const COUNTED_EVERY_MS = 50;

export interface ImapReaderOptions {
  /** Certificate authorities in PEM to trust instead of the default ones. */
  ca?: string;
  /** Maximum duration of a connection in milliseconds; 5 minutes by default. */
  connectedMs?: number;
}

type Seen = (mail: FoundMail, state: ReadState) => Promise<void>;

/**
 * Reads mailboxes over IMAP, always with TLS, and only at addresses that the guard allows. Folders are opened read-only
 * (EXAMINE).
 */
export class ImapReader extends MailboxReader {
  constructor(
    private readonly guard: AddressGuard,
    private readonly options: ImapReaderOptions = {},
  ) {
    super();
  }

  async readNew(
    server: MailServer,
    state: ReadState,
    options: { days: number; limit: number; signal: AbortSignal },
    seen: Seen,
  ): Promise<{ state: ReadState; hasMore: boolean }> {
    return this.withClient(server, options.signal, async (client) => {
      const reading = new Reading(client, { ...state }, options, seen);
      for (const folder of await foldersOf(client))
        if (await reading.readFolder(folder)) return { state: reading.state, hasMore: true };
      return { state: reading.state, hasMore: false };
    });
  }

  async tryLogin(server: MailServer, signal: AbortSignal): Promise<string | null> {
    try {
      await this.withClient(server, signal, () => Promise.resolve());
      return null;
    } catch (error) {
      return error instanceof MailboxError ? error.message : 'The server did not answer in time.';
    }
  }

  /**
   * Runs `work` with an encrypted, authenticated connection.
   * @throws MailboxError when the server fails; the error that `work` throws; the signal's reason when it fires
   */
  private async withClient<T>(
    server: MailServer,
    signal: AbortSignal,
    work: (client: ImapFlow) => Promise<T>,
  ): Promise<T> {
    let client: ImapFlow | null = null;
    const stop = (): void => client?.close();
    signal.addEventListener('abort', stop, { once: true });
    const tooLong = setTimeout(stop, this.options.connectedMs ?? CONNECTED_MS);
    try {
      signal.throwIfAborted();
      const { ImapFlow } = await import('imapflow');
      const lookup = await checkMailServer(this.guard, server, IMAP_PORTS);
      signal.throwIfAborted();
      client = new ImapFlow({
        host: server.host,
        port: server.port,
        secure: server.security === 'tls',
        ...(server.security === 'starttls' && { doSTARTTLS: true }),
        auth: { user: server.user, pass: server.password },
        tls: { lookup, ...(this.options.ca !== undefined && { ca: this.options.ca }) },
        clientInfo: { name: 'Quarry', version: false },
        logger: false,
        disableAutoIdle: true,
        connectionTimeout: CONNECT_MS,
        greetingTimeout: GREETING_MS,
        socketTimeout: SILENCE_MS,
        maxLineLength: LINE_MAX,
        maxLiteralSize: MAIL_BYTES_MAX + LINE_MAX,
        maxResponseSize: MAIL_BYTES_MAX + 2 * LINE_MAX,
      });
      // The pending command rejects with the same error.
      client.on('error', () => undefined);
      await logIn(client);
      const result = await work(client);
      await client.logout().catch(() => undefined);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof CallerError ? error.cause : mailboxErrorOf(error as ImapError);
    } finally {
      clearTimeout(tooLong);
      signal.removeEventListener('abort', stop);
      client?.close();
    }
  }
}

/**
 * Connects and logs in. A server that answers with more than a megabyte until then is cut off: the client reads responses without
 * end that it has not asked for, which would occupy the process until the time-out.
 */
async function logIn(client: ImapFlow): Promise<void> {
  const counting = setInterval(() => {
    if (client.stats().received > LINE_MAX) client.close();
  }, COUNTED_EVERY_MS);
  try {
    await client.connect();
  } finally {
    clearInterval(counting);
  }
}

/** Error thrown by the caller's callback, as opposed to one of the server. */
class CallerError extends Error {}

class Reading {
  private left: number;

  constructor(
    private readonly client: ImapFlow,
    public state: ReadState,
    private readonly options: { days: number; limit: number; signal: AbortSignal },
    private readonly seen: Seen,
  ) {
    this.left = options.limit;
  }

  /** @returns whether the limit was reached before the end of the folder */
  async readFolder(folder: ListResponse): Promise<boolean> {
    const opened = await this.client.mailboxOpen(folder.path, { readOnly: true });
    const uidvalidity = Number(opened.uidValidity);
    const known = this.state[folder.path];
    const from = known?.uidvalidity === uidvalidity ? known.uidnext : null;
    const uids = from !== null && opened.uidNext <= from ? [] : await this.uidsSince(from);
    for (const uid of uids) {
      if (this.left === 0) return true;
      this.left -= 1;
      await this.readMail(folder, uidvalidity, uid);
    }
    const uidnext = Math.max(opened.uidNext, from ?? 1, (uids.at(-1) ?? 0) + 1);
    this.state = { ...this.state, [folder.path]: { uidvalidity, uidnext } };
    return false;
  }

  private async readMail(folder: ListResponse, uidvalidity: number, uid: number): Promise<void> {
    const source = { start: 0, maxLength: MAIL_BYTES_MAX };
    const found = await this.client.fetchOne(String(uid), { uid: true, source }, { uid: true });
    this.options.signal.throwIfAborted();
    this.state = { ...this.state, [folder.path]: { uidvalidity, uidnext: uid + 1 } };
    // The mail was deleted in the meantime.
    if (!found || !found.source) return;
    const raw = found.source.subarray(0, MAIL_BYTES_MAX);
    const isSent = folder.specialUse === '\\Sent';
    try {
      await this.seen({ folder: folder.path, uidvalidity, uid, raw, isSent }, this.state);
    } catch (error) {
      throw new CallerError('The message was not accepted.', { cause: error });
    }
  }

  /** @returns UIDs starting at `from`; when it is null, those of the last `days`. Oldest first */
  private async uidsSince(from: number | null): Promise<number[]> {
    const query =
      from === null ? { since: new Date(Date.now() - this.options.days * DAY_MS) } : { uid: `${from}:*` };
    const found = (await this.client.search(query, { uid: true })) || [];
    // A range `n:*` always includes the newest mail, even when its UID is lower than n.
    return found.filter((uid) => from === null || uid >= from).sort((a, b) => a - b);
  }
}

/** @returns the inbox, the junk folder and the sent folder, as far as they exist */
async function foldersOf(client: ImapFlow): Promise<ListResponse[]> {
  const folders = await client.list();
  return ['\\Inbox', '\\Junk', '\\Sent'].flatMap(
    (use) => folders.find(({ specialUse }) => specialUse === use) ?? [],
  );
}

type ImapError = ConnectionFault & {
  name?: string;
  authenticationFailed?: boolean;
  responseText?: string;
  response?: unknown;
};

function mailboxErrorOf(error: ImapError): MailboxError {
  if (error instanceof OutboundError)
    return new MailboxError(error.fault === 'refused' ? 'refused_address' : 'connection', error.message);
  if (error.authenticationFailed) {
    const serverReply = error.responseText ? `: ${error.responseText}` : '.';
    return new MailboxError(
      'login',
      excerptOf(`The server did not accept the user name and password${serverReply}`),
    );
  }
  const tlsFault = tlsFaultOf(error);
  if (tlsFault !== null) return new MailboxError('connection', tlsFault);
  const isSilent = /TIMEOUT|ETIMEDOUT/i.test(error.code ?? '');
  return new MailboxError(
    'connection',
    isSilent
      ? 'The server did not answer in time.'
      : 'The server cannot be reached, or closed the connection.',
  );
}
