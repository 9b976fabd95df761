import { AppError } from '@quarry/error-codes';
import type { RateClass, RateClassName } from './rate-class.catalogue.js';
import type { RateLimitStore, RateRequest, RateVerdict } from './rate-limit.store.js';

/** Key whose requests are counted. */
export interface LimitedKey {
  id: string;
  userId: string;
}

/** Verdict on one request of a class. */
export interface Admission extends Omit<RateVerdict, 'outcome'> {
  /** Reason why it is not admitted; null when it is. */
  refusal: AppError | null;
  /** Releases its concurrency slot; null when it has none. */
  release: (() => void) | null;
}

/** Counts the requests of a key against the budgets of their classes. */
export class KeyLimiter {
  constructor(
    private readonly rateLimits: RateLimitStore,
    private readonly rateClasses: Record<RateClassName, RateClass>,
  ) {}

  /** Counts one request; synchronously when the counters are in this process. */
  admitRequest({ id: keyId, userId }: LimitedKey, name: RateClassName): Admission | Promise<Admission> {
    const rateClass = this.rateClasses[name];
    // A caller may choose its request id, so it cannot identify a slot; our own id is unique.
    const taken: RateRequest = { keyId, userId, rateClass, requestId: newPlaceId() };
    const verdict = this.rateLimits.takeRequest(taken);
    return isVerdict(verdict)
      ? this.toAdmission(taken, verdict)
      : verdict.then((each) => this.toAdmission(taken, each));
  }

  private toAdmission(taken: RateRequest, { outcome, ...counted }: RateVerdict): Admission {
    const holdsPlace = outcome === 'admitted' && taken.rateClass.concurrency !== null;
    return {
      ...counted,
      refusal: refusalOf(outcome, taken.rateClass, counted.resetSeconds),
      release: holdsPlace ? () => this.rateLimits.releaseRequest(taken) : null,
    };
  }
}

function refusalOf(
  outcome: RateVerdict['outcome'],
  { name, budget }: RateClass,
  resetSeconds: number,
): AppError | null {
  if (outcome === 'window')
    return rateLimited(
      `The rate limit of this key is exceeded: ${budget} requests per minute in the class “${name}”. Try again in ${resetSeconds} s.`,
      resetSeconds,
    );
  // One second: slots become free as answers are sent. Source: public contract, Rate limits.
  if (outcome === 'concurrency')
    return rateLimited('Too many requests of this kind are in progress. Try again when one has finished.', 1);
  return null;
}

/** @returns the refusal of a request above a limit */
export function rateLimited(message: string, retryAfterSeconds: number): AppError {
  return new AppError('rate_limited', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

let places = 0;

/** Unique within this process and, by its random start, among several. */
function newPlaceId(): string {
  places += 1;
  return `${PROCESS}-${places}`;
}

const PROCESS = Math.random().toString(36).slice(2);

function isVerdict(verdict: RateVerdict | Promise<RateVerdict>): verdict is RateVerdict {
  return 'outcome' in verdict;
}
