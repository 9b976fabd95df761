import { request, type IncomingHttpHeaders } from 'node:http';
import { Global, Module } from '@nestjs/common';
import { IDENTITY_RPC } from '@quarry/dto';
import { IdentityApiModule, KeyCapsPort, type KeyCaps } from '@quarry/identity';
import type { Ctx } from '@quarry/app';
import { openLocalCalls, type LocalCalls } from '@quarry/platform';
import type { TxCtx } from '@quarry/postgres';
import type { RpcCall } from '@quarry/rpc';
import type { TestDatabase } from '@quarry/testing';
import { FixedRpc } from '../fixed-rpc.fixture.js';

/** Stores caps in memory; in the product the ledger stores them. */
class KeyCapsInMemory extends KeyCapsPort {
  private readonly caps = new Map<string, KeyCaps>();

  override setCaps(_tx: TxCtx, keyId: string, caps: KeyCaps): Promise<void> {
    this.caps.set(keyId, caps);
    return Promise.resolve();
  }

  override capsOf(_ctx: Ctx, keyId: string): Promise<KeyCaps> {
    return Promise.resolve(this.caps.get(keyId) ?? { day: null, month: null });
  }
}

@Global()
@Module({ providers: [{ provide: KeyCapsPort, useClass: KeyCapsInMemory }], exports: [KeyCapsPort] })
class KeyCapsModule {}

/** Real sessions, members and keys, and fixed responses for everything else. */
export class AppRpc extends FixedRpc {
  private constructor(private readonly identity: LocalCalls) {
    super();
  }

  static async open({ database }: TestDatabase): Promise<AppRpc> {
    const modules = [KeyCapsModule, IdentityApiModule];
    const cursorSecret = 'a secret of the spec';
    return new AppRpc(await openLocalCalls({ database, modules, apis: [IDENTITY_RPC], cursorSecret }));
  }

  override call<Request, Response>(
    ctx: Ctx,
    call: RpcCall<Request, Response>,
    body: Request,
  ): Promise<Response> {
    return call.pattern.startsWith('services.identity.')
      ? this.identity.rpc.call(ctx, call, body)
      : super.call(ctx, call, body);
  }

  override close(): Promise<void> {
    return this.identity.close();
  }
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Code of an error; the parsed body is in `json`. */
  code: string | undefined;
  json: unknown;
}

/** Sends a request with exactly these headers: fetch would add some, and decompress the response. */
export function sendRaw(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers: { ...length, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => void chunks.push(chunk));
        response.on('error', reject).on('end', () => {
          const bytes = Buffer.concat(chunks);
          const isJson = response.headers['content-type']?.startsWith('application/json') && bytes.length > 0;
          const json = isJson ? (JSON.parse(bytes.toString()) as unknown) : null;
          const code = (json as { error?: { code?: string } } | null)?.error?.code;
          resolve({ status: response.statusCode!, headers: response.headers, body: bytes, code, json });
        });
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** A signed-in browser: it stores the cookie, and its pages have the origin of the server. */
export class Browser {
  cookie: string | null = null;

  constructor(private readonly port: number) {}

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await sendRaw(this.port, path, {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(this.cookie === null ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const [set] = answer.headers['set-cookie'] ?? [];
    if (set !== undefined) this.cookie = set.split(';')[0]!;
    return answer;
  }

  signIn(proof: { email: string; password: string } | { link: string }): Promise<Answer> {
    return this.send('POST', '/app/api/session', proof);
  }
}
