import { factsOfRequest, inSpan, isTracing, type SpanNotes } from '@quarry/tracing';
import type * as Undici from 'undici';
import type { AddressGuard } from './address-guard.js';
import { acceptedCodings, decodedBody } from './decoded-body.js';
import { OutboundError, type OutboundFault } from './outbound.error.js';

// Source: security rule for outbound calls.
const CONNECT_MS = 10_000;
const TOTAL_MS = 30_000;
const BYTES_MAX = 10 * 1024 * 1024;
const REDIRECTS_MAX = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers with credentials, which must not be sent to another origin. */
const PERSONAL = ['authorization', 'cookie', 'proxy-authorization'];

export interface OutboundRequest {
  url: string;
  method?: 'GET' | 'HEAD' | 'PATCH' | 'POST';
  headers?: Readonly<Record<string, string>>;
  /** Repeated only for redirects that keep the method (307, 308). */
  body?: string;
  signal?: AbortSignal;
  /** Total timeout including redirects, in milliseconds; 30,000 by default. */
  timeoutMs?: number;
  /** Maximum size of the response after decoding; 10 MiB by default. */
  bytesMax?: number;
  /** Truncates the response at `bytesMax` instead of failing. */
  canCut?: boolean;
  /** Reads only status and headers of a response outside the 200s. */
  skipErrorBody?: boolean;
  /** 5 by default; 0 returns the redirect itself. */
  redirectsMax?: number;
  /** Called for the URL and each redirect target, before a connection is made. */
  mayRead?: (url: URL) => Promise<void>;
}

export interface OutboundAnswer {
  /** URL of the response, after all redirects. */
  url: string;
  status: number;
  headers: Undici.Headers;
  /** Decoded body. */
  bytes: Buffer;
}

let undici: Promise<typeof Undici> | null = null;

/** Loads undici at the first call: it takes 9 MB and 90 ms of CPU, and most processes of an idle fleet call nobody. */
function loadUndici(): Promise<typeof Undici> {
  undici ??= import('undici');
  return undici;
}

/**
 * Sends requests to URLs that come from a customer, a page or a search. The guard checks every hop, size and time are
 * limited, and proxy variables of the environment are ignored.
 */
export class OutboundClient {
  /** Null until the first request. */
  private agents: Promise<Agents> | null = null;

  /** @param userAgent User-Agent of every request */
  constructor(
    private readonly guard: AddressGuard,
    private readonly userAgent: string,
  ) {}

  /**
   * @throws OutboundError
   * @throws the signal's reason when it fires
   */
  async sendRequest(request: OutboundRequest): Promise<OutboundAnswer> {
    request.signal?.throwIfAborted();
    // One signal and one timer: combined platform signals cost more than the rest of a call.
    const stop = new AbortController();
    const leave = (): void => stop.abort(request.signal?.reason);
    request.signal?.addEventListener('abort', leave, { once: true });
    let isLate = false;
    const late = (): void => {
      isLate = true;
      stop.abort();
    };
    const timer = setTimeout(late, request.timeoutMs ?? TOTAL_MS).unref();
    try {
      return await this.followRedirects(request, stop.signal);
    } catch (error) {
      // Stops everything that is left of a failed request.
      stop.abort();
      request.signal?.throwIfAborted();
      if (isLate) throw new OutboundError('too slow', 'The server took too long to answer.', error);
      throw asOutbound(error);
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', leave);
    }
  }

  /** Closes idle keep-alive connections. */
  async close(): Promise<void> {
    const agents = await this.agents;
    await Promise.all([agents?.guarded.destroy(), agents?.unguarded.destroy()]);
  }

  private async openAgents(): Promise<Agents> {
    const { Agent } = await loadUndici();
    // Each request has its own total timeout.
    const options = { headersTimeout: 0, bodyTimeout: 0 };
    const { lookup, allowedLookup } = this.guard;
    return {
      guarded: new Agent({ ...options, connect: { timeout: CONNECT_MS, lookup } }),
      unguarded: new Agent({ ...options, connect: { timeout: CONNECT_MS, lookup: allowedLookup } }),
    };
  }

  private async followRedirects(request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> {
    const { redirectsMax = REDIRECTS_MAX } = request;
    this.agents ??= this.openAgents();
    const { guarded, unguarded } = await this.agents;
    let { method = 'GET', body } = request;
    let headers: Record<string, string> = { ...request.headers };
    let url = this.guard.parseUrl(request.url);
    for (let redirects = 0; ; redirects += 1) {
      await request.mayRead?.(url);
      const response = await requestHop(url, {
        method,
        headers: headersOf(url, { ...headers, 'user-agent': this.userAgent }),
        signal,
        dispatcher: this.guard.isAllowed(url) ? unguarded : guarded,
        ...(body === undefined ? {} : { body }),
      });
      const next = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      if (next === null || redirectsMax === 0) return answerOf(url, { method, ...response }, request);
      response.body.destroy();
      if (redirects === redirectsMax)
        throw new OutboundError('too large', 'The address redirects too often.');
      const to = this.guard.parseUrl(next, url);
      if (to.origin !== url.origin) headers = withoutPersonal(headers);
      // Like browsers: the body is sent again only for redirects that demand it.
      if (method === 'POST' && response.status !== 307 && response.status !== 308)
        [method, body] = ['GET', undefined];
      url = to;
    }
  }
}

interface Agents {
  guarded: Undici.Agent;
  /** For hosts that the operator allows: names in the private network resolve to addresses that the guard would refuse. */
  unguarded: Undici.Agent;
}

/** A response up to the end of its headers. */
interface Head {
  status: number;
  headers: Undici.Headers;
  body: Undici.Dispatcher.ResponseData['body'];
}

type HopOptions = Parameters<typeof Undici.request>[1] & { method: Undici.Dispatcher.HttpMethod };

/** Requests one hop, up to the headers of its response. */
function requestHop(url: URL, options: HopOptions): Promise<Head> {
  if (!isTracing()) return headOf(url, options);
  return inSpan('client', options.method, factsOfRequest(options.method, url), async (span: SpanNotes) => {
    const head = await headOf(url, options);
    span.note({ 'http.response.status_code': head.status });
    return head;
  });
}

async function headOf(url: URL, options: HopOptions): Promise<Head> {
  const { Headers, request } = await loadUndici();
  const { statusCode: status, headers: given, body } = await request(url, options);
  // An abandoned body may still emit an error, which nobody else handles.
  body.on('error', () => undefined);
  const headers = new Headers();
  for (const [name, values] of Object.entries(given))
    for (const value of [values ?? []].flat()) headers.append(name, value);
  return { status, headers, body };
}

/** Returns the headers with the defaults of `fetch`: some servers do not respond without them. */
function headersOf(url: URL, headers: Readonly<Record<string, string>>): Record<string, string> {
  return {
    accept: '*/*',
    'accept-language': '*',
    'sec-fetch-mode': 'cors',
    'accept-encoding': acceptedCodings(url.protocol),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

async function answerOf(
  url: URL,
  { method, status, headers, body }: Head & { method: string },
  request: OutboundRequest,
): Promise<OutboundAnswer> {
  const { bytesMax = BYTES_MAX, canCut = false } = request;
  if (request.skipErrorBody && (status < 200 || status > 299)) {
    body.destroy();
    return { url: url.href, status, headers, bytes: Buffer.alloc(0) };
  }
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Counted while streaming: a small compressed body can expand to any size. Leaving the loop cancels the body.
  const decoded = hasBody ? await decodedBody(body, headers.get('content-encoding')) : body;
  for await (const chunk of decoded as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      if (!canCut) throw new OutboundError('too large', `The answer has more than ${bytesMax} bytes.`);
      chunks.push(chunk.subarray(0, chunk.byteLength - (bytes - bytesMax)));
      break;
    }
    chunks.push(chunk);
  }
  return { url: url.href, status, headers, bytes: Buffer.concat(chunks) };
}

function withoutPersonal(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !PERSONAL.includes(name.toLowerCase())),
  );
}

/** Unwraps the reason, which the runtime may wrap twice: the guard's refusal, an HTTP parser error, or a zlib code. */
function asOutbound(error: unknown): OutboundError {
  const causes: Array<{ name?: string; code?: string; cause?: unknown }> = [];
  for (let each = error; typeof each === 'object' && each !== null && causes.length < 5;) {
    if (each instanceof OutboundError) return each;
    causes.push(each);
    each = (each as { cause?: unknown }).cause;
  }
  const isNonsense = causes.some(
    ({ name, code }) =>
      name === 'HTTPParserError' || /^(Z_|HPE_|ERR_+BROTLI|ZSTD|UND_ERR_HEADERS_OVERFLOW)/.test(code ?? ''),
  );
  const fault: OutboundFault = isNonsense ? 'unreadable' : 'unreachable';
  return new OutboundError(
    fault,
    isNonsense ? 'The server answered with something that cannot be read.' : 'The server cannot be reached.',
    error,
  );
}
