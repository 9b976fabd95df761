import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { request, type IncomingHttpHeaders } from 'node:http';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import { type HttpApi, takesEncoding } from '@quarry/http';
import { FixedRpc } from '../fixed-rpc.fixture.js';
import { openEdge } from '../open-edge.fixture.js';

/** Maximum number of requests of an address in ten seconds before authentication. Source: the interface, Limits. */
const ADDRESS_BUDGET = 100;

describe('the documentation page', () => {
  let test: TestDatabase;
  let edge: { api: HttpApi; port: number };
  beforeAll(async () => {
    test = await createTestDatabase();
    edge = await openEdge(test, new FixedRpc(), { rateLimitScale: 1 });
  });
  afterAll(async () => {
    await edge.api.close();
    await test.drop();
  });

  /** Returns a response without decompressing it, as fetch would. */
  function get(path: string, headers: Record<string, string> = {}) {
    return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      request({ host: '127.0.0.1', port: edge.port, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => void chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
        );
        response.on('error', reject);
      })
        .on('error', reject)
        .end();
    });
  }

  it('is served without a key, and loads only its own files', async () => {
    const { status, headers, body } = await get('/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    const page = body.toString();
    const wanted = [...page.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path]) => path!);
    expect(wanted).toHaveLength(5);
    for (const path of wanted) expect([path, (await get(path)).status]).toEqual([path, 200]);
    // The content security policy would block an inline script or style.
    expect(page).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=/);
  });

  it('opens the API description of this process', async () => {
    const { headers, body } = await get('/docs/start.js');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    const requests: Array<Record<string, unknown>> = [];
    runInNewContext(body.toString(), { SwaggerUIBundle: (options: object) => requests.push({ ...options }) });
    expect(requests).toEqual([expect.objectContaining({ url: '/openapi.json', validatorUrl: null })]);
  });

  it.each([
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ])('serves %s as in the package, compressed for clients that accept it', async (name, type) => {
    const file = readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
    const plain = await get(`/docs/${name}`);
    const compressed = await get(`/docs/${name}`, { 'accept-encoding': 'br, gzip;q=0.5' });
    expect([plain.headers['content-type'], plain.headers['content-encoding']]).toEqual([type, undefined]);
    expect(plain.body.equals(file)).toBe(true);
    expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(compressed.body.length).toBeLessThan(file.length / 3);
    expect(gunzipSync(compressed.body).equals(file)).toBe(true);
  });

  it.each([
    [undefined, false],
    ['', false],
    ['br', false],
    ['gzip', true],
    ['br;q=1.0, GZIP;q=0.8', true],
    ['gzip;q=0', false],
    ['gzip; q=0.00', false],
    ['x-gzip', false],
  ])('takes the header %j as accepting gzip: %j', (header, expected) => {
    expect(takesEncoding(header, 'gzip')).toBe(expected);
  });

  it("and the API description count towards the address's rate limit", async () => {
    const many = Array.from({ length: ADDRESS_BUDGET + 1 }, () => get('/docs'));
    expect((await Promise.all(many)).map(({ status }) => status)).toContain(429);
    const refused = await get('/openapi.json');
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.body.toString())).toMatchObject({ error: { code: 'rate_limited' } });
    expect((await get('/healthz')).status).toBe(200);
  });
});
