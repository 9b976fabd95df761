import type { MailServer } from './mail-transport.port.js';

/** Position in each folder of a mailbox up to which it has been read. */
export type ReadState = Record<string, { uidvalidity: number; uidnext: number }>;

/** One mail as it stands on the server. */
export interface FoundMail {
  folder: string;
  uidvalidity: number;
  uid: number;
  /** At most {@link MAIL_BYTES_MAX}; what is longer is cut off there. */
  raw: Buffer;
  /** It is in the folder of sent messages: it says that one of ours has left, and is no answer. */
  isSent: boolean;
}

export const MAIL_BYTES_MAX = 5 * 1024 * 1024;

/** Reads mail without changing anything on the server: no flag, no deletion. */
export abstract class MailboxReader {
  /**
   * Reads what is new in the inbox, the junk folder and the folder of sent messages, oldest first. Where UIDVALIDITY has changed a
   * folder is read again, as far back as `days`.
   * @param seen takes one mail; the next is fetched after it has ended. A state that it was given is kept by its caller.
   * @throws MailboxError when the server cannot be reached or does not let us in
   */
  abstract readNew(
    server: MailServer,
    state: ReadState,
    options: { days: number; limit: number; signal: AbortSignal },
    seen: (mail: FoundMail, state: ReadState) => Promise<void>,
  ): Promise<{ state: ReadState; hasMore: boolean }>;

  /** Signs in and leaves. @returns null, or why it did not work, in words for the person who has entered the settings */
  abstract tryLogin(server: MailServer, signal: AbortSignal): Promise<string | null>;
}

/** Why an inbox could not be read. */
export class MailboxError extends Error {
  constructor(
    readonly reason: 'connection' | 'login' | 'refused_address',
    message: string,
  ) {
    super(message);
    this.name = 'MailboxError';
  }
}
