/** The embedded server cannot run; the message tells the operator what to do. */
export class PostgresServerError extends Error {
  override readonly name = 'PostgresServerError';
}
