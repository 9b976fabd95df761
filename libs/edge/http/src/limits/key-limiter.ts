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
  /** Why it is not admitted; null when it is. */
  refusal: AppError | null;
  /** Gives its place among those in flight back; null where none is held. */
  release: (() => void) | null;
}

/** Counts what a key asks for against the budgets of its classes. */
export class KeyLimiter {
  constructor(
    private readonly rateLimits: RateLimitStore,
    private readonly rateClasses: Record<RateClassName, RateClass>,
  ) {}

  /** Counts one request; at once where the counting is in this process. */
  admitRequest({ id: keyId, userId }: LimitedKey, name: RateClassName): Admission | Promise<Admission> {
    const rateClass = this.rateClasses[name];
    // The id is the caller's choice where it sends one, so it cannot name a place; ours is unique.
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
      `The request budget of this key is used up: ${budget} requests a minute of the class “${name}”. Send it again in ${resetSeconds} s.`,
      resetSeconds,
    );
  // One second: places come free as answers go out. Source: public contract, Rate limits.
  if (outcome === 'concurrency') return rateLimited('Too many requests of this kind are in flight.', 1);
  return null;
}

/** @returns the refusal of one request too many */
export function rateLimited(message: string, retryAfterSeconds: number): AppError {
  return new AppError('rate_limited', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

let places = 0;

/** Unique within this process and, by the random start, among several. */
function newPlaceId(): string {
  places += 1;
  return `${PROCESS}-${places}`;
}

const PROCESS = Math.random().toString(36).slice(2);

function isVerdict(verdict: RateVerdict | Promise<RateVerdict>): verdict is RateVerdict {
  return 'outcome' in verdict;
}
