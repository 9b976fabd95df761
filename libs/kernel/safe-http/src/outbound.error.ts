/** Why a server elsewhere gave no readable answer. */
export type OutboundFault =
  /** The address may not be asked: its scheme, port, credentials, or where it leads. */
  | 'refused'
  /** The site's robots.txt, or the status of its answer, asks programs like this one to stay away. */
  | 'unwelcome'
  /** No connection, or one that broke before the answer was complete. */
  | 'unreachable'
  /** The time was up. */
  | 'too slow'
  /** More bytes than were allowed, counted after decoding, or more redirects. */
  | 'too large'
  /** Bytes that are no HTTP or no valid compression. */
  | 'unreadable';

/** The message names no address that a name stands for: it may end up in an answer. */
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

/** Name servers that can be trusted know no address of the host: it does not exist, which is an answer to most questions. */
export class UnknownHostError extends OutboundError {
  constructor() {
    super('unreachable', 'The host has no address.');
  }
}
