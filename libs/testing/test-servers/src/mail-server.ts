import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** Refusal of a command; null accepts it. */
export type MailRefusal = { code: number; text: string } | null;

export interface MailServerRules {
  /** @returns the reply to a recipient */
  recipient?: (address: string) => MailRefusal;
  /** @returns the reply to a sender; the empty sender is that of bounces */
  sender?: (address: string) => MailRefusal;
}

/** A mail server on loopback with the rules of a spec. It records recipients and counts sent mails. */
export class MailServer {
  readonly recipients: string[] = [];
  readonly senders: string[] = [];
  /** HELO names of clients. */
  readonly clients: string[] = [];
  connections = 0;
  mails = 0;

  private constructor(
    private readonly server: SMTPServer,
    readonly port: number,
  ) {}

  static async start(rules: MailServerRules = {}): Promise<MailServer> {
    const refusalOf = (refusal: MailRefusal | undefined): Error | null =>
      refusal ? Object.assign(new Error(refusal.text), { responseCode: refusal.code }) : null;
    const server: SMTPServer = new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 100,
      onConnect: (_, done) => {
        mail.connections += 1;
        done();
      },
      onMailFrom: ({ address }, session, done) => {
        mail.senders.push(address || '');
        mail.clients.push(String(session.hostNameAppearsAs));
        done(refusalOf(rules.sender?.(address || '')));
      },
      onRcptTo: ({ address }, _, done) => {
        mail.recipients.push(address);
        done(refusalOf(rules.recipient?.(address)));
      },
      onData: (stream, _, done) => {
        mail.mails += 1;
        stream.resume().on('end', () => done());
      },
    });
    // Clients of the specs break connections on purpose; without a listener that would end the process.
    server.on('error', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    const mail = new MailServer(server, (server.server.address() as AddressInfo).port);
    return mail;
  }

  /** Stops the server and ends open connections. */
  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
