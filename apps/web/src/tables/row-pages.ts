import { ApiError, callApi } from '../api/http';
import type { Row, RowWindow } from '../api/resources';

export const PAGE_ROWS = 200;
/** 100 pages of 200 rows are some 50 MB; what was seen longest ago goes. */
const PAGES_KEPT = 100;
/** Pages that are scrolled past faster than this are never fetched. */
const SETTLE_MS = 80;
const RETRY_MS = 2_000;

type Page = readonly Row[] | 'loading' | 'failed';

/** Rows of one table or view by their place, fetched in pages as they come into sight. */
export class RowPages {
  readonly #pages = new Map<number, Page>();
  readonly #listeners = new Set<() => void>();
  /** Number of requests for each page. */
  readonly #tickets = new Map<number, number>();
  #version = 0;
  #revision: number | null = null;
  #wanted: readonly [number, number] = [0, -1];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param path the address of the window, with a view or without */
  constructor(private readonly path: string) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes whenever any page does. */
  readonly version = (): number => this.#version;

  /** @returns the row at a place; undefined while it is not there yet */
  rowAt(index: number): Row | undefined {
    const page = this.#pages.get(Math.floor(index / PAGE_ROWS));
    return typeof page === 'object' ? page[index % PAGE_ROWS] : undefined;
  }

  hasFailedAt(index: number): boolean {
    return this.#pages.get(Math.floor(index / PAGE_ROWS)) === 'failed';
  }

  /** Fetches what is missing of a range of places, once it has been wanted for a moment. */
  ensure(from: number, to: number): void {
    this.#wanted = [Math.floor(from / PAGE_ROWS), Math.floor(Math.max(from, to) / PAGE_ROWS)];
    const isFirst = this.#pages.size === 0;
    if (isFirst) this.#loadWanted();
    else if (this.#timer === undefined) this.#loadLater(SETTLE_MS);
  }

  /** Fetches pages in sight again; the others when they come into sight. */
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
      if (known === undefined) void this.#load(page);
      else {
        // Moved to the end: the map's order says what was used last.
        this.#pages.delete(page);
        this.#pages.set(page, known);
      }
    }
  }

  async #load(page: number): Promise<void> {
    const before = this.#pages.get(page);
    const ticket = (this.#tickets.get(page) ?? 0) + 1;
    this.#tickets.set(page, ticket);
    // Rows that are on the screen stay there until the new ones come.
    if (before === undefined || before === 'failed') this.#pages.set(page, 'loading');
    try {
      const window = await callApi<RowWindow>(
        `${this.path}${this.path.includes('?') ? '&' : '?'}from=${page * PAGE_ROWS}&count=${PAGE_ROWS}`,
      );
      // It was asked for again meanwhile: that answer is younger.
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
      }
      if (mayPass) this.#loadLater((error.retryAfter ?? 0) * 1000 || RETRY_MS);
    }
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
