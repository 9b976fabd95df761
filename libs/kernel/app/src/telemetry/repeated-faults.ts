/** Interval at which a message that repeats while a server is unavailable is logged again. */
const EACH_MS = 60_000;
/** Maximum number of tracked messages; all further ones are tracked as one. */
const SENTENCES_MAX = 200;
const OTHERS = '';

/** Error codes of the system, and of PostgreSQL: connection exceptions, a refused login, and a server that stops or starts. */
const AWAY =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|08...|28...|57P0[123])$/;
/** Messages of drivers without a code: a lost connection, and a login that Redis refuses. */
const CUT =
  /^(Connection (terminated|is closed)|WRONGPASS|NOAUTH|Command timed out|The queue \S+ does not answer|PostgreSQL does not answer)/;

interface Fault {
  code?: unknown;
  message?: unknown;
  cause?: unknown;
}

/** @returns whether an error, or one of its causes, says that a server is unavailable, or refuses the login */
export function isAway(error: unknown): boolean {
  let each = error as Fault | undefined;
  for (let depth = 0; depth < 5 && typeof each === 'object' && each !== null; depth += 1) {
    if (typeof each.code === 'string' && AWAY.test(each.code)) return true;
    if (typeof each.message === 'string' && CUT.test(each.message)) return true;
    each = each.cause as Fault | undefined;
  }
  return false;
}

/** Limits log lines while a server is unavailable, when every caller logs the same error for each request. */
export class RepeatedFaults {
  private readonly logged = new Map<string, { atMs: number; unsaid: number }>();

  /** @param nowMs monotonic milliseconds */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** @returns whether to log it now, and how many times it has been suppressed since it was last logged */
  admitMessage(sentence: string): { isDue: boolean; unsaid: number } {
    const key = this.logged.has(sentence) || this.hasCapacity() ? sentence : OTHERS;
    const last = this.logged.get(key);
    if (last && this.nowMs() - last.atMs < EACH_MS) {
      last.unsaid += 1;
      return { isDue: false, unsaid: last.unsaid };
    }
    this.logged.set(key, { atMs: this.nowMs(), unsaid: 0 });
    return { isDue: true, unsaid: last?.unsaid ?? 0 };
  }

  private hasCapacity(): boolean {
    if (this.logged.size < SENTENCES_MAX) return true;
    for (const [sentence, { atMs }] of this.logged)
      if (this.nowMs() - atMs >= EACH_MS) this.logged.delete(sentence);
    return this.logged.size < SENTENCES_MAX;
  }
}
