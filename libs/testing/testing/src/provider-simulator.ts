import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { pipeline, Readable } from 'node:stream';
import { HttpSite, listenLocally } from '@quarry/test-servers';

/** A received call. Times are of `performance.now()`. */
export interface SimulatedCall {
  /** The idempotency key. */
  searchId: string;
  service: string;
  behaviour: string;
  startedAt: number;
  endedAt: number | null;
  /** `left`: the caller closed the connection before the response was complete. */
  outcome: 'open' | 'answered' | 'dropped' | 'left';
  /** True if it ended in a way that allows one retry: 408, 429, 5xx or a broken connection. */
  isRepeatable: boolean;
}

const MEGABYTE = 1_048_576;
/** Size of a response that expands to 200 MB from about 200 kB: a caller that decompresses all of it shows up. */
const BOMB_BYTES = 200 * MEGABYTE;

type Behaviour = (call: {
  request: IncomingMessage;
  response: ServerResponse;
  answer: object;
  /** Number in the behaviour's name. */
  n: number;
  isFirst: boolean;
  /** Resolves when held calls are released. */
  released: Promise<void>;
}) => unknown;

/** Behaviours by the first label of the input's domain, or the first word of its question, without its number. */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  ok: ({ response, answer }) => send(response, 200, answer),
  miss: ({ response, answer }) =>
    send(response, 200, { ...answer, found: false, output: { email: null, status: null, confidence: null } }),
  'deep-miss': ({ response, answer }) =>
    send(response, 200, {
      found: false,
      deep: true,
      output: { ...(answer as { output: object }).output, email: null },
    }),
  'deep-fail': ({ response }) => send(response, 409, {}, { 'deep-finished': 'true' }),
  /** Example: slow-2s. */
  slow: async ({ response, answer, n }) => {
    await delay(n * 1000);
    send(response, 200, answer);
  },
  /** Example: busy-3s responds with 429 and Retry-After: 3. */
  busy: ({ response, n }) => send(response, 429, { error: 'secret-busy' }, { 'retry-after': String(n) }),
  /** Example: status-503. */
  status: ({ response, n }) => send(response, n, { error: 'secret-status' }),
  /** Fails the first call of a job and succeeds at the second. */
  flaky: ({ response, answer, isFirst }) =>
    isFirst ? send(response, 500, { error: 'secret-flaky' }) : send(response, 200, answer),
  moved: ({ response }) => send(response, 307, {}, { location: '/v1/elsewhere' }),
  hang: () => undefined,
  /** Responds when the test releases it. */
  held: async ({ response, answer, released }) => {
    await released;
    send(response, 200, answer);
  },
  reset: ({ request }) => request.socket.resetAndDestroy(),
  /** Carries out the lookup and drops the response. */
  drop: ({ request }) => request.socket.destroy(),
  cut: ({ request, response, answer }) => {
    const text = JSON.stringify(answer);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
  },
  garbage: ({ response }) => sendText(response, 200, '<html>It works!</html>'),
  binary: ({ response }) => response.writeHead(200).end(Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x80, 0x7d])),
  'no-http': ({ request }) => request.socket.end('This is no HTTP.\r\n\r\n'),
  schema: ({ response }) =>
    send(response, 200, { found: true, output: { email: 7, status: 'sure', surprise: true } }),
  hollow: ({ response }) =>
    send(response, 200, { found: true, output: { email: null, status: null, confidence: null } }),
  nested: ({ response }) =>
    sendText(response, 200, `{"found":true,"output":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`),
  /** Example: large-50m sends that many megabytes of a well-formed response, without a Content-Length. */
  large: ({ response, answer, n }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    pipeline(Readable.from(padded(answer, n * MEGABYTE)), response, ignored);
  },
  bomb: ({ response, answer }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    pipeline(Readable.from(padded(answer, BOMB_BYTES)), createGzip(), response, ignored);
  },
  'bad-gzip': ({ response }) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}').fill(7, 2)),
  nul: ({ response, answer }) => {
    const text = JSON.stringify(answer).replace('@', '\\u0000\\ud800@');
    sendText(response, 200, text);
  },
};

/**
 * A data vendor over real HTTP, with the protocol of docs/vendors.md. The input of a call selects its behaviour:
 * `{"domain": "busy-3s.vendor.test"}` gets 429 with Retry-After: 3. All received calls are recorded.
 */
export class ProviderSimulator extends HttpSite {
  readonly calls: SimulatedCall[] = [];
  /** Maximum number of concurrently open calls. */
  openMost = 0;
  /** Behaviour for every input, if set. */
  override: string | null = null;
  private open = 0;
  private holding = Promise.withResolvers<void>();
  private readonly sealed = new Set<string>();

  private constructor(
    server: Server,
    readonly key: string,
  ) {
    super(server);
    server.on('request', (request, response) => void this.meet(request, response));
    server.keepAliveTimeout = 60_000;
  }

  static async start(key = 'vendor-key'): Promise<ProviderSimulator> {
    return new ProviderSimulator(await listenLocally(), key);
  }

  get url(): string {
    return this.origin;
  }

  /** @returns calls whose input has this behaviour */
  callsOf(behaviour: string): SimulatedCall[] {
    return this.calls.filter((call) => call.behaviour === behaviour);
  }

  /** Number of open calls. */
  get openCalls(): number {
    return this.open;
  }

  /** Answers the calls that are currently `held`; later ones wait for the next release. */
  release(): void {
    this.holding.resolve();
    this.holding = Promise.withResolvers();
  }

  private async meet(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const service = /^\/v1\/lookups\/(\w+)$/.exec(request.url ?? '')?.[1];
    const isMine = request.headers.authorization === `Bearer ${this.key}`;
    if (!isMine || !service || request.method !== 'POST') return send(response, isMine ? 404 : 401, {});
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: Record<string, unknown> };
    const behaviour = this.override ?? wordOf(input);
    const call = this.begin(request, response, { service, behaviour });
    const name = /^(.*?)(?:-(\d+)[sm]?)?$/.exec(behaviour)!;
    const behave = BEHAVIOURS[name[1]!] ?? BEHAVIOURS.ok!;
    const isFirst = !this.sealed.has(call.searchId);
    this.sealed.add(call.searchId);
    const n = Number(name[2] ?? 0);
    const released = this.holding.promise;
    await behave({ request, response, answer: answerOf(service, input), n, isFirst, released });
  }

  private begin(
    request: IncomingMessage,
    response: ServerResponse,
    seen: Pick<SimulatedCall, 'service' | 'behaviour'>,
  ): SimulatedCall {
    const call: SimulatedCall = {
      ...seen,
      searchId: String(request.headers['idempotency-key'] ?? ''),
      startedAt: performance.now(),
      endedAt: null,
      outcome: 'open',
      isRepeatable: false,
    };
    this.calls.push(call);
    this.open += 1;
    this.openMost = Math.max(this.openMost, this.open);
    const isOurs = /^(drop|cut|reset|no-http)$/.test(seen.behaviour);
    // Emitted after a complete response and also when the connection ends earlier.
    response.once('close', () => {
      call.endedAt = performance.now();
      call.outcome = response.writableFinished ? 'answered' : isOurs ? 'dropped' : 'left';
      const { statusCode } = response;
      call.isRepeatable =
        isOurs || (statusCode >= 500 && response.headersSent) || [408, 429].includes(statusCode);
      this.open -= 1;
    });
    return call;
  }
}

function wordOf(input: Record<string, unknown>): string {
  const text = String(input.domain ?? input.question ?? input.linkedin_url ?? 'ok');
  return text.replace(/^.*\/in\//, '').split(/[.\s/]/)[0]!;
}

/** Returns a result that matches the output schema of the service. */
function answerOf(service: string, input: Record<string, unknown>): object {
  if (service === 'getEmail') {
    const email =
      `${String(input.first_name)}.${String(input.last_name)}@${String(input.domain)}`.toLowerCase();
    return { found: true, deep: false, output: { email, status: 'verified', confidence: 'high' } };
  }
  if (service === 'getPhoneNumber') {
    const number = '+12125550123';
    const phone = { number, country: 'US', line_type: 'mobile', line_status: 'active', source: 'simulator' };
    return { found: true, deep: false, output: { phone_number: number, phones: [phone] } };
  }
  if (service === 'webResearch')
    return { found: true, output: { answer: 'Yes.', confidence: 'low', sources: [] } };
  const items = service === 'getLinkedInUserComments' ? 'comments' : 'reactions';
  return { found: false, output: { [items]: [] } };
}

/** Yields a response padded with white space, in chunks of 64 KiB, so that the simulator itself stays small. */
function* padded(answer: object, bytes: number): Generator<Buffer> {
  yield Buffer.from(JSON.stringify(answer));
  const piece = Buffer.alloc(65_536, ' ');
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
}

function send(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  sendText(response, status, JSON.stringify(body), headers);
}

function sendText(response: ServerResponse, status: number, text: string, headers: object = {}): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

function ignored(): void {
  // The caller disconnected on purpose.
}
