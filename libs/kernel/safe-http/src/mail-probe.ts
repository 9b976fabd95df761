import { connect, isIPv6, type Socket } from 'node:net';
import type { AddressGuard } from './address-guard.js';
import { HostTurns } from './host-turns.js';
import { OutboundError } from './outbound.error.js';

// A service within a request has 30 seconds, and up to two servers of a domain are queried.
const CONNECT_MS = 5_000;
const TOTAL_MS = 10_000;
/** Maximum size of all replies of a session. Usual: under 1 KiB. */
const BYTES_MAX = 64 * 1024;
const SMTP_PORT = 25;

export interface MailProbeOptions {
  /** Port of mail servers; 25 by default. */
  port?: number;
  /** HELO name of this machine; its own address as a literal by default (RFC 5321, 4.1.3). */
  helo?: string | null;
  /** Envelope sender; the empty one of bounces by default (RFC 5321, 4.5.5). */
  from?: string;
  /** Timeout of the whole session, in milliseconds; 10,000 by default. */
  timeoutMs?: number;
}

/** Reply of a mail server to one command. */
export interface MailReply {
  code: number;
  /** Enhanced status, such as `5.1.1` (RFC 3463); null if the server sends none. */
  status: string | null;
  text: string;
}

export interface MailAnswer {
  /** Reply that ended the session before any recipient: to the greeting, HELO or the sender. */
  refusal: MailReply | null;
  /** Replies to recipients, in their order, up to the first rejected one. */
  recipients: MailReply[];
}

/** Checks whether mail servers would accept mail for a recipient, in one connection, without ever sending any. */
export class MailProbe {
  private readonly turns = new HostTurns();
  private readonly port: number;

  constructor(
    private readonly guard: AddressGuard,
    private readonly options: MailProbeOptions = {},
  ) {
    this.port = options.port ?? SMTP_PORT;
  }

  /**
   * Names recipients one after the other until one is rejected. It connects to an address that the guard has checked.
   * @param host mail server
   * @param recipients addresses in ASCII without spaces or line breaks
   * @param holdDeadline pauses the caller's deadline during the wait for a turn at the server
   * @throws OutboundError `refused`, `unreachable`, `too slow`, `too large` or `unreadable`
   * @throws the signal's reason when it fires
   */
  async probeRecipients(
    host: string,
    recipients: readonly string[],
    { signal, holdDeadline }: { signal: AbortSignal; holdDeadline?: (() => () => void) | undefined },
  ): Promise<MailAnswer> {
    const { from = '' } = this.options;
    if ([from, ...recipients].some((address) => /[^\x21-\x7e]|[<>]/.test(address)))
      throw new OutboundError('refused', 'An address with such characters cannot be checked.');
    const letDeadlineGoOn = holdDeadline?.();
    const leave = await this.turns.takeTurn(host, { signal }).finally(() => letDeadlineGoOn?.());
    const time = AbortSignal.timeout(this.options.timeoutMs ?? TOTAL_MS);
    try {
      const lookup = await this.guard.lookupAt(host, this.port);
      const socket = connect({ host, port: this.port, lookup, autoSelectFamily: true });
      const dialog = new MailDialog(socket, AbortSignal.any([signal, time]));
      try {
        return await this.runDialog(dialog, from, recipients);
      } finally {
        dialog.end();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (time.aborted)
        throw new OutboundError('too slow', 'The mail server took too long to answer.', error);
      if (error instanceof OutboundError) throw error;
      throw new OutboundError('unreachable', 'The mail server cannot be reached.', error);
    } finally {
      leave();
    }
  }

  private async runDialog(
    dialog: MailDialog,
    from: string,
    recipients: readonly string[],
  ): Promise<MailAnswer> {
    const own = this.options.helo ?? (await dialog.ownName());
    const greeting = await dialog.reply();
    if (greeting.code !== 220) return { refusal: greeting, recipients: [] };
    let hello = await dialog.say(`EHLO ${own}`);
    // Servers without extensions. Source: RFC 5321, 3.2.
    if (hello.code >= 500) hello = await dialog.say(`HELO ${own}`);
    if (hello.code !== 250) return { refusal: hello, recipients: [] };
    const sender = await dialog.say(`MAIL FROM:<${from}>`);
    if (sender.code !== 250) return { refusal: sender, recipients: [] };
    const replies: MailReply[] = [];
    for (const recipient of recipients) {
      const reply = await dialog.say(`RCPT TO:<${recipient}>`);
      replies.push(reply);
      if (reply.code !== 250 && reply.code !== 251) break;
    }
    return { refusal: null, recipients: replies };
  }
}

/** One SMTP connection: sends a command and receives a reply of one or more lines. */
class MailDialog {
  private received = '';
  private bytes = 0;
  private failure: unknown = null;
  private isOver = false;
  private wake: () => void = () => undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly socket: Socket,
    private readonly signal: AbortSignal,
  ) {
    this.timer = setTimeout(
      () => this.failDialog(new OutboundError('unreachable', 'The mail server cannot be reached.')),
      CONNECT_MS,
    );
    // One byte per character, so that any reply can be read.
    socket.setEncoding('latin1');
    socket.on('connect', () => {
      clearTimeout(this.timer);
      this.wake();
    });
    socket.on('data', (text: string) => this.takeText(text));
    socket.on('error', (error) => this.failDialog(error));
    socket.on('close', () => {
      // An error is created only on failure: its stack is a relevant part of the cost of a session.
      if (this.isOver) return;
      this.failDialog(
        new OutboundError('unreachable', 'The mail server closed the connection during the session.'),
      );
    });
    signal.addEventListener('abort', this.stop, { once: true });
    if (signal.aborted) this.stop();
  }

  /** @returns the local address as a HELO name: `[192.0.2.1]` or `[IPv6:2001:db8::1]` */
  async ownName(): Promise<string> {
    while (this.socket.connecting) await this.waitForChange();
    this.throwIfFailed();
    const address = this.socket.localAddress ?? '127.0.0.1';
    return isIPv6(address) ? `[IPv6:${address}]` : `[${address}]`;
  }

  async say(command: string): Promise<MailReply> {
    this.throwIfFailed();
    this.socket.write(`${command}\r\n`);
    return this.reply();
  }

  async reply(): Promise<MailReply> {
    const lines: string[] = [];
    for (;;) {
      const line = await this.readLine();
      const [, code, sign, text = ''] = /^([2-5]\d\d)(?:([ -])(.*))?$/.exec(line) ?? [];
      if (code === undefined) throw new OutboundError('unreadable', 'The server does not speak SMTP.');
      lines.push(text);
      if (sign === '-') continue;
      const [status = null] = /^[245]\.\d{1,3}\.\d{1,3}(?=\s|$)/.exec(lines[0]!) ?? [];
      return { code: Number(code), status, text: lines.join(' ') };
    }
  }

  /** Sends QUIT without waiting for the reply. */
  end(): void {
    clearTimeout(this.timer);
    this.signal.removeEventListener('abort', this.stop);
    this.isOver = true;
    if (this.socket.writable && !this.socket.connecting)
      this.socket.end('QUIT\r\n', () => this.socket.destroy());
    else this.socket.destroy();
  }

  private readonly stop = (): void => this.failDialog(this.signal.reason);

  private async readLine(): Promise<string> {
    for (;;) {
      const end = this.received.indexOf('\n');
      if (end >= 0) {
        const line = this.received.slice(0, end).replace(/\r$/, '');
        this.received = this.received.slice(end + 1);
        return line;
      }
      this.throwIfFailed();
      await this.waitForChange();
    }
  }

  private takeText(text: string): void {
    this.bytes += text.length;
    this.received += text;
    if (this.bytes > BYTES_MAX)
      this.failDialog(new OutboundError('too large', 'The mail server sent too much data.'));
    this.wake();
  }

  private waitForChange(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  private failDialog(error: unknown): void {
    this.failure ??= error;
    this.socket.destroy();
    this.wake();
  }

  private throwIfFailed(): void {
    if (this.failure !== null) throw this.failure as Error;
  }
}
