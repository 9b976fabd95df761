import type { Writable } from 'node:stream';

const gathering = new WeakSet<Writable>();

/**
 * Sends everything that is written to a stream in one turn of the event loop as one write. Requests that arrive together
 * then cost one system call and wake the peer once. The delay is at most one turn of the event loop.
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
