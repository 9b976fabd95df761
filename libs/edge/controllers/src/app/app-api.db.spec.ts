import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLoginLink, IdentityStore, type CreatedOrganisation } from '@quarry/identity';
import { newId, systemCtx } from '@quarry/app';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import type { HttpApi } from '@quarry/http';
import { AppRpc, Browser, sendRaw } from './app-api.fixture.js';
import { openEdge } from '../open-edge.fixture.js';

const ctx = systemCtx('spec');
const SESSION = '/app/api/session';

describe('the API of the web application', () => {
  let test: TestDatabase;
  let rpc: AppRpc;
  let edge: { api: HttpApi; port: number };
  let org: CreatedOrganisation;
  let browser: Browser;

  beforeAll(async () => {
    test = await createTestDatabase();
    rpc = await AppRpc.open(test);
    org = await new IdentityStore(test.database).createOrganisation(ctx, { name: 'Spec' });
    edge = await openEdge(test, rpc);
    browser = new Browser(edge.port);
    await browser.signIn({ email: org.email, password: org.password });
  });
  afterEach(() => rpc.reset());
  afterAll(async () => {
    await edge.api.close();
    await rpc.close();
    await test.drop();
  });

  const loginLink = async (): Promise<string> =>
    (await createLoginLink(test.database, 'http://app.test/app', org.email)).link.split('#')[1]!;

  describe('a session', () => {
    it('is opened by address and password, and returns its user', async () => {
      const fresh = new Browser(edge.port);
      const { status, headers, json } = await fresh.signIn({
        email: org.email.toUpperCase(),
        password: org.password,
      });
      expect(status).toBe(200);
      const shown = {
        user: { id: org.userId, email: org.email, role: 'owner' },
        organisation: { id: org.orgId, name: 'Spec' },
        expires_at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      };
      expect(json).toEqual(shown);
      expect(headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^__Host-quarry=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
        ) as unknown,
      ]);
      expect(headers['cache-control']).toBe('no-store');
      expect((await fresh.send('GET', SESSION)).json).toEqual(shown);
      expect(fresh.cookie).not.toBe(browser.cookie);
    });

    it('is opened by a login link once', async () => {
      const link = await loginLink();
      const fresh = new Browser(edge.port);
      expect((await fresh.signIn({ link })).status).toBe(200);
      expect((await fresh.send('GET', SESSION)).status).toBe(200);
      const again = await new Browser(edge.port).signIn({ link });
      expect([again.status, again.code]).toEqual([401, 'not_authenticated']);
    });

    it('is refused with the same message for an unknown address, a wrong password and an invalid link', async () => {
      const answers = await Promise.all([
        new Browser(edge.port).signIn({ email: 'nobody@nowhere.example', password: org.password }),
        new Browser(edge.port).signIn({ email: org.email, password: 'wrong' }),
        new Browser(edge.port).signIn({ link: 'x'.repeat(43) }),
      ]);
      expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1);
      for (const { status, headers } of answers)
        expect([status, headers['set-cookie']]).toEqual([401, undefined]);
    });

    it('opens nothing once it is ended, even with a stolen cookie', async () => {
      const fresh = new Browser(edge.port);
      await fresh.signIn({ link: await loginLink() });
      const thief = new Browser(edge.port);
      thief.cookie = fresh.cookie;
      expect((await thief.send('GET', SESSION)).status).toBe(200);
      const ended = await fresh.send('DELETE', SESSION);
      expect([ended.status, ended.headers['set-cookie']?.[0]]).toEqual([
        204,
        '__Host-quarry=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
      ]);
      for (const path of [SESSION, '/app/api/live/v1/runs', '/app/api/nothing']) {
        const { status, code } = await thief.send('GET', path);
        expect([path, status, code]).toEqual([path, 401, 'not_authenticated']);
      }
    });

    it.each([
      ['12 hours without a request', `last_seen_at = clock_timestamp() - interval '12 hours'`],
      ['14 days', `ends_at = clock_timestamp()`],
    ])('ends after %s', async (_after, changed) => {
      const fresh = new Browser(edge.port);
      await fresh.signIn({ link: await loginLink() });
      await test.database.query(
        ctx,
        `UPDATE identity.sessions SET ${changed} WHERE created_at = (SELECT max(created_at) FROM identity.sessions)`,
      );
      expect((await fresh.send('GET', SESSION)).status).toBe(401);
    });

    it('is stored only as a hash', async () => {
      const rows = await test.database.query(ctx, 'SELECT s::text AS text FROM identity.sessions s');
      const token = browser.cookie!.split('=')[1]!;
      expect(JSON.stringify(rows)).not.toContain(token);
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
    });

    it('is refused after five wrong passwords of an account within a quarter of an hour', async () => {
      const strict = await openEdge(test, rpc, { rateLimitScale: 1 });
      try {
        const user = await new IdentityStore(test.database).createUser(ctx, {
          orgId: org.orgId,
          email: 'guessing@spec.example',
        });
        const guess = (password: string) => new Browser(strict.port).signIn({ email: user.email, password });
        // A successful sign-in is not counted, and concurrent attempts count like sequential ones.
        expect((await guess(user.password)).status).toBe(200);
        const answers = await Promise.all(Array.from({ length: 7 }, () => guess('wrong')));
        expect(answers.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429, 429]);
        const refused = await guess(user.password);
        // A spelling that PostgreSQL lower-cases to the same address must not bypass the limit.
        const spelled = { email: user.email.replace('i', 'İ'), password: user.password };
        expect((await new Browser(strict.port).signIn(spelled)).status).toBe(401);
        expect([refused.status, refused.code]).toEqual([429, 'rate_limited']);
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(800);
        await test.database.query(ctx, `UPDATE identity.login_attempts SET at = at - interval '15 minutes'`);
        expect((await guess(user.password)).status).toBe(200);
      } finally {
        await strict.api.close();
      }
    });

    it('is refused after twenty wrong guesses from one address, whatever they guess', async () => {
      const strict = await openEdge(test, rpc, { rateLimitScale: 1, trustedProxies: ['127.0.0.1'] });
      try {
        const guess = (from: string) =>
          new Browser(strict.port).send(
            'POST',
            SESSION,
            { link: 'y'.repeat(43) },
            { 'x-forwarded-for': from },
          );
        // Addresses of one subscriber, who has a whole /64.
        const answers = await Promise.all(
          Array.from({ length: 21 }, (_, i) => guess(`2001:db8:1:2::${i + 1}`)),
        );
        expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
        expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
        expect((await guess('2001:db8:1:3::1')).status).toBe(401);
      } finally {
        await strict.api.close();
      }
    });
  });

  describe('the public API with a session', () => {
    it.each(['live', 'test'] as const)("answers for the session's organisation in %s mode", async (mode) => {
      const id = newId('run');
      rpc.on('runs.runs.get', () => '{"id":"x"}');
      const { status, json, headers } = await browser.send('GET', `/app/api/${mode}/v1/runs/${id}`);
      expect([status, json]).toEqual([200, { id: 'x' }]);
      expect(headers['ratelimit-limit']).toBeDefined();
      expect(rpc.calls[0]).toMatchObject({
        request: { runId: id },
        ctx: { orgId: org.orgId, mode, keyId: expect.stringMatching(/^key_/) as unknown },
      });
    });

    it('acts with a hidden key of the user, one per mode', async () => {
      rpc.on('services.credits.get', () => '{}');
      await browser.send('GET', '/app/api/live/credits');
      await browser.send('GET', '/app/api/test/credits');
      const [live, test2] = rpc.calls.map((call) => call.ctx.keyId);
      expect(live).not.toBe(test2);
      const listed = await new IdentityStore(test.database).listKeys(ctx, org.orgId);
      expect(listed.map(({ id }) => id)).not.toContain(live);
    });

    it('passes on queries, bodies and malformed paths', async () => {
      rpc.on('runs.runs.list', () => '{}');
      await browser.send('GET', '/app/api/live/v1/runs?limit=7');
      expect(rpc.calls[0]?.request).toMatchObject({ limit: 7 });
      const odd = await browser.send('GET', '/app/api/live/v1/runs/%ff');
      expect([odd.status, odd.code]).toEqual([404, 'run_not_found']);
      const method = await browser.send('PATCH', '/app/api/live/v1/runs', {});
      expect([method.status, method.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    });

    it.each([
      '/app/api/live/mcp',
      '/app/api/live/healthz',
      '/app/api/live/openapi.json',
      '/app/api/other/v1/runs',
      '/app/api/v1/runs',
      '/app/api/live/v1x/runs',
      '/app/api/live//v1/runs',
      '/app/api/',
    ])('has no other route: %s', async (path) => {
      const { status, code } = await browser.send('GET', path);
      expect([status, code]).toEqual([404, 'not_found']);
    });

    it('is closed without a session, even with an API key', async () => {
      const ways: Array<Record<string, string>> = [
        {},
        { authorization: `Bearer ${org.apiKey}` },
        { cookie: '__Host-quarry=x' },
      ];
      for (const headers of ways) {
        const { status, code } = await sendRaw(edge.port, '/app/api/live/v1/runs', { headers });
        expect([status, code]).toEqual([401, 'not_authenticated']);
      }
      for (const [path, expected] of [
        ['/%61pp/api/test/approvals', '401 not_authenticated'],
        ['http://x.example/app/api/test/approvals', '404 not_found'],
      ]) {
        const { status, code } = await sendRaw(edge.port, path!, { headers: ways[1]! });
        expect([path, `${status} ${code}`]).toEqual([path, expected]);
      }
      const twice = { cookie: `${browser.cookie}; ${browser.cookie}` };
      expect((await sendRaw(edge.port, SESSION, { headers: twice })).status).toBe(401);
      expect(rpc.calls).toEqual([]);
    });

    it('is the only API where the cookie is accepted', async () => {
      for (const path of ['/v1/runs', '/services', '/credits', '/mcp']) {
        const { status, code } = await sendRaw(edge.port, path, { headers: { cookie: browser.cookie! } });
        expect([path, status, code]).toEqual([path, 401, 'not_authenticated']);
      }
    });
  });

  describe('a cross-site request that carries the cookie', () => {
    const prompt = JSON.stringify({ prompt: 'ten companies' });
    const post = (headers: Record<string, string>, body = prompt, path = '/app/api/live/v1/runs') =>
      sendRaw(edge.port, path, { method: 'POST', headers: { cookie: browser.cookie!, ...headers }, body });
    const JSON_TYPE = { 'content-type': 'application/json' };

    it.each([
      ['has Sec-Fetch-Site cross-site', { 'sec-fetch-site': 'cross-site' }],
      ['has Sec-Fetch-Site same-site', { 'sec-fetch-site': 'same-site' }],
      ['has Sec-Fetch-Site none', { 'sec-fetch-site': 'none' }],
      ['says nothing', {}],
      ['has another Origin', { origin: 'https://evil.example' }],
      ['has the Origin null', { origin: 'null' }],
    ])('is refused when it %s', async (_what, headers) => {
      const { status, code } = await post({ ...JSON_TYPE, ...headers });
      expect([status, code]).toEqual([403, 'invalid_request']);
      expect(rpc.calls).toEqual([]);
    });

    it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x', ''])(
      "is refused with a form's content type: %s",
      async (type) => {
        const headers = { 'sec-fetch-site': 'same-origin', ...(type ? { 'content-type': type } : {}) };
        const { status, code } = await post(headers);
        expect([status, code]).toEqual([403, 'invalid_request']);
        expect(rpc.calls).toEqual([]);
      },
    );

    it.each([SESSION, '/%61pp/api/session', 'http://x.example/app/api/session'])(
      'is refused at sign-in too: %s',
      async (path) => {
        const { status } = await post(
          { ...JSON_TYPE, 'sec-fetch-site': 'cross-site' },
          JSON.stringify({ email: org.email, password: org.password }),
          path,
        );
        expect(status).toBe(403);
      },
    );

    it('is refused as a file upload, too', async () => {
      const path = `/app/api/live/v1/workspaces/${newId('ws')}/files?name=Leads`;
      rpc.on('tables.files.import', () => ({ id: 'tbl_x', json: '{"id":"tbl_x"}' }));
      const file = 'a,b\r\n1,2\r\n';
      const own = { 'sec-fetch-site': 'same-origin' };
      const form = await post({ ...own, 'content-type': 'text/plain' }, file, path);
      expect([form.status, form.code]).toEqual([403, 'invalid_request']);
      const foreign = await post({ 'sec-fetch-site': 'cross-site', 'content-type': 'text/csv' }, file, path);
      expect(foreign.status).toBe(403);
      const taken = await post({ ...own, 'content-type': 'text/csv; charset=utf-8' }, file, path);
      expect([taken.status, taken.json, taken.headers.location]).toEqual([
        201,
        { id: 'tbl_x' },
        '/v1/tables/tbl_x',
      ]);
      const sent = rpc.calls.at(-1)!.request;
      expect(sent).toMatchObject({ name: 'Leads', base64: Buffer.from(file).toString('base64') });
      const workbook = {
        'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      };
      expect((await post({ ...own, ...workbook }, 'PK', path)).status).toBe(201);
      const byKey = await sendRaw(edge.port, path.replace('/app/api/live', ''), {
        method: 'POST',
        headers: { authorization: `Bearer ${org.apiKey}`, 'content-type': 'application/json' },
        body: '{}',
      });
      expect([byKey.status, byKey.code]).toEqual([415, 'invalid_request']);
    });

    it('is accepted from a browser that sends only a matching Origin', async () => {
      rpc.on('runs.runs.create', () => '{}');
      const origin = `http://127.0.0.1:${edge.port}`;
      expect((await post({ ...JSON_TYPE, origin })).status).toBe(202);
    });
  });

  describe('files of the web application', () => {
    const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    let outside: string;
    let folder: string;
    let web: { api: HttpApi; port: number };

    beforeAll(async () => {
      outside = mkdtempSync(join(tmpdir(), 'quarry-web-'));
      folder = join(outside, 'dist');
      mkdirSync(folder);
      writeFileSync(join(outside, 'secret.txt'), 'not ours');
      const files = {
        'index.html': '<!doctype html>',
        'assets/main-B4xZ.js': 'script',
        'assets/main-B4xZ.js.br': 'brotli',
        'assets/main-B4xZ.js.gz': 'gzip',
        'icon.svg': '<svg/>',
      };
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      web = await openEdge(test, rpc, { webFolder: folder, rateLimitScale: 1 });
    });
    afterAll(async () => {
      await web.api.close();
      rmSync(outside, { recursive: true });
    });

    const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      sendRaw(web.port, path, { method, headers });

    it.each(['/app/', '/app/runs/run_x?sort=a', '/app/login', '/app/index.html'])(
      'are served without a key, under a strict content security policy: %s',
      async (path) => {
        const { status, headers, body } = await get(path, HTML);
        expect([status, body.toString()]).toEqual([200, '<!doctype html>']);
        expect(headers).toMatchObject({
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'content-security-policy':
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        });
      },
    );

    it.each([
      ['br, gzip', 'br', 'brotli'],
      ['gzip, br;q=0', 'gzip', 'gzip'],
      ['identity', undefined, 'script'],
    ])('are sent in an accepted encoding and cached permanently: %s', async (accepted, coding, text) => {
      const { status, headers, body } = await get('/app/assets/main-B4xZ.js', {
        'accept-encoding': accepted,
      });
      expect([status, headers['content-encoding'], body.toString()]).toEqual([200, coding, text]);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers.vary).toContain('Accept-Encoding');
      const again = await get('/app/assets/main-B4xZ.js', { 'if-none-match': headers.etag! });
      expect([again.status, again.body.length]).toEqual([304, 0]);
    });

    it('are never served from outside the folder', async () => {
      for (const path of ['/app/../secret.txt', '/app/..%2fsecret.txt', '/app/assets/..%2f..%2fsecret.txt']) {
        const { status, body } = await get(path, { accept: '*/*' });
        expect([path, [401, 404].includes(status), body.includes('not ours')]).toEqual([path, true, false]);
      }
    });

    it('are 404 if they are missing and no page is requested', async () => {
      const missing = await get('/app/assets/old-A1.js', { accept: '*/*' });
      expect([missing.status, missing.code]).toEqual([404, 'not_found']);
      const post = await get('/app/', HTML, 'POST');
      expect([post.status, post.code, post.headers.allow]).toEqual([405, 'invalid_request', 'GET, HEAD']);
    });

    it('answer HEAD like GET, without the body', async () => {
      const { status, headers, body } = await get('/app/icon.svg', {}, 'HEAD');
      expect([status, headers['content-length'], body.length]).toEqual([200, '6', 0]);
    });

    it('are where a browser is redirected from the root, and a program is not', async () => {
      const person = await get('/', HTML);
      expect([person.status, person.headers.location]).toEqual([302, '/app/']);
      expect((await get('/app', HTML)).headers.location).toBe('/app/');
      const program = await get('/', { accept: 'application/json' });
      expect([program.status, program.code]).toEqual([401, 'not_authenticated']);
    });

    it("do not count towards the address's rate limit", async () => {
      const answers = await Promise.all(Array.from({ length: 150 }, () => get('/app/icon.svg')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    });

    it('are 404 with the error envelope if the application was not built', async () => {
      const { status, code } = await sendRaw(edge.port, '/app/', { headers: HTML });
      expect([status, code]).toEqual([404, 'not_found']);
    });
  });
});
