import { orAborted } from '@quarry/engine';
import { LRUCache } from 'lru-cache';

/** Milliseconds that a failure is cached; shorter, because an unreachable site may recover. */
const FAILURE_KEPT_MS = 60_000;

/**
 * Caches results and shares them between concurrent callers, so that each is computed once. A caller that aborts does not
 * stop the work for the others. Limited in size and time, per process.
 */
export class SharedAnswers<T extends object> {
  private readonly kept: LRUCache<string, Promise<T>>;

  constructor({ max, keptMs }: { max: number; keptMs: number }) {
    this.kept = new LRUCache({ max, ttl: keptMs });
  }

  /**
   * @param find is not aborted with a caller, so it must end by itself
   * @param isWhole returns whether a result is complete; another one is cached only as long as a failure
   * @returns the cached result, or a new one
   * @throws the error of `find`, cached for a minute; the signal's reason when it fires before
   */
  async getAnswer(
    key: string,
    find: () => Promise<T>,
    signal: AbortSignal,
    isWhole: (answer: T) => boolean = () => true,
  ): Promise<T> {
    const known = this.kept.get(key) ?? this.beginSearch(key, find, isWhole);
    return orAborted(known, signal);
  }

  private beginSearch(key: string, find: () => Promise<T>, isWhole: (answer: T) => boolean): Promise<T> {
    const work = find();
    this.kept.set(key, work);
    const forget = (): void => {
      if (this.kept.peek(key) === work) this.kept.set(key, work, { ttl: FAILURE_KEPT_MS });
    };
    work.then((answer) => isWhole(answer) || forget(), forget);
    return work;
  }
}
