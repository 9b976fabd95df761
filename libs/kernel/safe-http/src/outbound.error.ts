/** Reason why a remote server gave no readable response. */
export type OutboundFault =
  /** The URL is not allowed: its scheme, port, credentials, or the address of its host. */
  | 'refused'
  /** The site's robots.txt, or the status of its response, forbids access to programs like this one. */
  | 'unwelcome'
  /** No connection, or one that broke before the response was complete. */
  | 'unreachable'
  /** Timeout. */
  | 'too slow'
  /** Too many bytes, counted after decoding, or too many redirects. */
  | 'too large'
  /** Invalid HTTP or invalid compression. */
  | 'unreadable';

/** The message never contains the address behind a name, because it may become part of a response. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  constructor(
    readonly fault: OutboundFault,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Trusted name servers know no address of the host: it does not exist, which is a valid result for most callers. */
export class UnknownHostError extends OutboundError {
  constructor() {
    super('unreachable', 'The host has no address.');
  }
}
