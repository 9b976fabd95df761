import { followEvents, type QuarryEvent } from './events.js';
import { Pages, type PageOf } from './pages.js';
import type { ApiRequest, CallOptions, Transport } from './transport.js';

/** Longest time that a read is held. Source: contract, `wait_seconds`. */
const WAIT_SECONDS = 60;

export type Query = NonNullable<ApiRequest['query']>;

export interface WaitOptions extends CallOptions {
  /** How long a read may be held until the work has ended, at most 60. */
  waitSeconds?: number;
}
export interface FreshOptions extends CallOptions {
  /** A new, billed search, even when a recent answer exists. */
  isFresh?: boolean;
}
export interface SpendOptions extends CallOptions {
  /** The most that it may cost, in credits; 0 lets only free work run. */
  maxCredits?: number;
}
export interface FollowOptions extends CallOptions {
  /** The event after which to begin. */
  after?: string | undefined;
}

/** Makes the path of a resource. @example pathOf`/v1/runs/${id}` */
export function pathOf(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: parts }, ...ids.map(encodeURIComponent));
}

/** What the resources of the API have in common. */
export abstract class Resource {
  constructor(protected readonly transport: Transport) {}

  protected read<Answer>(path: string, options?: WaitOptions, query?: Query): Promise<Answer> {
    return this.transport.request({ path, query: { wait_seconds: options?.waitSeconds, ...query } }, options);
  }

  protected pages<Page extends PageOf<unknown>>(
    path: string,
    query?: Query,
    options?: CallOptions,
  ): Pages<Page['items'][number], Page> {
    return new Pages((place) => this.read<Page>(path, options, { ...query, ...place }));
  }

  /** Sends what makes something: once, by its key. */
  protected make<Answer>(
    path: string,
    body: unknown,
    options?: FreshOptions & SpendOptions,
    more?: Partial<ApiRequest>,
  ): Promise<Answer> {
    const headers = {
      'service-fresh': options?.isFresh ? 'true' : undefined,
      'quarry-max-credits': options?.maxCredits?.toString(),
    };
    return this.transport.request(
      { method: 'POST', path, body, headers, repeatable: 'with key', ...more },
      options,
    );
  }

  /** Sends what is not the same when it is done twice, and has no key. */
  protected once<Answer>(path: string, options?: CallOptions, body?: unknown): Promise<Answer> {
    return this.make(path, body, options, { repeatable: 'with own key' });
  }

  /** Sends what is the same however often it is done. */
  protected change<Answer>(
    method: ApiRequest['method'],
    path: string,
    options?: CallOptions,
    body?: unknown,
  ): Promise<Answer> {
    return this.transport.request({ method, path, body }, options);
  }

  /** Reads until the work has ended. */
  protected async waitFor<Answer extends { status: string }>(
    path: string,
    options?: CallOptions,
  ): Promise<Answer> {
    for (;;) {
      const answer = await this.read<Answer>(path, { ...options, waitSeconds: WAIT_SECONDS });
      if (!/queued|running|recovering/.test(answer.status)) return answer;
    }
  }

  protected followAll(path: string, options?: FollowOptions, query?: Query): AsyncGenerator<QuarryEvent> {
    return followEvents(this.transport, { path, query }, options);
  }
}
