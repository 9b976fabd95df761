import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

/** Answer of a vendor to one call. */
export interface VendorReply {
  /** 200 when left out. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  text?: string | Buffer;
  /** `text` again and again, until the caller leaves. */
  isEndless?: boolean;
  /** Nothing is ever answered. */
  hangs?: boolean;
}

/** A call as a vendor's reference describes it, with its answer. */
export interface VendorExchange {
  method: 'GET' | 'POST';
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  reply: VendorReply;
}

/** A call as the simulator saw it. */
export interface SimulatedVendorCall {
  method: string;
  path: string;
  query: Readonly<Record<string, string>>;
  /** Lower case. */
  headerNames: readonly string[];
  /** Undefined when there was none. */
  body: unknown;
  /** The key stood in its header, and was the right one. */
  hasKey: boolean;
  /** The key stood somewhere else: in the address, in another header, in the body. */
  leaksKey: boolean;
  /** `left`: the caller closed the connection before it had a whole answer. */
  outcome: 'open' | 'answered' | 'left';
}

export interface VendorSimulatorOptions {
  /** Header of the key; null for a vendor that needs none. */
  key: { header: string; prefix?: string | undefined; value: string } | null;
  /** Answer to a call without the right key. */
  refusal: VendorReply;
}

/**
 * Plays any vendor over real HTTP. It answers what its script says, in order, and keeps a log. A call that the script
 * does not expect next is answered 404 and named in {@link unexpectedCalls}.
 */
export class VendorSimulator {
  readonly calls: SimulatedVendorCall[] = [];
  /** Calls that the script did not expect, in words. */
  readonly unexpectedCalls: string[] = [];
  private script: VendorExchange[] = [];
  private before: VendorReply[] = [];
  private forEach: ((call: SimulatedVendorCall) => VendorReply | null) | null = null;

  private constructor(
    private readonly server: Server,
    private readonly options: VendorSimulatorOptions,
  ) {}

  static async start(options: VendorSimulatorOptions): Promise<VendorSimulator> {
    const server = createServer().listen(0, '127.0.0.1');
    const simulator = new VendorSimulator(server, options);
    server.on('request', (request, response) => void simulator.meet(request, response));
    await once(server, 'listening');
    return simulator;
  }

  /** `host:port`, as FETCH_ALLOW_HOSTS wants it. */
  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /**
   * Forgets everything, and answers these calls in this order.
   * @param before answers to the first calls, whatever they are; the script begins behind them
   */
  play(script: readonly VendorExchange[], before: readonly VendorReply[] = []): void {
    this.calls.length = 0;
    this.unexpectedCalls.length = 0;
    this.script = [...script];
    this.before = [...before];
    this.forEach = null;
  }

  /** Answers every call with what `reply` gives for it; null is an unexpected call. */
  playAlways(reply: (call: SimulatedVendorCall) => VendorReply | null): void {
    this.play([]);
    this.forEach = reply;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async meet(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request).catch(() => '');
    const call = this.noted(request, sent);
    // Comes after a whole answer as well as when the connection ends before it.
    response.once('close', () => (call.outcome = response.writableFinished ? 'answered' : 'left'));
    send(response, call.hasKey ? this.replyTo(call) : this.options.refusal);
  }

  private noted(request: IncomingMessage, sent: string): SimulatedVendorCall {
    const { key } = this.options;
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const { [key?.header.toLowerCase() ?? '']: shown, ...others } = request.headers;
    const elsewhere = `${request.url}\n${JSON.stringify(others)}\n${sent}`;
    const call: SimulatedVendorCall = {
      method: request.method ?? '',
      path: decodeURIComponent(pathname),
      query: Object.fromEntries(searchParams),
      headerNames: Object.keys(request.headers),
      body: sent === '' ? undefined : (JSON.parse(sent) as unknown),
      hasKey: key === null || shown === `${key.prefix ?? ''}${key.value}`,
      leaksKey: key !== null && decodeURIComponent(elsewhere).includes(key.value),
      outcome: 'open',
    };
    this.calls.push(call);
    return call;
  }

  private replyTo(call: SimulatedVendorCall): VendorReply {
    const early = this.before.shift();
    if (early) return early;
    if (this.forEach) return this.forEach(call) ?? this.unexpected(call, 'nothing');
    const next = this.script.shift();
    if (!next) return this.unexpected(call, 'no further call');
    const { method, path, query = {}, body, reply } = next;
    const expected = { method, path, query: { ...query }, body };
    const seen = { method: call.method, path: call.path, query: call.query, body: call.body };
    return isDeepStrictEqual(seen, expected) ? reply : this.unexpected(call, JSON.stringify(expected));
  }

  private unexpected({ method, path, query, body }: SimulatedVendorCall, expected: string): VendorReply {
    this.unexpectedCalls.push(`${JSON.stringify({ method, path, query, body })} in place of ${expected}`);
    return { status: 404 };
  }
}

function send(
  response: ServerResponse,
  { status = 200, headers = {}, body, text: raw, isEndless, hangs }: VendorReply,
): void {
  if (hangs) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  const whole = raw ?? JSON.stringify(body ?? {});
  if (!isEndless) return void response.end(whole);
  const more = (): void => {
    while (response.write(whole));
  };
  response.on('drain', more);
  more();
}
