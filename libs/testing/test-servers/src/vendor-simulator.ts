import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { HttpSite, listenLocally } from './http-site.js';

/** Response of a vendor to one call. */
export interface VendorReply {
  /** 200 by default. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  text?: string | Buffer;
  /** Repeats `text` until the caller disconnects. */
  isEndless?: boolean;
  /** Never responds. */
  hangs?: boolean;
}

/** A call from a vendor's API reference, with its response. */
export interface VendorExchange {
  method: 'GET' | 'POST';
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  reply: VendorReply;
}

/** A received call. */
export interface SimulatedVendorCall {
  method: string;
  path: string;
  query: Readonly<Record<string, string>>;
  /** Undefined if there was none. */
  body: unknown;
  /** True if the header has the right key. */
  hasKey: boolean;
  /** True if the key is somewhere else: in the URL, in another header, in the body. */
  leaksKey: boolean;
  /** `left`: the caller closed the connection before the response was complete. */
  outcome: 'open' | 'answered' | 'left';
}

export interface VendorSimulatorOptions {
  /** Header of the key; null for a vendor without keys. */
  key: { header: string; prefix?: string | undefined; value: string } | null;
  /** Response to a call without the right key. */
  refusal: VendorReply;
}

/**
 * Simulates any vendor over real HTTP. It responds as scripted, in order, and records the calls. A call that is not the
 * next one in the script gets 404 and is listed in {@link unexpectedCalls}.
 */
export class VendorSimulator extends HttpSite {
  readonly calls: SimulatedVendorCall[] = [];
  /** Descriptions of calls that the script did not expect. */
  readonly unexpectedCalls: string[] = [];
  private script: VendorExchange[] = [];
  private before: VendorReply[] = [];
  private forEach: ((call: SimulatedVendorCall) => VendorReply | null) | null = null;

  private constructor(
    server: Server,
    private readonly options: VendorSimulatorOptions,
  ) {
    super(server);
    server.on('request', (request, response) => void this.meet(request, response));
  }

  static async start(options: VendorSimulatorOptions): Promise<VendorSimulator> {
    return new VendorSimulator(await listenLocally(), options);
  }

  get url(): string {
    return this.origin;
  }

  /**
   * Resets the simulator and installs a script of calls in this order.
   * @param before responses to the first calls, whatever they are; the script starts after them
   */
  play(script: readonly VendorExchange[], before: readonly VendorReply[] = []): void {
    this.calls.length = 0;
    this.unexpectedCalls.length = 0;
    this.script = [...script];
    this.before = [...before];
    this.forEach = null;
  }

  /** Responds to every call with the result of `reply`; null is an unexpected call. */
  playAlways(reply: (call: SimulatedVendorCall) => VendorReply | null): void {
    this.play([]);
    this.forEach = reply;
  }

  private async meet(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request).catch(() => '');
    const call = this.noted(request, sent);
    // Emitted after a complete response and also when the connection ends earlier.
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
