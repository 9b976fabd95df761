import { setTimeout as pauseFor } from 'node:timers/promises';
import { entriesAtMost, KeyedSemaphore } from '@quarry/resilience';
import { LRUCache } from 'lru-cache';
import { readingOrganisation } from './reading-organisation.js';

/** Concurrent requests per host: one more than per organisation, whose requests may hang until they time out. */
const AT_ONCE = 3;
const AT_ONCE_OF_ONE = 2;
/** Time between the starts of two requests. */
const PAUSE_MS = 250;
const HOSTS_KEPT = 10_000;

interface HostState {
  readonly places: KeyedSemaphore;
  /** Monotonic time at which the next request may start. */
  dueAt: number;
}

/** Rate limit per host, so that large batches do not overload a site. Organisations take turns. */
export class HostTurns {
  private readonly hosts = new LRUCache<string, HostState>(entriesAtMost(HOSTS_KEPT));

  /**
   * @param pauseMs time between the starts of two requests to one host; 250 by default
   * @param burst number of requests that may start at once after as many idle pauses; one by default
   */
  constructor(
    private readonly pauseMs: number = PAUSE_MS,
    private readonly burst: number = 1,
  ) {}

  /**
   * Waits for a turn at a host.
   * @param pauseMs pause that the host itself demands; it gets no burst then
   * @returns the function that ends the turn
   * @throws the signal's reason if it fires first
   */
  async takeTurn(
    host: string,
    { pauseMs = 0, signal }: { pauseMs?: number; signal: AbortSignal },
  ): Promise<() => void> {
    const state = this.stateOf(host);
    const leave = await state.places.enter(readingOrganisation(), signal);
    const now = performance.now();
    const early = pauseMs > this.pauseMs ? 0 : (this.burst - 1) * this.pauseMs;
    const startsAt = Math.max(now, state.dueAt - early);
    state.dueAt = Math.max(startsAt, state.dueAt) + Math.max(this.pauseMs, pauseMs);
    try {
      if (startsAt > now) await pauseFor(startsAt - now, undefined, { signal });
    } catch {
      leave();
      throw signal.reason;
    }
    return leave;
  }

  private stateOf(host: string): HostState {
    const known = this.hosts.get(host);
    if (known) return known;
    const fresh: HostState = {
      places: new KeyedSemaphore({ size: AT_ONCE, each: AT_ONCE_OF_ONE }),
      dueAt: 0,
    };
    this.hosts.set(host, fresh);
    return fresh;
  }
}
