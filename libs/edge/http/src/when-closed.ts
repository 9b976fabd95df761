import type { ServerResponse } from 'node:http';

/**
 * Runs a function once an answer is over, because it ended or the client has disconnected: at once if it is over already, since
 * `close` is not emitted again.
 */
export function whenClosed(response: ServerResponse, work: () => void): void {
  if (response.closed) work();
  else response.once('close', work);
}
