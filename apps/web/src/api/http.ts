import { currentMode } from './mode';
import { OpenRequests } from './open-requests';

/** One field of a refused request, as the error envelope names it. */
interface ErrorDetail {
  readonly path: string | readonly string[];
  readonly message: string;
}

/** An error envelope, or no answer at all (`code` is then `unreachable`, or `unanswered` after a long wait). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: readonly ErrorDetail[] = [],
    /** Seconds after which the same request may succeed; null when the server names none. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON; a Blob is sent unchanged, with its own type. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Called when the server answers that the session is not open. Returns null, or a promise of the next session. */
let onSignedOut: () => Promise<void> | null = () => null;
/** Called when the server answers a change with 404, which is also its answer to a role without permission. */
let onNothingToChange: () => void = () => undefined;

/** Called before each request. Returns whether the page is about to be left, so that nothing may be sent. */
let isLeaving: () => boolean = () => false;

export function handleRequest(listener: () => boolean): void {
  isLeaving = listener;
}

export function handleSignedOut(listener: () => Promise<void> | null): void {
  onSignedOut = listener;
}

export function handleNothingToChange(listener: () => void): void {
  onNothingToChange = listener;
}

/**
 * Calls the public API with the session of this browser, in the current mode.
 * @param path of the public API, such as `/v1/runs`
 * @returns the body of the answer; undefined when it has none
 * @throws ApiError for every unsuccessful answer
 */
export function callApi<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  return sendRequest(`/app/api/${currentMode()}${path}`, options);
}

/**
 * Calls routes that only a session may use: keys, members, sessions.
 * @param path such as `/keys`
 */
export function callApp<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  return sendRequest(`/app/api${path}`, options);
}

/** @returns the address of a file of the public API, such as an export, for this browser */
export function fileAddress(path: string): string {
  return `/app/api/${currentMode()}${path}`;
}

/** Sends a request, and again after the next sign-in when the session has ended: the server has done nothing for it then. */
async function sendRequest<Answer>(address: string, options: RequestOptions): Promise<Answer> {
  if (isLeaving()) return new Promise(() => undefined);
  const { response, text } = await fetchAnswer(address, options);
  if (!response.ok) {
    const error = errorOf(response, text);
    if (error.status === 401 && error.code === 'not_authenticated') {
      const isBack = onSignedOut();
      if (isBack && address !== '/app/api/session') {
        await isBack;
        return sendRequest(address, options);
      }
    }
    if ((options.method ?? 'GET') !== 'GET' && error.code === 'not_found') onNothingToChange();
    throw error;
  }
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** Milliseconds after which a request without an answer is given up. A large export takes up to five minutes. */
const READ_MS = 60_000;
const CHANGE_MS = 360_000;

/** @throws ApiError when the server cannot be reached, or does not answer */
async function fetchAnswer(
  address: string,
  { method = 'GET', body, headers, signal }: RequestOptions,
): Promise<{ response: Response; text: string }> {
  const isFile = body instanceof Blob;
  const late = new AbortController();
  // The upload of a file takes as long as the network needs.
  const timer = isFile ? undefined : setTimeout(() => late.abort(), method === 'GET' ? READ_MS : CHANGE_MS);
  try {
    const response = await fetch(address, {
      method,
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      credentials: 'same-origin',
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': isFile ? body.type : 'application/json' }),
        ...headers,
      },
      body: isFile ? body : JSON.stringify(body),
    });
    return { response, text: await response.text() };
  } catch (error) {
    if (signal?.aborted) throw error;
    if (late.signal.aborted)
      throw new ApiError(
        0,
        'unanswered',
        'Quarry has not answered. Check whether it is done already, and try again.',
      );
    throw new ApiError(
      0,
      'unreachable',
      'Quarry cannot be reached. Check your connection and that Quarry is running, and try again.',
    );
  } finally {
    clearTimeout(timer);
  }
}

function errorOf(response: Response, text: string): ApiError {
  const retryAfter = Number(response.headers.get('Retry-After')) || null;
  try {
    const { error } = JSON.parse(text) as {
      error: { code: string; message: string; details?: ErrorDetail[] };
    };
    return new ApiError(response.status, error.code, error.message, error.details, retryAfter);
  } catch {
    return new ApiError(
      response.status,
      'internal_error',
      `The server failed with status ${response.status}. Try again; if it fails again, tell the operator.`,
      [],
      retryAfter,
    );
  }
}

/** @returns a sentence for users: the message and, if the envelope names fields, each of them */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong in this page. Reload it and try again.';
  const wait = error.status === 429 && error.retryAfter ? ` Try again in ${error.retryAfter} s.` : '';
  const places = error.details
    .filter(({ message }) => !error.message.includes(message))
    .map(({ path, message }) => `${Array.isArray(path) ? path.join('.') : String(path)}: ${message}`);
  return [error.message + wait, ...places].join(' ');
}

/** @returns what a refusal says about a field, such as `settings.url`, or a part of it; undefined when it does not mention it */
export function problemOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.details.find(({ path }) => path === field || path.toString().startsWith(`${field}.`))?.message;
}

/** Returns whether the server has another request under the key, or its result is gone, such as a revoked API key. */
const isSpent = (error: unknown) =>
  error instanceof ApiError && error.code === 'idempotency_conflict' && error.retryAfter === null;

const openRequests = new OpenRequests(() => crypto.randomUUID(), isSpent);

/**
 * Posts a request that spends credits or creates something. A second press while the first request is open, and a retry after a
 * missing answer, are the same request.
 * @param path of the public API, such as `/v1/go/runs`, or with {@link callApp} of the routes of sessions
 * @param body sent as JSON; a file is sent unchanged
 * @throws ApiError for every unsuccessful answer
 */
export function callOnce<Answer>(path: string, body: object, call = callApi): Promise<Answer> {
  const content = body instanceof File ? `${body.size} ${body.lastModified}` : JSON.stringify(body);
  return openRequests.send(`${currentMode()} ${path} ${content}`, (key) =>
    call<Answer>(path, { method: 'POST', body, headers: { 'Idempotency-Key': key } }),
  );
}
