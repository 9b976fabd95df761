import type { ServerResponse } from 'node:http';

/**
 * Does something once an answer is over, by its end or because the client has left: at once where it is over already, as
 * `close` does not come a second time.
 */
export function whenClosed(response: ServerResponse, work: () => void): void {
  if (response.closed) work();
  else response.once('close', work);
}
