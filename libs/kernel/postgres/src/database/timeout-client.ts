import pg from 'pg';
import { endConnection } from './connection-watch.js';

/** Maximum wait that the timeouts of the queue allow, in milliseconds. */
const STATEMENT_TIMEOUT_MS = 6_000;
/** Milliseconds between two checks of a connection that only listens. */
const ASK_EVERY_MS = 2_000;

type AnyQuery = (...args: unknown[]) => unknown;

/**
 * A client for pools of other libraries: it ends its connection if a statement is not answered in time. The driver's own
 * `query_timeout` only abandons the statement and returns the dead connection to the pool. A connection that only listens
 * sends nothing and would never notice, so it is queried every two seconds.
 */
export class TimeoutClient extends pg.Client {
  static {
    // Assigned, because a single method cannot implement the driver's many overloads.
    const ask = Reflect.get(pg.Client.prototype, 'query') as AnyQuery;
    TimeoutClient.prototype.query = function (this: TimeoutClient, ...args: unknown[]): unknown {
      if (isListen(args[0])) this.askOften();
      const callback = args.at(-1);
      if (typeof callback === 'function') {
        const timer = this.startTimeout();
        const answered = (...answer: unknown[]): unknown => {
          clearTimeout(timer);
          return (callback as AnyQuery)(...answer);
        };
        return ask.apply(this, [...args.slice(0, -1), answered]);
      }
      // Serialised: the users of the listening connection do not know of each other.
      const answer = this.last.then(async () => {
        const timer = this.startTimeout();
        try {
          return await (ask.apply(this, args) as Promise<unknown>);
        } finally {
          clearTimeout(timer);
        }
      });
      this.last = answer.catch(() => undefined);
      return answer;
    } as unknown as typeof TimeoutClient.prototype.query;
  }

  private last: Promise<unknown> = Promise.resolve();
  private asking: NodeJS.Timeout | null = null;

  private startTimeout(): NodeJS.Timeout {
    return setTimeout(() => endConnection(this), STATEMENT_TIMEOUT_MS).unref();
  }

  private askOften(): void {
    if (this.asking !== null) return;
    const asking = setInterval(
      () => void this.query('SELECT 1').catch(() => undefined),
      ASK_EVERY_MS,
    ).unref();
    this.asking = asking;
    this.once('end', () => clearInterval(asking));
  }
}

function isListen(query: unknown): boolean {
  return typeof query === 'string' && /^\s*(--[^\n]*\n\s*)*LISTEN\b/i.test(query);
}
