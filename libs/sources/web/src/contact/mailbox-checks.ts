import { entriesAtMost, KeyedSemaphore, SearchDeadline } from '@quarry/resilience';
import { LRUCache } from 'lru-cache';
import {
  ProviderFailure,
  SearchLostError,
  type Cost,
  type LookupProvider,
  type ProviderCall,
} from '@quarry/engine';

/** State of a mailbox. `invalid` stands for everything that must not be written to as a person's. */
export type MailboxState = 'valid' | 'invalid' | 'catch_all' | 'unknown';

export interface MailboxCheck {
  state: MailboxState;
  /** Charges of each provider that was called. */
  costs: readonly Cost[];
  /** Why nobody could be asked; null where somebody was, or nobody is there to be asked. */
  failure: unknown;
}

/** Two servers of a domain at ten seconds, and a vendor's answer; without the wait for a turn. */
const CHECK_MS = 25_000;
/** As long as what its site says. */
const KEPT_MS = 30 * 60_000;
const DOMAINS_KEPT = 10_000;
/** People of one company in one list ask one server: what the first hear of the domain, the next need not ask. */
const AT_ONCE = 2;
/** A list of thousands at one company must not hold the places of all others for as long as its server takes. */
const TURN_WAIT_MS = 180_000;
/** Account of mail servers: their findings on a domain hold for everybody, whatever an organisation's vendor says. */
const MAIL_SERVERS = 'mail-servers';

/** Asks whoever verifies addresses, few at once for a domain, and remembers domains that take all mail. */
export class MailboxChecks {
  private readonly catchAll = new LRUCache<string, true>({ ...entriesAtMost(DOMAINS_KEPT), ttl: KEPT_MS });
  private readonly turns = new LRUCache<string, KeyedSemaphore>(entriesAtMost(DOMAINS_KEPT));

  /** @param own asked where a call does not say who verifies addresses */
  constructor(private readonly own: Pick<LookupProvider, 'answerCall'>) {}

  /**
   * @param n which question of this search it is
   * @returns what is known of the mailbox; `unknown` also where nobody can be asked
   * @throws ProviderFailure `capacity` when too many ask about this domain; SearchLostError; the signal's reason when it fires
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
      // Whoever could not be asked has said nothing.
      return { ...NOT_ASKED, failure: error };
    } finally {
      time.clear();
      leave();
    }
  }

  /** A search that waits for others of its company keeps the time of its deadline. */
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

/** @returns what lets all of the clocks go on */
function holdClocks(clocks: ReadonlyArray<(() => void) | undefined>): () => void {
  return () => clocks.forEach((letGoOn) => letGoOn?.());
}

function stateOf(status: unknown): MailboxState {
  return status === 'valid' || status === 'catch_all' || status === 'unknown' ? status : 'invalid';
}
