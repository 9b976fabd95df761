import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls';

/** Points at which a session can fail: `body` after its first bytes, `dot` after it is complete. */
export type SmtpPoint = 'greeting' | 'ehlo' | 'starttls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'body' | 'dot';

/** Reaction at a point: the usual one, cut the connection, send nothing more, or send this line. */
export type SmtpTurn = null | 'cut' | 'hang' | `${number} ${string}`;

export interface SmtpMail {
  from: string;
  recipient: string;
  /** Without angle brackets; null if the body has none, or has not arrived that far. */
  messageId: string | null;
  /** Body between the first byte and the dot, with its dots unescaped. */
  raw: string;
}

export interface ScriptedSmtpOptions {
  cert: string;
  key: string;
  /** `tls` from the first byte, or after STARTTLS. */
  security?: 'tls' | 'starttls';
  /** User who may sign in; any user by default. */
  user?: string;
  password?: string;
  /** Extensions offered by EHLO in addition to AUTH and STARTTLS. */
  extensions?: readonly string[];
}

/**
 * A mail server on loopback that follows the protocol until its script says otherwise. It records what has been sent: each
 * body that was started, and each accepted mail.
 */
export class ScriptedSmtpServer {
  /** Accepted mails, including those whose reply was cut off. */
  readonly accepted: SmtpMail[] = [];
  /** Mails of which at least one byte has arrived. */
  readonly begun: SmtpMail[] = [];
  /** Received commands, without the credentials of AUTH. */
  readonly commands: string[] = [];
  connections = 0;
  /** Called at each point before the reply; a promise that never resolves holds the session there. */
  script: (point: SmtpPoint, mail: SmtpMail) => SmtpTurn | Promise<SmtpTurn> = () => null;
  private readonly sockets = new Set<Socket>();

  private constructor(
    readonly options: Required<Omit<ScriptedSmtpOptions, 'user' | 'password'>> & ScriptedSmtpOptions,
    private readonly server: Server,
  ) {}

  static async start(options: ScriptedSmtpOptions): Promise<ScriptedSmtpServer> {
    const { cert, key, security = 'tls', extensions = ['PIPELINING', '8BITMIME', 'SIZE 35000000'] } = options;
    const server = security === 'tls' ? createTlsServer({ cert, key }) : createServer();
    const scripted = new ScriptedSmtpServer({ ...options, security, extensions }, server);
    server.on(security === 'tls' ? 'secureConnection' : 'connection', (socket: Socket) => {
      scripted.connections += 1;
      void new SmtpSession(scripted, socket).serve();
    });
    server.on('connection', (socket: Socket) => {
      scripted.sockets.add(socket);
      socket.on('close', () => scripted.sockets.delete(socket)).on('error', () => undefined);
    });
    // Clients of the specs break connections on purpose; without a listener that would end the process.
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return scripted;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  /** Returns the number of accepted mails with this Message-ID. */
  timesAccepted(messageId: string): number {
    return this.accepted.filter((each) => each.messageId === messageId).length;
  }

  /** Clears the records. */
  clear(): void {
    for (const log of [this.accepted, this.begun, this.commands]) log.length = 0;
    this.connections = 0;
    this.script = () => null;
  }

  /** Stops the server and ends open connections. */
  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Thrown when the session is over: the script has cut it, or the client has left. */
class DialogOver extends Error {}

class SmtpSession {
  private received = '';
  private isGone = false;
  private wake: () => void = () => undefined;
  private isSecure: boolean;
  private mail: SmtpMail = { from: '', recipient: '', messageId: null, raw: '' };

  constructor(
    private readonly server: ScriptedSmtpServer,
    private socket: Socket,
  ) {
    this.isSecure = server.options.security === 'tls';
    this.listen();
  }

  async serve(): Promise<void> {
    try {
      if (await this.answer('greeting', '220 scripted ESMTP')) while (await this.obey(await this.line()));
    } catch (error) {
      if (!(error instanceof DialogOver)) throw error;
    } finally {
      if (!this.socket.destroyed) this.socket.end();
    }
  }

  /** @returns whether the session continues */
  private async obey(line: string): Promise<boolean> {
    const [, verb = '', rest = ''] = /^(\S+) ?(.*)$/s.exec(line) ?? [];
    this.server.commands.push(verb.toUpperCase() === 'AUTH' ? 'AUTH' : line);
    const path = /<([^>]*)>/.exec(rest)?.[1] ?? '';
    switch (verb.toUpperCase()) {
      case 'EHLO':
        await this.answer('ehlo', this.offers());
        return true;
      case 'STARTTLS':
        if (await this.answer('starttls', '220 2.0.0 Go on')) this.upgrade();
        return true;
      case 'AUTH':
        await this.answer(
          'auth',
          this.knows(rest) ? '235 2.7.0 Welcome' : '535 5.7.8 Wrong user or password',
        );
        return true;
      case 'MAIL':
        this.mail = { from: path, recipient: '', messageId: null, raw: '' };
        await this.answer('mail', '250 2.1.0 Sender ok');
        return true;
      case 'RCPT':
        if (await this.answer('rcpt', '250 2.1.5 Recipient ok')) this.mail.recipient = path;
        return true;
      case 'DATA':
        if (this.mail.recipient === '') this.say('503 5.5.1 No recipient');
        else if (await this.answer('data', '354 Go on')) await this.takeBody();
        return true;
      case 'QUIT':
        this.say('221 2.0.0 Bye');
        return false;
      default:
        this.say(
          verb.toUpperCase() === 'RSET' || verb.toUpperCase() === 'NOOP' ? '250 ok' : '502 5.5.2 Unknown',
        );
        return true;
    }
  }

  private async takeBody(): Promise<void> {
    const { mail } = this;
    while (this.received === '') await this.more();
    this.server.begun.push(mail);
    // A server that refuses in the middle of a body ignores the rest.
    if (!(await this.answer('body', null))) for (;;) await this.more();
    const lines: string[] = [];
    for (let line = await this.line(); line !== '.'; line = await this.line())
      lines.push(line.startsWith('.') ? line.slice(1) : line);
    mail.raw = Buffer.from(lines.join('\r\n'), 'latin1').toString('utf8');
    mail.messageId = /^message-id:\s*<([^>]+)>/im.exec(mail.raw.split('\r\n\r\n')[0]!)?.[1] ?? null;
    const turn = await this.server.script('dot', mail);
    if (turn === null || turn === 'cut' || turn === 'hang' || turn.startsWith('2'))
      this.server.accepted.push(mail);
    this.perform(turn, '250 2.0.0 Taken');
    if (turn === 'hang') await this.more();
  }

  /** @returns whether the usual reply was sent */
  private async answer(point: SmtpPoint, usual: string | null): Promise<boolean> {
    const turn = await this.server.script(point, this.mail);
    this.perform(turn, usual);
    while (turn === 'hang') await this.more();
    return turn === null && (usual === null || /^[23]/.test(usual));
  }

  private perform(turn: SmtpTurn, usual: string | null): void {
    if (turn === 'cut') {
      this.socket.destroy();
      throw new DialogOver();
    }
    if (turn === 'hang') return;
    if (turn !== null) this.say(turn);
    else if (usual !== null) this.say(usual);
  }

  private offers(): string {
    const { security, extensions } = this.server.options;
    const offers = ['scripted', ...extensions];
    if (this.isSecure) offers.push('AUTH PLAIN');
    else if (security === 'starttls') offers.push('STARTTLS');
    return offers.map((each, at) => `250${at === offers.length - 1 ? ' ' : '-'}${each}`).join('\r\n');
  }

  /** Checks credentials. Source: RFC 4616, PLAIN with an initial response. */
  private knows(command: string): boolean {
    const [, user, password] = Buffer.from(command.split(' ')[1] ?? '', 'base64')
      .toString()
      .split('\0');
    const { options } = this.server;
    return (
      (options.user === undefined || options.user === user) &&
      (options.password === undefined || options.password === password)
    );
  }

  private upgrade(): void {
    const { cert, key } = this.server.options;
    this.socket.removeAllListeners('data');
    this.received = '';
    this.socket = new TLSSocket(this.socket, {
      isServer: true,
      secureContext: createSecureContext({ cert, key }),
    });
    this.isSecure = true;
    this.listen();
  }

  private listen(): void {
    // One byte per character, so that any input can be read.
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => {
      this.received += text;
      this.wake();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isGone = true;
      this.wake();
    });
  }

  private say(text: string): void {
    this.socket.write(`${text}\r\n`);
  }

  private async line(): Promise<string> {
    for (;;) {
      const end = this.received.indexOf('\r\n');
      if (end >= 0) {
        const line = this.received.slice(0, end);
        this.received = this.received.slice(end + 2);
        return line;
      }
      await this.more();
    }
  }

  private async more(): Promise<void> {
    if (this.isGone) throw new DialogOver();
    await new Promise<void>((resolve) => (this.wake = resolve));
  }
}
