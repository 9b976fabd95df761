import { setTimeout as pauseFor } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** Requests to one host at once, and the least time between the starts of two. */
const AT_ONCE = 2;
const PAUSE_MS = 250;
const HOSTS_KEPT = 10_000;

interface HostState {
  running: number;
  /** Monotonic time before which nothing starts. */
  notBefore: number;
  waiting: Array<() => void>;
}

/** Requests to one host come one after the other, so that no site suffers from a list of its pages. */
export class HostTurns {
  private readonly hosts = new LRUCache<string, HostState>({ max: HOSTS_KEPT });

  /** @param pauseMs least time between the starts of two requests to one host; 250 when left out */
  constructor(private readonly pauseMs: number = PAUSE_MS) {}

  /**
   * Waits for a turn at a host.
   * @param pauseMs what the host itself asks for between two requests
   * @returns what ends the turn
   * @throws the signal's reason when it fires before
   */
  async take(
    host: string,
    { pauseMs = 0, signal }: { pauseMs?: number; signal: AbortSignal },
  ): Promise<() => void> {
    const state = this.stateOf(host);
    signal.throwIfAborted();
    while (state.running >= AT_ONCE) await woken(state, signal);
    state.running += 1;
    const now = performance.now();
    const startsAt = Math.max(now, state.notBefore);
    state.notBefore = startsAt + Math.max(this.pauseMs, pauseMs);
    const leave = (): void => {
      state.running -= 1;
      state.waiting.shift()?.();
    };
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
    const fresh: HostState = { running: 0, notBefore: 0, waiting: [] };
    this.hosts.set(host, fresh);
    return fresh;
  }
}

function woken(state: HostState, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = (): void => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const stop = (): void => {
      state.waiting = state.waiting.filter((each) => each !== give);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
    state.waiting.push(give);
  });
}
