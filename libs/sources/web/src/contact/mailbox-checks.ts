import { entriesAtMost, KeyedSemaphore, SearchDeadline } from '@quarry/resilience';
import { LRUCache } from 'lru-cache';
import {
  ProviderFailure,
  SearchLostError,
  type Cost,
  type LookupProvider,
  type ProviderCall,
} from '@quarry/engine';

/** State of a mailbox. `invalid` includes every address that must not be used as a person's. */
export type MailboxState = 'valid' | 'invalid' | 'catch_all' | 'unknown';

export interface MailboxCheck {
  state: MailboxState;
  /** Charges of each provider that was called. */
  costs: readonly Cost[];
  /** Error when no provider could be called; null when one was called, or none is available. */
  failure: unknown;
}

/** Milliseconds for two servers of a domain at ten seconds each and a vendor, without the wait for a turn. */
const CHECK_MS = 25_000;
/** Milliseconds that results for a domain are cached: the same as for its site. */
const KEPT_MS = 30 * 60_000;
const DOMAINS_KEPT = 10_000;
/**
 * Maximum number of concurrent checks per domain: later checks of a list can use what the first ones learn about the
 * server.
 */
const AT_ONCE = 2;
/** Longest wait for a turn: thousands of checks at one company must not occupy all slots while its server is slow. */
const TURN_WAIT_MS = 180_000;
/**
 * Provider name of mail servers: their result for a domain holds for all organisations, unlike that of an organisation's
 * vendor.
 */
const MAIL_SERVERS = 'mail-servers';

/** Calls the verifying provider, with few concurrent calls per domain, and caches catch-all domains. */
export class MailboxChecks {
  private readonly catchAll = new LRUCache<string, true>({ ...entriesAtMost(DOMAINS_KEPT), ttl: KEPT_MS });
  private readonly turns = new LRUCache<string, KeyedSemaphore>(entriesAtMost(DOMAINS_KEPT));

  /** @param own provider used when a call does not specify one */
  constructor(private readonly own: Pick<LookupProvider, 'answerCall'>) {}

  /**
   * @param n number of the check within this search
   * @returns the state of the mailbox; `unknown` when no provider can be called
   * @throws ProviderFailure `capacity` when too many checks wait for this domain; SearchLostError; the signal's reason when
   *   it fires
   */
  async checkMailbox(email: string, call: ProviderCall, n: number): Promise<MailboxCheck> {
    const domain = email.slice(email.lastIndexOf('@') + 1);
    const lookup = call.lookupFor ? await call.lookupFor('verifyEmail') : this.own;
    if (this.catchAll.has(domain)) return { ...NOT_ASKED, state: 'catch_all' };
    if (!lookup) return NOT_ASKED;
    const leave = await this.takeTurn(domain, call);
    const time = new SearchDeadline(CHECK_MS);
    try {
      if (this.catchAll.has(domain)) return { ...NOT_ASKED, state: 'catch_all' };
      const answer = await lookup.answerCall({
        service: 'verifyEmail',
        input: { email },
        searchId: `${call.searchId}_${n}`,
        signal: AbortSignal.any([call.signal, time.signal]),
        holdDeadline: () => holdClocks([call.holdDeadline?.(), time.hold()]),
      });
      const state = stateOf(answer.output.status);
      if (state === 'catch_all' && answer.provider === MAIL_SERVERS) this.catchAll.set(domain, true);
      const { trail = [{ cost: answer.cost ?? null }] } = answer;
      return { state, costs: trail.flatMap(({ cost }) => cost ?? []), failure: null };
    } catch (error) {
      call.signal.throwIfAborted();
      if (error instanceof SearchLostError) throw error;
      // A provider that could not be called gives no information.
      return { ...NOT_ASKED, failure: error };
    } finally {
      time.clear();
      leave();
    }
  }

  /** Waits for a turn of the domain; the deadline of the search is paused meanwhile. */
  private async takeTurn(domain: string, call: ProviderCall): Promise<() => void> {
    const limit = this.turns.get(domain) ?? new KeyedSemaphore({ size: AT_ONCE });
    this.turns.set(domain, limit);
    const letDeadlineGoOn = call.holdDeadline?.();
    const turnTimeout = AbortSignal.timeout(TURN_WAIT_MS);
    try {
      return await limit.enter('mailbox', AbortSignal.any([call.signal, turnTimeout]));
    } catch (error) {
      call.signal.throwIfAborted();
      throw new ProviderFailure('capacity', 'Too many addresses of this domain are being verified.', {
        provider: 'web',
        isTransient: true,
        cause: error,
      });
    } finally {
      letDeadlineGoOn?.();
    }
  }
}

const NOT_ASKED: MailboxCheck = { state: 'unknown', costs: [], failure: null };

/** @returns a function that resumes all of the clocks */
function holdClocks(clocks: ReadonlyArray<(() => void) | undefined>): () => void {
  return () => clocks.forEach((letGoOn) => letGoOn?.());
}

function stateOf(status: unknown): MailboxState {
  return status === 'valid' || status === 'catch_all' || status === 'unknown' ? status : 'invalid';
}
