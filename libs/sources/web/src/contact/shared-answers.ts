import { LRUCache } from 'lru-cache';

/** A failure is forgotten sooner: what could not be reached may be back. */
const FAILURE_KEPT_MS = 60_000;

/**
 * Keeps what was found out for others that ask the same, and asks once for all that ask at the same time. A caller who gives up leaves
 * the work to the others. Bounded in number and in time, for one process.
 */
export class SharedAnswers<T extends object> {
  private readonly kept: LRUCache<string, Promise<T>>;

  constructor({ max, keptMs }: { max: number; keptMs: number }) {
    this.kept = new LRUCache({ max, ttl: keptMs });
  }

  /**
   * @param find is not told when a caller gives up, so it must end by itself
   * @param isWhole whether an answer may be kept for the whole time; another one is kept as long as a failure
   * @returns what is known, or is found out now
   * @throws what `find` throws, for a minute; the signal's reason when it fires before
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

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const end = (): void => signal.removeEventListener('abort', stop);
    work.then(
      (answer) => {
        end();
        resolve(answer);
      },
      (error: unknown) => {
        end();
        reject(error as Error);
      },
    );
  });
}
