import { ApiError, callApi } from '../api/http';
import type { Row, RowWindow } from '../api/resources';

export const PAGE_ROWS = 200;
/** Pages in memory: 100 pages of 200 rows take some 50 MB. The least recently used one is dropped. */
const PAGES_KEPT = 100;
/** Milliseconds that a page must stay in view before it is fetched. */
const SETTLE_MS = 80;
const RETRY_MS = 2_000;

type Page = readonly Row[] | 'loading' | 'failed';

/** Rows of one table or view by position, fetched in pages when they become visible. */
export class RowPages {
  readonly #pages = new Map<number, Page>();
  readonly #listeners = new Set<() => void>();
  /** Number of requests for each page. */
  readonly #tickets = new Map<number, number>();
  #version = 0;
  #revision: number | null = null;
  #wanted: readonly [number, number] = [0, -1];
  /** Pages whose rows are shown, but could not be read again. */
  readonly #stale = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param path of the window, with or without a view */
  constructor(private readonly path: string) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes whenever any page does. */
  readonly version = (): number => this.#version;

  /** @returns the row at a position; undefined until it is loaded */
  rowAt(index: number): Row | undefined {
    const page = this.#pages.get(Math.floor(index / PAGE_ROWS));
    return typeof page === 'object' ? page[index % PAGE_ROWS] : undefined;
  }

  hasFailedAt(index: number): boolean {
    return this.#pages.get(Math.floor(index / PAGE_ROWS)) === 'failed';
  }

  /** Fetches the missing pages of a range, after it has been wanted for a moment. */
  ensure(from: number, to: number): void {
    this.#wanted = [Math.floor(from / PAGE_ROWS), Math.floor(Math.max(from, to) / PAGE_ROWS)];
    const isFirst = this.#pages.size === 0;
    if (isFirst) this.#loadWanted();
    else if (this.#timer === undefined) this.#loadLater(SETTLE_MS);
  }

  /** Fetches visible pages again; the others when they become visible. */
  reload(): void {
    this.#dropUnseen();
    const [first, last] = this.#wanted;
    for (let page = first; page <= last; page += 1) void this.#load(page);
  }

  #dropUnseen(): void {
    const [first, last] = this.#wanted;
    for (const [page, rows] of this.#pages)
      if ((page < first || page > last) && rows !== 'loading') this.#pages.delete(page);
  }

  #loadLater(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#loadWanted();
    }, delayMs);
  }

  #loadWanted(): void {
    const [first, last] = this.#wanted;
    for (let page = first; page <= last; page += 1) {
      const known = this.#pages.get(page);
      if (known === undefined || this.#stale.has(page)) void this.#load(page);
      else {
        // Moved to the end: the order of the map is the order of use.
        this.#pages.delete(page);
        this.#pages.set(page, known);
      }
    }
  }

  async #load(page: number): Promise<void> {
    const before = this.#pages.get(page);
    const ticket = (this.#tickets.get(page) ?? 0) + 1;
    this.#tickets.set(page, ticket);
    this.#stale.delete(page);
    // Visible rows stay until the new ones arrive.
    if (before === undefined || before === 'failed') this.#pages.set(page, 'loading');
    try {
      const window = await callApi<RowWindow>(
        `${this.path}${this.path.includes('?') ? '&' : '?'}from=${page * PAGE_ROWS}&count=${PAGE_ROWS}`,
      );
      // A newer request for this page is open.
      if (this.#tickets.get(page) !== ticket) return;
      if (this.#revision !== null && window.revision !== this.#revision) this.#dropUnseen();
      this.#revision = window.revision;
      this.#pages.delete(page);
      this.#pages.set(page, window.items);
      for (const [oldest] of this.#pages) {
        if (this.#pages.size <= PAGES_KEPT) break;
        this.#pages.delete(oldest);
      }
    } catch (error) {
      const mayPass =
        error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
      if (this.#pages.get(page) === 'loading') {
        if (mayPass) this.#pages.delete(page);
        else this.#pages.set(page, 'failed');
      } else if (mayPass && this.#tickets.get(page) === ticket) this.#stale.add(page);
      if (mayPass) this.#loadLater((error.retryAfter ?? 0) * 1000 || RETRY_MS);
    }
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
