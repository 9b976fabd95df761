import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';

/** Startup parameters that PgBouncer accepts without any option. Source: its documentation, `ignore_startup_parameters`. */
const ACCEPTED = [
  'user',
  'database',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
  'application_name',
];
const SSL_REQUEST = 80_877_103;
const AUTHENTICATED = message('R', Buffer.from([0, 0, 0, 0]));
const READY = message('Z', Buffer.from('I'));
/** Server connections per user; each transaction of a client uses a different one. */
const SERVERS = 3;

interface ServerLink {
  socket: Socket;
  client: pg.Client;
  /** Client that uses it for a transaction. */
  holder: ClientLink | null;
  inbox: Messages;
}

interface ClientLink {
  socket: Socket;
  user: string;
  /** Messages from the client that were not yet forwarded to a server. */
  outbox: Buffer[];
  server: ServerLink | null;
  /** True between a Query or a Sync and its ReadyForQuery. */
  isWaiting: boolean;
  isCopying: boolean;
}

/**
 * A pooler in transaction mode that never gives a client the same server connection twice in a row, so that reliance on
 * session state fails immediately. It does not support prepared statements, like PgBouncer before 1.21.
 */
export class TransactionPooler {
  /** Names of the startup parameters that clients have sent. */
  readonly parameters = new Set<string>();
  /** Number of forwarded transactions. */
  transactions = 0;
  private readonly servers = new Map<string, ServerLink[]>();
  private readonly clients = new Set<ClientLink>();
  private turn = 0;

  private constructor(
    private readonly server: Server,
    private readonly urls: ReadonlyMap<string, string>,
  ) {
    server.on('connection', (socket) => this.take(socket));
  }

  /** @param urls of the same database, one per user */
  static async before(...urls: string[]): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(
      createServer(),
      new Map(urls.map((url) => [new URL(url).username, url])),
    );
    for (const [user, url] of pooler.urls)
      pooler.servers.set(user, await Promise.all(Array.from({ length: SERVERS }, () => pooler.connect(url))));
    pooler.server.listen(0, '127.0.0.1');
    await once(pooler.server, 'listening');
    return pooler;
  }

  /** @returns a URL of the upstream server with the address of this pooler */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String((this.server.address() as { port: number }).port);
    return changed.href;
  }

  /**
   * Runs a query on each server connection of a user.
   * @param sql query that returns one row with one text column
   * @returns the result of each server connection
   */
  async askServers(url: string, sql: string): Promise<Array<string | null>> {
    const client = new pg.Client({ connectionString: this.through(url) });
    await client.connect();
    const answers: Array<string | null> = [];
    for (let i = 0; i < SERVERS; i += 1) {
      const { rows } = await client.query<{ pid: number; answer: string | null }>(
        `SELECT pg_backend_pid() AS pid, (${sql}) AS answer`,
      );
      answers.push(rows[0]!.answer);
    }
    await client.end();
    return answers;
  }

  async close(): Promise<void> {
    for (const { socket } of this.clients) socket.destroy();
    for (const { socket } of [...this.servers.values()].flat()) {
      const closed = once(socket, 'close');
      socket.end(message('X', Buffer.alloc(0)));
      await closed;
    }
    this.server.close();
  }

  /** Signs in like a client, and takes over the socket. */
  private async connect(url: string): Promise<ServerLink> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    const { stream: socket } = (client as unknown as { connection: { stream: Socket } }).connection;
    socket.removeAllListeners('data');
    const link: ServerLink = { socket, client, holder: null, inbox: new Messages() };
    socket.on('data', (bytes: Buffer) => {
      for (const each of link.inbox.add(bytes)) this.answered(link, each);
    });
    return link;
  }

  private take(socket: Socket): void {
    socket.setNoDelay(true);
    let greeting: Buffer | null = Buffer.alloc(0);
    const inbox = new Messages();
    let client: ClientLink | null = null;
    const leave = (): void => {
      if (!client) return;
      this.clients.delete(client);
      client.outbox = [];
      // Like PgBouncer: an open transaction must not be passed on to another client.
      if (client.server) client.server.socket.write(message('Q', Buffer.from('ROLLBACK\0')));
    };
    socket.on('error', () => undefined).on('close', leave);
    socket.on('data', (bytes: Buffer) => {
      if (client) return this.sent(client, inbox.add(bytes));
      greeting = Buffer.concat([greeting!, bytes]);
      if (greeting.length < 8 || greeting.length < greeting.readInt32BE(0)) return;
      if (greeting.readInt32BE(4) === SSL_REQUEST) {
        greeting = Buffer.alloc(0);
        return void socket.write('N');
      }
      const length = greeting.readInt32BE(0);
      client = this.greeted(socket, greeting.subarray(8, length));
      if (client) this.sent(client, inbox.add(greeting.subarray(length)));
    });
  }

  /** @returns null if it was refused */
  private greeted(socket: Socket, body: Buffer): ClientLink | null {
    const words = body.toString().split('\0');
    const given = new Map<string, string>();
    for (let i = 0; words[i]; i += 2) given.set(words[i]!, words[i + 1]!);
    for (const name of given.keys()) this.parameters.add(name);
    const unknown = [...given.keys()].find((name) => !ACCEPTED.includes(name.toLowerCase()));
    if (unknown !== undefined) {
      socket.end(message('E', Buffer.from(`SFATAL\0C08P01\0Munsupported startup parameter: ${unknown}\0\0`)));
      return null;
    }
    const client: ClientLink = {
      socket,
      user: given.get('user')!,
      outbox: [],
      server: null,
      isWaiting: false,
      isCopying: false,
    };
    this.clients.add(client);
    // A key of its own, because cancel requests go through the pooler, too.
    const key = Buffer.alloc(8);
    key.writeInt32BE(2_000_000_000 + this.clients.size, 0);
    socket.write(Buffer.concat([AUTHENTICATED, message('K', key), READY]));
    return client;
  }

  private sent(client: ClientLink, messages: Buffer[]): void {
    client.outbox.push(...messages);
    this.pump(client);
  }

  /** Forwards pending messages: one transaction after the other, each to the next free server connection. */
  private pump(client: ClientLink): void {
    while (client.outbox.length > 0) {
      const kind = String.fromCharCode(client.outbox[0]![0]!);
      if (kind === 'X') return void client.socket.end();
      const isCopyData = client.isCopying && 'dcf'.includes(kind);
      if (client.isWaiting && !isCopyData) return;
      client.server ??= this.freeServer(client);
      if (!client.server) return;
      client.server.socket.write(client.outbox.shift()!);
      if (kind === 'Q' || kind === 'S') client.isWaiting = true;
    }
  }

  private freeServer(client: ClientLink): ServerLink | null {
    const servers = this.servers.get(client.user) ?? [];
    for (let i = 0; i < servers.length; i += 1) {
      this.turn += 1;
      const server = servers[this.turn % servers.length]!;
      if (server.holder !== null) continue;
      server.holder = client;
      return server;
    }
    return null;
  }

  private answered(server: ServerLink, bytes: Buffer): void {
    const client = server.holder;
    if (!client) return;
    const kind = String.fromCharCode(bytes[0]!);
    if (kind === 'G') client.isCopying = true;
    if (client.socket.writable) client.socket.write(bytes);
    if (kind !== 'Z') return this.pump(client);
    client.isWaiting = false;
    client.isCopying = false;
    if (bytes[5] === 'I'.charCodeAt(0)) {
      this.transactions += 1;
      server.holder = null;
      client.server = null;
      for (const each of this.clients) if (each !== client) this.pump(each);
    }
    this.pump(client);
  }
}

/** Splits a stream of the protocol into its messages. */
class Messages {
  private rest = Buffer.alloc(0);

  add(bytes: Buffer): Buffer[] {
    this.rest = Buffer.concat([this.rest, bytes]);
    const whole: Buffer[] = [];
    while (this.rest.length >= 5 && this.rest.length >= 1 + this.rest.readInt32BE(1)) {
      const length = 1 + this.rest.readInt32BE(1);
      whole.push(this.rest.subarray(0, length));
      this.rest = this.rest.subarray(length);
    }
    return whole;
  }
}

function message(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
