import type { MailServer } from './mail-transport.port.js';

/** Position up to which each folder of a mailbox has been read. */
export type ReadState = Record<string, { uidvalidity: number; uidnext: number }>;

/** One mail as stored on the server. */
export interface FoundMail {
  folder: string;
  uidvalidity: number;
  uid: number;
  /** At most {@link MAIL_BYTES_MAX}; longer mail is truncated. */
  raw: Buffer;
  /** True in the sent folder: the mail shows that one of ours was sent, and is not a reply. */
  isSent: boolean;
}

export const MAIL_BYTES_MAX = 5 * 1024 * 1024;

/** Reads mail without changing anything on the server: no flag, no deletion. */
export abstract class MailboxReader {
  /**
   * Reads the new mail of the inbox, the junk folder and the sent folder, oldest first. When UIDVALIDITY has changed, a
   * folder is read again, up to `days` back.
   * @param seen receives one mail; the next one is fetched after it resolves. The caller stores the state that it receives.
   * @throws MailboxError when the server cannot be reached or rejects the login
   */
  abstract readNew(
    server: MailServer,
    state: ReadState,
    options: { days: number; limit: number; signal: AbortSignal },
    seen: (mail: FoundMail, state: ReadState) => Promise<void>,
  ): Promise<{ state: ReadState; hasMore: boolean }>;

  /** Logs in and disconnects. @returns null, or why it failed, in words for the person who entered the settings */
  abstract tryLogin(server: MailServer, signal: AbortSignal): Promise<string | null>;
}

/** Reason why an inbox could not be read. */
export class MailboxError extends Error {
  constructor(
    readonly reason: 'connection' | 'login' | 'refused_address',
    message: string,
  ) {
    super(message);
    this.name = 'MailboxError';
  }
}
