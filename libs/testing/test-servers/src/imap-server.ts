import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import hoodiecrow from 'hoodiecrow-imap';

export interface ImapServerOptions {
  cert: string;
  key: string;
  /** `tls` from the first byte, or after STARTTLS. */
  security?: 'tls' | 'starttls';
  user?: string;
  password?: string;
}

export type ImapFolder = 'INBOX' | 'Spam' | 'Sent Items';

/** An IMAP server on loopback with an inbox, a junk and a sent folder, to which a spec adds received mails. */
export class ImapServer {
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly imap: ReturnType<typeof hoodiecrow>,
    /** Commands that open or change a folder. */
    readonly commands: readonly string[],
  ) {
    // Network errors below TLS: an aborting client shows up there.
    imap.server.on('connection', (socket: Socket) => {
      this.connections += 1;
      // It writes each line of a response separately.
      socket.setNoDelay(true);
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket)).on('error', () => undefined);
    });
    imap.server.on('tlsClientError', () => undefined);
    imap.server.on('secureConnection', (socket: Socket) => void socket.on('error', () => undefined));
  }

  static async start({
    cert,
    key,
    security = 'tls',
    user = 'ada',
    password = 'secret',
  }: ImapServerOptions): Promise<ImapServer> {
    const commands: string[] = [];
    const imap = hoodiecrow({
      credentials: { cert, key },
      secureConnection: security === 'tls',
      plugins: ['ID', 'SPECIAL-USE', 'UIDPLUS', 'STARTTLS', 'LOGINDISABLED', (imap) => watch(imap, commands)],
      users: { [user]: { password } },
      storage: {
        INBOX: { uidvalidity: 1 },
        '': {
          separator: '/',
          folders: {
            Spam: { uidvalidity: 1, 'special-use': '\\Junk' },
            'Sent Items': { uidvalidity: 1, 'special-use': '\\Sent' },
            Archive: { uidvalidity: 1 },
          },
        },
      },
    });
    const server = new ImapServer(imap, commands);
    imap.server.listen(0, '127.0.0.1');
    await once(imap.server, 'listening');
    return server;
  }

  get port(): number {
    return (this.imap.server.address() as AddressInfo).port;
  }

  /** Adds a mail to a folder. @returns its UID */
  append(folder: ImapFolder | 'Archive', raw: Buffer | string, receivedAt = new Date()): number {
    const letters = Buffer.from(raw).toString('latin1');
    return this.imap.appendMessage(folder, [], receivedAt, letters).message.uid;
  }

  /** Renumbers a folder with a new UIDVALIDITY, like a server restored from a backup. */
  renumber(folder: ImapFolder): void {
    const box = this.imap.getMailbox(folder)!;
    box.uidvalidity += 1;
    box.messages.forEach((message, at) => (message.uid = at + 1));
    box.uidnext = box.messages.length + 1;
  }

  /** Returns the flags of each mail of a folder. */
  flags(folder: ImapFolder): string[][] {
    return this.imap.getMailbox(folder)!.messages.map(({ flags }) => flags);
  }

  /** Breaks all connections. */
  disconnect(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Stops the server and ends open connections. */
  async stop(): Promise<void> {
    this.disconnect();
    await new Promise((resolve) => this.imap.server.close(resolve));
  }
}

function watch(imap: ReturnType<typeof hoodiecrow>, commands: string[]): void {
  for (const name of ['SELECT', 'EXAMINE', 'STORE', 'UID STORE', 'EXPUNGE', 'APPEND']) {
    const handler = imap.getCommandHandler(name);
    imap.setCommandHandler(name, (...given) => {
      commands.push(name);
      handler(...given);
    });
  }
}
