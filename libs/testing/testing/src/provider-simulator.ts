import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { pipeline, Readable } from 'node:stream';

/** One call as the vendor saw it. Times are of `performance.now()`. */
export interface SimulatedCall {
  /** The idempotency key. */
  searchId: string;
  service: string;
  behaviour: string;
  startedAt: number;
  endedAt: number | null;
  /** `left`: the caller closed the connection before it had a whole answer. */
  outcome: 'open' | 'answered' | 'dropped' | 'left';
  /** True where it ended in a way that the caller may repeat once: 408, 429, 5xx or a broken connection. */
  isRepeatable: boolean;
}

const MEGABYTE = 1_048_576;
/** Unfolds to 200 MB from about 200 kB: whoever unfolds all of it is seen. */
const BOMB_BYTES = 200 * MEGABYTE;

type Behaviour = (call: {
  request: IncomingMessage;
  response: ServerResponse;
  answer: object;
  /** Number in the behaviour's name. */
  n: number;
  isFirst: boolean;
  /** Of the calls that are held. */
  released: Promise<void>;
}) => unknown;

/** By the first label of the input's domain, or of the first word of its question, without its number. */
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
  /** slow-2s */
  slow: async ({ response, answer, n }) => {
    await delay(n * 1000);
    send(response, 200, answer);
  },
  /** busy-3s: 429 with Retry-After: 3 */
  busy: ({ response, n }) => send(response, 429, { error: 'secret-busy' }, { 'retry-after': String(n) }),
  /** status-503 */
  status: ({ response, n }) => send(response, n, { error: 'secret-status' }),
  /** flaky: fails the first call of a line, finds at the second */
  flaky: ({ response, answer, isFirst }) =>
    isFirst ? send(response, 500, { error: 'secret-flaky' }) : send(response, 200, answer),
  moved: ({ response }) => send(response, 307, {}, { location: '/v1/elsewhere' }),
  hang: () => undefined,
  /** held: answered when the test releases it */
  held: async ({ response, answer, released }) => {
    await released;
    send(response, 200, answer);
  },
  reset: ({ request }) => request.socket.resetAndDestroy(),
  /** The lookup is carried out, and its answer is lost. */
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
  nested: ({ response }) =>
    sendText(response, 200, `{"found":true,"output":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`),
  /** large-50m: that many megabytes of a well-formed answer, without saying so before */
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
 * A data vendor over real HTTP, by the protocol of docs/vendors.md. A call's input chooses its behaviour:
 * `{"domain": "busy-3s.vendor.test"}` is answered 429 with Retry-After: 3. Everything it saw can be read.
 */
export class ProviderSimulator {
  readonly calls: SimulatedCall[] = [];
  /** Most calls that were open at once. */
  openMost = 0;
  /** Milliseconds that every call takes before its behaviour. */
  latencyMs = 0;
  /** Behaviour that every input meets when it is set. */
  override: string | null = null;
  private open = 0;
  private holding = Promise.withResolvers<void>();
  private readonly sealed = new Set<string>();

  private constructor(
    private readonly server: Server,
    readonly key: string,
  ) {}

  static async start(key = 'vendor-key'): Promise<ProviderSimulator> {
    const server = createServer();
    const simulator = new ProviderSimulator(server, key);
    server.on('request', (request, response) => void simulator.meet(request, response));
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return simulator;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** @returns calls of the inputs whose behaviour has this name */
  callsOf(behaviour: string): SimulatedCall[] {
    return this.calls.filter((call) => call.behaviour === behaviour);
  }

  /** Calls that it has begun and not ended. */
  get openCalls(): number {
    return this.open;
  }

  /** Answers the calls that are `held` now; later ones wait for the next time. */
  release(): void {
    this.holding.resolve();
    this.holding = Promise.withResolvers();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
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
    if (this.latencyMs > 0) await delay(this.latencyMs);
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
    // Comes after a whole answer as well as when the connection ends before it.
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

/** A find that meets the output schema of the service. */
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

/** An answer with white space behind it, in pieces of 64 KiB, so that the simulator itself stays small. */
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
  // The caller hung up on purpose.
}
