/** Server of a mailbox and its credentials. */
export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte, or after STARTTLS. */
  security: 'tls' | 'starttls';
  user: string;
  password: string;
}

/** Message to be sent, before it is composed. */
export interface OutgoingMail {
  from: { address: string; name: string | null };
  to: string;
  subject: string;
  /** Plain text; the HTML part is generated from it. */
  text: string;
  /** Without angle brackets. */
  messageId: string;
  inReplyTo: string | null;
  /** Oldest first. */
  references: readonly string[];
  date: Date;
  /**
   * Address for one-click unsubscribing, and the `mailto:` address that does so by mail, with `unsubscribe <token>` as its
   * subject; null for a reply that a person wrote.
   */
  unsubscribe: { url: string; mailto: string } | null;
  /** Key that signs the message. */
  dkim: { domain: string; selector: string; privateKey: string } | null;
}

/**
 * Result of an attempt. `accepted`: the server accepted the message. `refused`: the server rejected it, permanently or
 * temporarily, and does not have the message. `failed`: no byte of the body was sent, including when the connection broke
 * while the mark was written. `unknown`: part of the body may have been sent, and no reply arrived.
 */
export type SendOutcome =
  | { kind: 'accepted'; code: number; reply: string }
  | {
      kind: 'refused';
      isPermanent: boolean;
      stage: 'sender' | 'recipient' | 'data' | 'body';
      code: number;
      status: string | null;
      reply: string;
    }
  | {
      kind: 'failed';
      cause: 'connection' | 'login' | 'refused_address' | 'aborted';
      code: number | null;
      reply: string;
    }
  | { kind: 'unknown'; reply: string };

/** Sends messages to a mail server. */
export abstract class MailTransport {
  /**
   * Sends one message over a connection of its own.
   * @param markStarted commits a mark that the body is about to be sent; it is called once, after the server is ready for
   *   the body (354) and before its first byte. When it resolves to false or throws, no byte is sent, and the outcome is
   *   `failed` with `aborted`.
   * @returns the outcome; never throws
   */
  abstract sendMessage(
    server: MailServer,
    mail: OutgoingMail,
    markStarted: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<SendOutcome>;

  /** Logs in and disconnects. @returns null, or why it failed, in words for the person who entered the settings */
  abstract tryLogin(server: MailServer, signal: AbortSignal): Promise<string | null>;
}
