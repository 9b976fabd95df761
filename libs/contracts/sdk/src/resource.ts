import { followEvents, type QuarryEvent } from './events.js';
import { Pages, type PageOf } from './pages.js';
import { TIMEOUT_MS, type ApiRequest, type CallOptions, type Transport } from './transport.js';

/** Longest time that a read is held. Source: contract, `wait_seconds`. */
const WAIT_SECONDS = 60;
/** About half a minute of pauses: a wait outlives a restart. */
const WAIT_RETRIES_MAX = 9;

export type Query = NonNullable<ApiRequest['query']>;

export interface WaitOptions extends CallOptions {
  /** Seconds that a read may be held until the work has ended, at most 60. */
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

/**
 * Way in which a method reaches its operation. `get`, `query` and `pages` read: by an id, with a query, a list in
 * pages; `wait` reads until the work has ended, `follow` reads a stream of events. `post`, `put`, `patch` and `delete`
 * are the same however often they are done, `act` is such a POST without a body. `make` makes something once, by its
 * key; `trigger` does so without a body. `once` and `repeat` are not the same when they are done twice and have no key,
 * `repeat` without a body.
 */
type Kind = Exclude<keyof Calls, 'transport'>;

/** A kind, and what stands behind the path of the resource, with `*` for each id. */
type Operation = Kind | `${Kind} /${string}`;

/** Sends requests, by what they do. */
export class Calls {
  constructor(readonly transport: Transport) {}

  get<Answer>(path: string, options?: WaitOptions): Promise<Answer> {
    return this.query(path, undefined, options);
  }

  query<Answer>(path: string, query?: Query, options?: WaitOptions): Promise<Answer> {
    return this.transport.request({ path, query: { wait_seconds: options?.waitSeconds, ...query } }, options);
  }

  pages<Page extends PageOf<unknown>>(
    path: string,
    query?: Query,
    options?: CallOptions,
  ): Pages<Page['items'][number], Page> {
    return new Pages((place) => this.query<Page>(path, { ...query, ...place }, options));
  }

  async wait<Answer extends { status: string }>(path: string, options?: CallOptions): Promise<Answer> {
    for (;;) {
      const answer = await this.get<Answer>(path, {
        retriesMax: WAIT_RETRIES_MAX,
        ...options,
        waitSeconds: WAIT_SECONDS,
        // A read is held longer than some callers want to wait for an answer.
        timeoutMs: TIMEOUT_MS,
      });
      if (!/queued|running|recovering/.test(answer.status)) return answer;
    }
  }

  follow(path: string, options?: FollowOptions, query?: Query): AsyncGenerator<QuarryEvent> {
    return followEvents(this.transport, { path, query }, options);
  }

  make<Answer>(
    path: string,
    body: unknown = {},
    options?: FreshOptions & SpendOptions,
    more?: Partial<ApiRequest>,
  ): Promise<Answer> {
    const headers = { ...freshHeader(options), 'quarry-max-credits': options?.maxCredits?.toString() };
    return this.transport.request(
      { method: 'POST', path, body, headers, needsKey: 'made', ...more },
      options,
    );
  }

  trigger<Answer>(path: string, options?: CallOptions): Promise<Answer> {
    return this.make(path, undefined, options);
  }

  once<Answer>(path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.make(path, body, options, { needsKey: 'given' });
  }

  repeat<Answer>(path: string, options?: CallOptions): Promise<Answer> {
    return this.once(path, undefined, options);
  }

  post<Answer>(
    path: string,
    body: unknown = {},
    options?: FreshOptions,
    method: ApiRequest['method'] = 'POST',
  ): Promise<Answer> {
    return this.transport.request({ method, path, body, headers: freshHeader(options) }, options);
  }

  put<Answer>(path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    return this.post(path, body, options, 'PUT');
  }

  patch<Answer>(path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    return this.post(path, body, options, 'PATCH');
  }

  act<Answer>(path: string, options?: CallOptions): Promise<Answer> {
    return this.transport.request({ method: 'POST', path }, options);
  }

  delete<Answer>(path: string, options?: CallOptions): Promise<Answer> {
    return this.transport.request({ method: 'DELETE', path }, options);
  }
}

function freshHeader(options?: FreshOptions): { 'service-fresh': 'true' | undefined } {
  return { 'service-fresh': options?.isFresh ? 'true' : undefined };
}

/** Path of a resource, and its operations by the names of their methods. */
export type ResourceOperations<Methods> = readonly [base: string, Readonly<Record<keyof Methods, Operation>>];

/**
 * Makes the class of a resource from its operations: ids of the path come first among the arguments of a method, then the body or the
 * query, then the options.
 */
export function defineResource<Methods extends object>([base, operations]: ResourceOperations<Methods>): new (
  transport: Transport,
) => Methods & { readonly calls: Calls } {
  class Resource {
    readonly calls: Calls;
    constructor(transport: Transport) {
      this.calls = new Calls(transport);
    }
  }
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const [kind, suffix = ''] = operation.split(' ') as [Kind, string?];
    Object.assign(Resource.prototype, {
      [name](this: Resource, ...args: never[]): unknown {
        const path = pathOf(base + suffix, args);
        return (this.calls[kind] as (...parts: unknown[]) => unknown)(path, args[0], args[1]);
      },
    });
  }
  return Resource as unknown as new (transport: Transport) => Methods & { readonly calls: Calls };
}

/**
 * Makes a path of its pattern.
 * @param ids are taken from the front, one for each `*`
 * @throws TypeError for one that would lead to another path: an empty one, or a step up
 */
export function pathOf(pattern: string, ids: string[]): string {
  return pattern.replace(/\*/g, (_, at: number) => {
    const id = ids.shift()!;
    if (!id || /^\.\.?$/.test(id)) throw TypeError(`id is missing after ${pattern.slice(0, at)}`);
    return encodeURIComponent(id);
  });
}
