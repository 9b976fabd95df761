import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createSecureContext } from 'node:tls';
import { domainToASCII } from 'node:url';
import { OutboundError, type AddressGuard } from '@quarry/safe-http';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { composeMail } from './compose-mail.js';
import { CONNECT_MS, excerptOf, GREETING_MS, checkMailServer, tlsFaultOf } from './mail-network.js';
import {
  MailTransport,
  type MailServer,
  type OutgoingMail,
  type SendOutcome,
} from './mail-transport.port.js';

/** Ports for submission, with TLS from the first byte and with STARTTLS. Source: RFC 8314, 3.3. */
const SUBMISSION_PORTS = [465, 587];
/** Milliseconds that a server may take to respond to QUIT. */
const GOODBYE_MS = 1_000;
// Source: RFC 4954, 6: replies that mean that authentication is missing or wrong. A 4xx reply says nothing about the
// password.
const LOGIN_CODES = new Set([530, 534, 535, 538]);

export interface SmtpTransportOptions {
  /** Certificate authorities in PEM to trust instead of the default ones. */
  ca?: string;
}

/** Fields of an error, as nodemailer provides them. */
type SmtpError = Error & {
  code?: string;
  originalCode?: string;
  command?: string;
  responseCode?: number | false;
  response?: string;
};
type Done<T> = (error?: Error | null, value?: T) => void;

/** Sends over SMTP, always with TLS, and only to addresses that the guard allows. */
export class SmtpTransport extends MailTransport {
  /** Shared by all connections: a context per connection would hold its trusted certificates until garbage collection. */
  private readonly secureContext;

  constructor(
    private readonly guard: AddressGuard,
    options: SmtpTransportOptions = {},
  ) {
    super();
    this.secureContext = createSecureContext(options);
  }

  async sendMessage(
    server: MailServer,
    mail: OutgoingMail,
    markStarted: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    let connection: SMTPConnection | null = null;
    let body: MarkedBody | null = null;
    try {
      const marked = (body = new MarkedBody(await composeMail(mail), markStarted));
      connection = await this.openConnection(server, signal);
      const { response } = await runStep<{ response: string }>(connection, signal, (done) =>
        connection!.send(
          { from: asciiDomainForm(mail.from.address), to: [asciiDomainForm(mail.to)] },
          Readable.from(marked.read()),
          done,
        ),
      );
      sayGoodbye(connection);
      return { kind: 'accepted', code: codeOf(response) ?? 250, reply: excerptOf(response) };
    } catch (error) {
      connection?.close();
      await body?.stop();
      return outcomeOf(error as Error, body, signal);
    }
  }

  async tryLogin(server: MailServer, signal: AbortSignal): Promise<string | null> {
    try {
      sayGoodbye(await this.openConnection(server, signal));
      return null;
    } catch (error) {
      return signal.aborted ? 'The server did not answer in time.' : reasonOf(error as SmtpError);
    }
  }

  /** @returns an encrypted, authenticated connection */
  private async openConnection(server: MailServer, signal: AbortSignal): Promise<SMTPConnection> {
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    const connection = new Connection({
      host: server.host,
      port: server.port,
      connection: await this.connectTo(server, signal),
      secure: server.security === 'tls',
      requireTLS: true,
      // Reveals nothing about this machine, as mail programs do.
      name: '[127.0.0.1]',
      connectionTimeout: CONNECT_MS + GREETING_MS,
      greetingTimeout: GREETING_MS,
      tls: { secureContext: this.secureContext },
    });
    // The pending step rejects with the same error.
    connection.on('error', () => undefined);
    try {
      await runStep(connection, signal, (done) => connection.connect(done));
      await runStep(connection, signal, (done) =>
        connection.login({ user: server.user, pass: server.password }, done),
      );
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  private async connectTo(server: MailServer, signal: AbortSignal): Promise<Socket> {
    const lookup = await checkMailServer(this.guard, server, SUBMISSION_PORTS);
    const { host, port } = server;
    const socket = connect({ host, port, lookup, autoSelectFamily: true });
    try {
      await once(socket, 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]) });
      return socket;
    } catch (error) {
      socket.on('error', () => undefined).destroy();
      throw error;
    }
  }
}

/** Message whose first byte is sent only after it was marked as started: the stream is first read after the 354 reply. */
class MarkedBody {
  /** True when part of it may have been sent. */
  hasBegun = false;
  private isOver = false;
  private marking: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly raw: Buffer,
    private readonly markStarted: () => Promise<boolean>,
  ) {}

  async *read(): AsyncGenerator<Buffer> {
    const marking = this.markStarted();
    this.marking = marking.catch(() => undefined);
    if (!(await marking)) throw new NotMarkedError();
    // The connection may have closed in the meantime; then nothing is sent.
    if (this.isOver) return;
    this.hasBegun = true;
    yield this.raw;
  }

  /**
   * Prevents any further sending. Waits for a pending mark, so that it is not written after the outcome that the caller
   * stores.
   */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.marking;
  }
}

class NotMarkedError extends Error {}

/** Runs one step of the SMTP dialog. It ends with its callback, with the connection, or with the signal. */
async function runStep<T>(
  connection: SMTPConnection,
  signal: AbortSignal,
  begin: (done: Done<T>) => void,
): Promise<T> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = (): void => reject(signal.reason as Error);
  // After a 421 the connection closes first, and the error of the step follows.
  const end = (): unknown => setImmediate(() => reject(closedBy(connection)));
  connection.on('error', reject).on('end', end);
  signal.addEventListener('abort', stop, { once: true });
  try {
    begin((error, value) => (error ? reject(error) : resolve(value as T)));
    return await promise;
  } finally {
    connection.off('error', reject).off('end', end);
    signal.removeEventListener('abort', stop);
  }
}

function closedBy({ lastServerResponse }: SMTPConnection): SmtpError {
  const error: SmtpError = new Error('The server has closed the connection.');
  if (lastServerResponse === false || !lastServerResponse.startsWith('421')) return error;
  return Object.assign(error, { response: lastServerResponse, responseCode: 421 });
}

/** Converts the domain to its ASCII form: only servers that offer SMTPUTF8 accept another one. */
function asciiDomainForm(address: string): string {
  const [local = '', domain = ''] = address.split('@');
  return `${local}@${domainToASCII(domain) || domain}`;
}

function sayGoodbye(connection: SMTPConnection): void {
  const timer = setTimeout(() => connection.close(), GOODBYE_MS).unref();
  connection.once('end', () => clearTimeout(timer));
  connection.quit();
}

function outcomeOf(error: Error, body: MarkedBody | null, signal: AbortSignal): SendOutcome {
  const { responseCode, response = '', command = '' } = error as SmtpError;
  const code = responseCode || null;
  const isRefusal = code !== null && code >= 400 && code < 600;
  const reply = excerptOf(response === '' ? reasonOf(error as SmtpError) : response);
  if (body?.hasBegun)
    return isRefusal
      ? refusalOf('body', code, reply)
      : { kind: 'unknown', reply: excerptOf(reasonOf(error)) };
  const failed = (cause: (SendOutcome & { kind: 'failed' })['cause']): SendOutcome => ({
    kind: 'failed',
    cause,
    code,
    reply,
  });
  if (!body) return failed('aborted');
  if (signal.aborted || error instanceof NotMarkedError || (error as SmtpError).code === 'ESTREAM')
    return failed('aborted');
  if (error instanceof OutboundError)
    return failed(error.fault === 'refused' ? 'refused_address' : 'connection');
  if (isLoginFault(error)) return failed('login');
  const stage = STAGES[command];
  return isRefusal && stage ? refusalOf(stage, code, reply) : failed('connection');
}

/** Stage of the dialog, by the command that the server responded to. */
const STAGES: Readonly<Record<string, 'sender' | 'recipient' | 'data' | undefined>> = {
  'MAIL FROM': 'sender',
  'RCPT TO': 'recipient',
  DATA: 'data',
};

function refusalOf(
  stage: (SendOutcome & { kind: 'refused' })['stage'],
  code: number,
  reply: string,
): SendOutcome {
  const [, status = null] = /^\d{3}[ -]([45]\.\d{1,3}\.\d{1,3})(?=\s|$)/.exec(reply) ?? [];
  return { kind: 'refused', isPermanent: code >= 500, stage, code, status, reply };
}

function isLoginFault({ code, responseCode }: SmtpError): boolean {
  if (LOGIN_CODES.has(responseCode || 0)) return true;
  return code === 'EAUTH' && (responseCode || 500) >= 500;
}

/** Returns the reason of a failure in words for the person who entered the settings. They name no address. */
function reasonOf(error: SmtpError): string {
  const serverReply = error.response ? `: ${excerptOf(error.response)}` : '.';
  if (error instanceof OutboundError) return error.message;
  if (error instanceof NotMarkedError) return 'The message was held back.';
  if (isLoginFault(error))
    return excerptOf(`The server did not accept the user name and password${serverReply}`);
  const tlsFault = error.response && error.code !== 'ETLS' ? null : tlsFaultOf(error);
  if (tlsFault !== null) return tlsFault;
  if (error.response) return excerptOf(`The server refused${serverReply}`);
  if (error.code === 'ETIMEDOUT' || error.name === 'TimeoutError' || error.name === 'AbortError')
    return 'The server did not answer in time.';
  if (error.code === 'ECONNECTION') return 'The server closed the connection.';
  return 'The server cannot be reached.';
}

function codeOf(response: string): number | null {
  const [code] = /^\d{3}/.exec(response) ?? [];
  return code === undefined ? null : Number(code);
}
