import { ApiError, ConnectionError, TimeoutError, type ErrorDetail } from './errors.js';

/** Longer than the 60 seconds of a held read, shorter than the 300 after which some clients abort a request themselves. */
export const TIMEOUT_MS = 90_000;
/** Idle timeout of downloads and streams, which have no total timeout. Event streams contain a comment every 15 s. */
const IDLE_MS = 45_000;
const RETRIES_MAX = 2;
const PAUSE_FIRST_MS = 500;
const PAUSE_MAX_MS = 8_000;
/** Longest pause requested by the server that is waited for; a longer one is reported as an error. */
const RETRY_AFTER_SECONDS_MAX = 60;

export interface QuarryOptions {
  /** API key from Settings, API keys; default: `QUARRY_API_KEY`. */
  apiKey?: string;
  /** Address of Quarry, such as `https://quarry.example.com`; default: `QUARRY_URL`, else `http://localhost:3000`. */
  baseUrl?: string;
  /** Timeout of each attempt in milliseconds, including the body. */
  timeoutMs?: number;
  /** Maximum number of retries; 0 for none. */
  retriesMax?: number;
  fetch?: typeof fetch;
}

/** Options of each call. */
export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  retriesMax?: number;
  /**
   * Requests with the same key and body get the same response for 24 hours. If omitted, one is generated, except for fast
   * services.
   */
  idempotencyKey?: string;
}

export interface ApiRequest {
  /** Default: GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** Path, or a link from a response. */
  path: string;
  query?:
    Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>> | undefined;
  /** Sent as JSON, except a Blob, which is sent unchanged. */
  body?: unknown;
  headers?: Readonly<Record<string, string | undefined>>;
  /**
   * Idempotency key required for a retry: `made` generates one if the caller gives none, `given` needs one from the caller.
   * Omitted for idempotent requests. A request that the server has not started (429) is always retried.
   */
  needsKey?: 'made' | 'given';
  timeoutMs?: number;
}

type Environment = { process?: { env?: Readonly<Record<string, string | undefined>> } };

/** Sends requests: authentication, retries, timeouts and errors. */
export class Transport {
  readonly baseUrl: URL;
  private readonly apiKey: string;
  private readonly options: QuarryOptions;

  constructor(options: QuarryOptions = {}) {
    const environment = (globalThis as Environment).process?.env ?? {};
    const apiKey = options.apiKey ?? environment.QUARRY_API_KEY;
    if (!apiKey) throw new TypeError('apiKey is missing: set it, or QUARRY_API_KEY.');
    this.apiKey = apiKey;
    const url = options.baseUrl ?? environment.QUARRY_URL ?? 'http://localhost:3000';
    if (!/^https?:/i.test(url)) throw new TypeError(`baseUrl must be http(s), not ${url}`);
    this.baseUrl = new URL(url.replace(/\/?$/, '/'));
    this.options = options;
  }

  /**
   * Sends a request, with retries if permitted, and parses its JSON.
   * @returns undefined for a response without a body
   * @throws ApiError; ConnectionError when the last attempt got no response; the signal's reason
   */
  async request<Answer>(request: ApiRequest, options: CallOptions = {}): Promise<Answer> {
    const timeoutMs = options.timeoutMs ?? request.timeoutMs ?? this.options.timeoutMs ?? TIMEOUT_MS;
    return this.retry(request, options, async (send) => {
      const time = AbortSignal.timeout(timeoutMs);
      try {
        const response = await send(time);
        const text = await response.text();
        if (!response.ok) throw errorOf(response, text);
        return (text === '' ? undefined : JSON.parse(text)) as Answer;
      } catch (error) {
        throw connectionErrorOf(error, time, timeoutMs);
      }
    });
  }

  /**
   * Opens a response with a streamed body.
   * @returns the response and its chunks; the time between chunks is limited, the total time is not
   * @throws like {@link request}, until the first chunk; afterwards the chunks throw ConnectionError
   */
  async stream(
    request: ApiRequest,
    options: CallOptions = {},
  ): Promise<{ response: Response; pieces: AsyncGenerator<Uint8Array> }> {
    const timeoutMs = options.timeoutMs ?? IDLE_MS;
    return this.retry(request, options, async (send) => {
      const idle = new AbortController();
      const withinTime = async <T>(work: Promise<T>): Promise<T> => {
        const timer = setTimeout(() => idle.abort(), timeoutMs);
        try {
          return await work;
        } catch (error) {
          throw connectionErrorOf(error, idle.signal, timeoutMs);
        } finally {
          clearTimeout(timer);
        }
      };
      const response = await withinTime(send(idle.signal));
      if (!response.ok) throw errorOf(response, await withinTime(response.text()));
      return { response, pieces: piecesOf(response, withinTime) };
    });
  }

  private async retry<T>(
    request: ApiRequest,
    options: CallOptions,
    work: (send: (limit: AbortSignal) => Promise<Response>) => Promise<T>,
  ): Promise<T> {
    const { needsKey } = request;
    const key =
      needsKey && (options.idempotencyKey ?? (needsKey === 'made' ? crypto.randomUUID() : undefined));
    const isRepeatable = !needsKey || key !== undefined;
    const retriesMax = options.retriesMax ?? this.options.retriesMax ?? RETRIES_MAX;
    const { url, init } = this.prepare(request, key);
    const { fetch: ask = fetch } = this.options;
    for (let retries = 0; ; retries += 1) {
      try {
        return await work((limit) =>
          ask(url, { ...init, signal: options.signal ? AbortSignal.any([options.signal, limit]) : limit }),
        );
      } catch (error) {
        options.signal?.throwIfAborted();
        if (retries >= retriesMax || !mayRepeat(error, isRepeatable)) throw error;
        const { retryAfterSeconds: seconds } = error as Partial<ApiError>;
        if (seconds != null && seconds > RETRY_AFTER_SECONDS_MAX) throw error;
        const jitter = Math.random() * Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** retries);
        await pauseFor(seconds == null ? jitter : seconds * 1000, options.signal);
      }
    }
  }

  private prepare(request: ApiRequest, key: string | undefined): { url: URL; init: RequestInit } {
    const url = new URL(request.path.replace(/^\/(?!\/)/, ''), this.baseUrl);
    // A key belongs to one server: a link to another origin does not get it.
    if (url.origin !== this.baseUrl.origin)
      throw new TypeError(`${url.origin} is not ${this.baseUrl.origin}.`);
    for (const [name, value] of Object.entries(request.query ?? {}))
      if (value != null) url.searchParams.set(name, String(value));
    const { body } = request;
    const isJson = body !== undefined && !(body instanceof Blob);
    const headers = new Headers();
    for (const [name, value] of Object.entries({
      authorization: `Bearer ${this.apiKey}`,
      'content-type': isJson ? 'application/json' : undefined,
      'idempotency-key': key,
      ...request.headers,
    }))
      if (value !== undefined) headers.set(name, value);
    return {
      url,
      init: {
        method: request.method ?? 'GET',
        headers,
        redirect: 'error',
        body: isJson ? JSON.stringify(body) : body,
      },
    };
  }
}

function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof ApiError) return error.isRetryable && (isRepeatable || error.status === 429);
  return error instanceof ConnectionError && isRepeatable;
}

async function* piecesOf(
  response: Response,
  withinTime: <T>(work: Promise<T>) => Promise<T>,
): AsyncGenerator<Uint8Array> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function errorOf(response: Response, text: string): ApiError {
  const after = response.headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000;
  const { code, message, details } = refusalOf(text);
  return new ApiError(
    message ?? `The server answered ${response.status}.`,
    response.status,
    code ?? 'unknown_error',
    details ?? [],
    response.headers.get('x-request-id'),
    Number.isFinite(seconds) ? Math.max(0, seconds) : null,
  );
}

interface Refusal {
  code?: string;
  message?: string;
  details?: ErrorDetail[];
}

function refusalOf(text: string): Refusal {
  try {
    return (JSON.parse(text) as { error?: Refusal } | null)?.error ?? {};
  } catch {
    // A proxy may respond with an HTML page.
    return {};
  }
}

function connectionErrorOf(error: unknown, limit: AbortSignal, timeoutMs: number): unknown {
  if (error instanceof ApiError || error instanceof ConnectionError) return error;
  if (limit.aborted) return new TimeoutError(`No data arrived for ${timeoutMs / 1000} s.`, { cause: error });
  return new ConnectionError('The connection broke, or this is not Quarry.', { cause: error });
}

/** @throws the signal's reason as soon as it fires */
export function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
