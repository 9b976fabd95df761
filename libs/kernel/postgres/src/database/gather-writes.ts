import type { Writable } from 'node:stream';

const gathering = new WeakSet<Writable>();

/**
 * Sends what is written to a stream during this turn of the event loop as one write. Requests that arrived together
 * then cost one system call, and wake the other side once, instead of once each; nothing waits longer than it takes
 * to look at what else has arrived.
 */
export function gatherWrites(stream: Writable): void {
  if (gathering.has(stream)) return;
  gathering.add(stream);
  stream.cork();
  setImmediate(() => {
    gathering.delete(stream);
    stream.uncork();
  });
}
