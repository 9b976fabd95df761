import { ConcurrencyLimit } from '@quarry/call-policy';
import { LRUCache } from 'lru-cache';
import {
  SearchLostError,
  type Cost,
  type LookupProvider,
  type ProviderCall,
} from '../../ports/lookup.port.js';
import { timedSignal } from '../../ports/timed-signal.js';

/** What is known of a mailbox. `invalid` stands for everything that must not be written to as a person's. */
export type MailboxState = 'valid' | 'invalid' | 'catch_all' | 'unknown';

/** Two servers of a domain at ten seconds, and a vendor's answer. */
const CHECK_MS = 25_000;
/** As long as what its site says. */
const KEPT_MS = 30 * 60_000;
const DOMAINS_KEPT = 10_000;
/** People of one company in one list ask one server: what the first hear of the domain, the next need not ask. */
const AT_ONCE = 2;

/** Asks whoever verifies addresses, few at once for a domain, and remembers domains that take all mail. */
export class MailboxChecks {
  private readonly catchAll = new LRUCache<string, true>({ max: DOMAINS_KEPT, ttl: KEPT_MS });
  private readonly turns = new LRUCache<string, ConcurrencyLimit>({ max: DOMAINS_KEPT });

  /** @param own asked where a call does not say who verifies addresses */
  constructor(private readonly own: Pick<LookupProvider, 'run'>) {}

  /**
   * @param n which question of this search it is
   * @returns what is known of the mailbox, and what asking has cost; `unknown` also where nobody can be asked
   * @throws SearchLostError; the signal's reason when it fires
   */
  async check(
    email: string,
    call: ProviderCall,
    n: number,
  ): Promise<{ state: MailboxState; cost: Cost | null }> {
    const domain = email.slice(email.lastIndexOf('@') + 1);
    const asked = call.lookupFor ? await call.lookupFor('verifyEmail') : this.own;
    if (this.catchAll.has(domain)) return { state: 'catch_all', cost: null };
    if (!asked) return { state: 'unknown', cost: null };
    const leave = await this.turn(domain, call);
    try {
      if (this.catchAll.has(domain)) return { state: 'catch_all', cost: null };
      const answer = await asked.run({
        service: 'verifyEmail',
        input: { email },
        searchId: `${call.searchId}_${n}`,
        signal: timedSignal(CHECK_MS, call.signal),
      });
      const state = stateOf(answer.output.status);
      if (state === 'catch_all') this.catchAll.set(domain, true);
      return { state, cost: answer.cost ?? null };
    } catch (error) {
      call.signal.throwIfAborted();
      if (error instanceof SearchLostError) throw error;
      // Whoever could not be asked has said nothing.
      return { state: 'unknown', cost: null };
    } finally {
      leave();
    }
  }

  /** A search that waits for others of its company keeps the time of its deadline. */
  private async turn(domain: string, call: ProviderCall): Promise<() => void> {
    const limit = this.turns.get(domain) ?? new ConcurrencyLimit(AT_ONCE);
    this.turns.set(domain, limit);
    const letDeadlineGoOn = call.holdDeadline?.();
    try {
      return await limit.enter('mailbox', call.signal);
    } finally {
      letDeadlineGoOn?.();
    }
  }
}

function stateOf(status: unknown): MailboxState {
  return status === 'valid' || status === 'catch_all' || status === 'unknown' ? status : 'invalid';
}
