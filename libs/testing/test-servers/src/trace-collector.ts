import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { PbfReader } from 'pbf';
import { HttpSite, listenLocally } from './http-site.js';

/** A received span. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** Null for the root span of a trace. */
  parentSpanId: string | null;
  name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  /** Milliseconds since 1970, with fractions. */
  startedAtMs: number;
  endedAtMs: number;
  attributes: Record<string, unknown>;
  hasFailed: boolean;
  /** `service.name` of the process. */
  service: string;
}

/**
 * Receives traces like a collector: protobuf over HTTP at /v1/traces. Unreadable exports are recorded as faults.
 * Field numbers are those of opentelemetry-proto 1.x, trace/v1/trace.proto.
 */
export class TraceCollector extends HttpSite {
  readonly spans: CollectedSpan[] = [];
  readonly faults: string[] = [];
  /** Headers of the last export. */
  lastHeaders: IncomingMessage['headers'] = {};
  /** All received bytes as text, to search for data that must not be in it. */
  text = '';
  exports = 0;
  /** Status of its responses. */
  status = 200;

  private constructor(server: Server) {
    super(server);
    server.on('request', (request, response) => void this.take(request, response));
  }

  static async start(): Promise<TraceCollector> {
    return new TraceCollector(await listenLocally());
  }

  /** Returns the address for OTEL_EXPORTER_OTLP_ENDPOINT. */
  get url(): string {
    return this.origin;
  }

  /** @returns the spans of one trace, oldest first */
  trace(traceId: string): CollectedSpan[] {
    return this.spans
      .filter((span) => span.traceId === traceId)
      .sort((a, b) => a.startedAtMs - b.startedAtMs);
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    this.exports += 1;
    this.lastHeaders = request.headers;
    if (this.status === 200) this.read(request, body);
    response.writeHead(this.status, { 'content-type': 'application/x-protobuf' }).end();
  }

  private read({ url, headers }: IncomingMessage, body: Buffer): void {
    const type = headers['content-type'];
    if (url !== '/v1/traces' || type !== 'application/x-protobuf')
      return void this.faults.push(`${url} with ${type}`);
    this.text += body.toString('latin1');
    try {
      this.spans.push(...spansOf(body));
    } catch (error) {
      this.faults.push(String(error));
    }
  }
}

function spansOf(body: Buffer): CollectedSpan[] {
  const spans: CollectedSpan[] = [];
  eachField(new PbfReader(body), { 1: (resourceSpans) => spans.push(...resourceSpansOf(resourceSpans)) });
  return spans;
}

function resourceSpansOf(pbf: PbfReader): CollectedSpan[] {
  const spans: CollectedSpan[] = [];
  let service = '';
  eachMessage(pbf, {
    1: (resource) => (service = String(attributesIn(resource, 1)['service.name'])),
    2: (scopeSpans) => eachMessage(scopeSpans, { 2: (span) => spans.push(spanOf(span)) }),
  });
  return spans.map((span) => ({ ...span, service }));
}

function spanOf(pbf: PbfReader): CollectedSpan {
  const span: CollectedSpan = {
    traceId: '',
    spanId: '',
    parentSpanId: null,
    name: '',
    kind: 0,
    startedAtMs: 0,
    endedAtMs: 0,
    attributes: {},
    hasFailed: false,
    service: '',
  };
  eachMessage(pbf, {
    1: () => (span.traceId = hex(pbf.readBytes())),
    2: () => (span.spanId = hex(pbf.readBytes())),
    4: () => (span.parentSpanId = hex(pbf.readBytes()) || null),
    5: () => (span.name = pbf.readString()),
    6: () => (span.kind = pbf.readVarint()),
    7: () => (span.startedAtMs = pbf.readFixed64() / 1e6),
    8: () => (span.endedAtMs = pbf.readFixed64() / 1e6),
    9: () => Object.assign(span.attributes, attributeOf(pbf)),
    15: () => eachMessage(pbf, { 3: () => (span.hasFailed = pbf.readVarint() === 2) }),
  });
  return span;
}

function attributesIn(pbf: PbfReader, field: number): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  eachMessage(pbf, { [field]: () => Object.assign(attributes, attributeOf(pbf)) });
  return attributes;
}

function attributeOf(pbf: PbfReader): Record<string, unknown> {
  let key = '';
  let value: unknown = null;
  eachMessage(pbf, {
    1: () => (key = pbf.readString()),
    2: () =>
      eachMessage(pbf, {
        1: () => (value = pbf.readString()),
        2: () => (value = pbf.readBoolean()),
        3: () => (value = pbf.readVarint(true)),
        4: () => (value = pbf.readDouble()),
      }),
  });
  return { [key]: value };
}

type Readers = Readonly<Record<number, (pbf: PbfReader) => unknown>>;

/** Reads the fields of a message. Fields without a reader are skipped. */
function eachMessage(pbf: PbfReader, readers: Readers): void {
  pbf.readMessage((tag) => void readers[tag]?.(pbf), null);
}

function eachField(pbf: PbfReader, readers: Readers): void {
  pbf.readFields((tag) => void readers[tag]?.(pbf), null);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
