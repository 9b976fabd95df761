import type { SendOutcome } from '@quarry/mail';
import { pauseMs, retryInMs } from './retry-schedule.js';

/** State of a message after an attempt. */
export interface AttemptEnd {
  /** `planned` when the attempt says nothing about the message. */
  state: 'sent' | 'unknown' | 'rejected' | 'deferred' | 'planned';
  /** Milliseconds until the next attempt. */
  nextInMs: number;
  /** True when it counts towards the attempts of the message. */
  isFailure: boolean;
  /** True when the address does not exist. */
  isBounce: boolean;
  reason: string | null;
}

const NO_END = { nextInMs: 0, isFailure: false, isBounce: false, reason: null };

/**
 * Returns what an attempt means for its message.
 * @param tries failed attempts before
 */
export function endOfAttempt(outcome: SendOutcome, tries: number): AttemptEnd {
  if (outcome.kind === 'accepted') return { ...NO_END, state: 'sent' };
  if (outcome.kind === 'unknown') return { ...NO_END, state: 'unknown' };
  if (outcome.kind === 'failed') {
    if (outcome.cause !== 'connection') return { ...NO_END, state: 'planned' };
    // An unreachable server says nothing about the message: it is not given up before its mailbox is.
    return { ...NO_END, state: 'deferred', nextInMs: pauseMs(tries + 1), isFailure: true };
  }
  if (outcome.isPermanent) {
    const isBounce = outcome.stage === 'recipient' && saysNobody(outcome);
    return { ...NO_END, state: 'rejected', isBounce, reason: isBounce ? 'hard_bounce' : 'refused' };
  }
  const nextInMs = retryInMs(tries + 1);
  if (nextInMs === null) return { ...NO_END, state: 'rejected', reason: 'undeliverable' };
  return { ...NO_END, state: 'deferred', nextInMs, isFailure: true };
}

/**
 * Returns whether a permanent refusal means that the address does not exist. The enhanced status is more precise than the code
 * (RFC 3463).
 */
function saysNobody({ code, status }: { code: number; status: string | null }): boolean {
  return status === null ? [550, 551, 553].includes(code) : status.startsWith('5.1.');
}
