import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCtx, type Ctx } from '@quarry/app';
import type { RpcSecurity, RpcTls } from './rpc-security.js';
import type { RpcCall } from './rpc-transport.js';
import { SECRET, serve, SIGNED } from './rpc.fixture.js';
import { TcpRpcTransport } from './tcp-rpc.transport.js';

const WHO: RpcCall<null, string> = { pattern: 'runs.who', effect: 'read', timeoutMs: 3000 };
const SET = { api: { who: WHO }, handlers: { who: (ctx: Ctx) => Promise.resolve(ctx.orgId) } };
const ctx = systemCtx('req_1', 'org_a');
let dir: string;
const closers: Array<() => unknown> = [];

/** Runs the openssl of this machine. @throws Error naming the package when it is not installed */
function openssl(...args: string[]): void {
  const { error, status, stderr } = spawnSync('openssl', args, { cwd: dir, encoding: 'utf8' });
  if (error) throw new Error('These tests need openssl (Debian: apt-get install openssl).', { cause: error });
  if (status !== 0) throw new Error(stderr);
}

/** Creates an authority and a certificate of it for this host. */
function certificate(name: string, authority: string): RpcTls {
  const own = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = (of: string) => ['-keyout', `${of}.key`, '-out', `${of}.pem`, '-days', '2'];
  openssl(...own, ...files(authority), '-subj', `/CN=${authority}`);
  openssl(
    ...own,
    ...files(name),
    '-subj',
    `/CN=${name}`,
    '-addext',
    'subjectAltName=IP:127.0.0.1',
    '-addext',
    'basicConstraints=critical,CA:FALSE',
    '-CA',
    `${authority}.pem`,
    '-CAkey',
    `${authority}.key`,
  );
  const read = (file: string) => readFileSync(join(dir, file), 'utf8');
  return { cert: read(`${name}.pem`), key: read(`${name}.key`), ca: read(`${authority}.pem`) };
}

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'quarry-rpc-tls-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('mutual TLS between processes', () => {
  it('accepts only callers with a certificate of the same authority', async () => {
    const ours = certificate('ours', 'authority');
    const theirs = certificate('theirs', 'other-authority');
    const { server, port, refusals } = await serve(SET, { secrets: [], tls: ours });
    closers.push(() => server.close());
    const call = (security: RpcSecurity): Promise<string> => {
      const transport = new TcpRpcTransport({ upstreams: { 'runs.': `tcp://127.0.0.1:${port}` }, security });
      closers.push(() => transport.close());
      return transport.call(ctx, WHO, null);
    };
    const refused = { code: 'runs_unavailable' };
    expect(await call({ secrets: [], tls: ours })).toBe('org_a');
    // The caller's certificate is from another authority, but the caller trusts ours: the server has to refuse.
    await expect(call({ secrets: [], tls: { ...theirs, ca: ours.ca } })).rejects.toMatchObject(refused);
    // The caller trusts only the other authority: the caller has to refuse.
    await expect(call({ secrets: [], tls: { ...ours, ca: theirs.ca } })).rejects.toMatchObject(refused);
    await expect(call({ secrets: [], tls: null })).rejects.toMatchObject(refused);
    expect(refusals.some((why) => why.startsWith('its certificate is not accepted'))).toBe(true);
  });

  it('can be combined with signatures, and both must be valid', async () => {
    const tls = certificate('both', 'authority-of-both');
    const { server, port } = await serve(SET, { secrets: [SECRET], tls });
    closers.push(() => server.close());
    const call = (security: RpcSecurity): Promise<string> => {
      const transport = new TcpRpcTransport({ upstreams: { 'runs.': `tcp://127.0.0.1:${port}` }, security });
      closers.push(() => transport.close());
      return transport.call(ctx, WHO, null);
    };
    expect(await call({ secrets: [SECRET], tls })).toBe('org_a');
    await expect(call({ secrets: ['x'.repeat(32)], tls })).rejects.toMatchObject({
      code: 'runs_unavailable',
    });
    await expect(call(SIGNED)).rejects.toMatchObject({ code: 'runs_unavailable' });
  });

  it('stops in order while a handshake is unfinished', async () => {
    const { server, port } = await serve(SET, { secrets: [], tls: certificate('slow', 'slow-authority') });
    const socket = connect(port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    await new Promise((resolve) => socket.once('connect', resolve));
    await server.drain(60_000);
    await server.close();
    await closed;
  });
});
