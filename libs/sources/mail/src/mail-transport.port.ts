/** A server of a mailbox, and how it is signed in to. */
export interface MailServer {
  host: string;
  port: number;
  /** `tls` from the first byte, or after STARTTLS. */
  security: 'tls' | 'starttls';
  user: string;
  password: string;
}

/** A message as it is to leave, before it is composed. */
export interface OutgoingMail {
  from: { address: string; name: string | null };
  to: string;
  subject: string;
  /** Plain text; the HTML part is made of it. */
  text: string;
  /** Without angle brackets. */
  messageId: string;
  inReplyTo: string | null;
  /** Oldest first. */
  references: readonly string[];
  date: Date;
  /**
   * Address where one click takes the recipient off, and the `mailto:` address that does so by mail, with `unsubscribe
   * <token>` as its subject; null for an answer that a person has written.
   */
  unsubscribe: { url: string; mailto: string } | null;
  /** Key that signs the message. */
  dkim: { domain: string; selector: string; privateKey: string } | null;
}

/**
 * Result of an attempt. `accepted`: the server has taken the message. `refused`: it has said no, for good or for now;
 * it does not have the message. `failed`: no byte of the body has left, also where the connection broke while the mark
 * was written. `unknown`: some of the body may have left, and no answer has come.
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

/** Hands messages to a mail server. */
export abstract class MailTransport {
  /**
   * Sends one message over a connection of its own.
   * @param markStarted commits that the body is about to begin; it is called once, after the server is ready for the body (354) and
   *   before its first byte. When it answers false or throws, no byte leaves, and the outcome is `failed` with `aborted`.
   * @returns how it ended; it never throws
   */
  abstract sendMessage(
    server: MailServer,
    mail: OutgoingMail,
    markStarted: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<SendOutcome>;

  /** Signs in and leaves. @returns null, or why it did not work, in words for the person who has entered the settings */
  abstract tryLogin(server: MailServer, signal: AbortSignal): Promise<string | null>;
}
