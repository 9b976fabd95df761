import { followEvents, type QuarryEvent } from './events.js';
import { Pages, type PageOf } from './pages.js';
import { TIMEOUT_MS, type ApiRequest, type CallOptions, type Transport } from './transport.js';

/** Maximum seconds that the server holds a read. Source: contract, `wait_seconds`. */
const WAIT_SECONDS = 60;
/** Retries of a wait: about half a minute of pauses, so that it survives a restart of the server. */
const WAIT_RETRIES_MAX = 9;

export type Query = NonNullable<ApiRequest['query']>;

export interface WaitOptions extends CallOptions {
  /** Seconds that the server may hold a read until the work has ended, at most 60. */
  waitSeconds?: number;
}
export interface FreshOptions extends CallOptions {
  /** True for a new, billed search, even when a recent result exists. */
  isFresh?: boolean;
}
export interface SpendOptions extends CallOptions {
  /** Maximum cost in credits; 0 permits only free work. */
  maxCredits?: number;
}
export interface FollowOptions extends CallOptions {
  /** Event after which to start. */
  after?: string | undefined;
}

/**
 * Type of an operation. `get`, `query` and `pages` read: by an id, with a query, a list with pages; `wait` reads until the
 * work has ended, `follow` reads a stream of events. `post`, `put`, `patch` and `delete` are idempotent, and so is `act`, a
 * POST without a body. `make` creates something once, by its idempotency key; `trigger` does so without a body. `once` and
 * `repeat` are not idempotent and have no key, `repeat` without a body.
 */
type Kind = Exclude<keyof Calls, 'transport'>;

/** Type of an operation and the path after that of the resource, with `*` for each id. */
type Operation = Kind | `${Kind} /${string}`;

/** Sends requests, by the type of the operation. */
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
        // The server may hold a read for longer than the caller's own timeout.
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

/** Path of a resource, and its operations by method name. */
export type ResourceOperations<Methods> = readonly [base: string, Readonly<Record<keyof Methods, Operation>>];

/**
 * Creates the class of a resource from its operations. Arguments of a method: the ids of the path, then the body or the
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
 * Creates a path from its pattern.
 * @param ids are removed from the front, one for each `*`
 * @throws TypeError for an id that would lead to another path: an empty one, or `..`
 */
export function pathOf(pattern: string, ids: string[]): string {
  return pattern.replace(/\*/g, (_, at: number) => {
    const id = ids.shift()!;
    if (!id || /^\.\.?$/.test(id)) throw TypeError(`id is missing after ${pattern.slice(0, at)}`);
    return encodeURIComponent(id);
  });
}
