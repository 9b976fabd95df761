import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLoginLink, IdentityStore, type CreatedOrganisation } from '@quarry/identity';
import { newId, systemCtx } from '@quarry/app';
import { AuditLog } from '@quarry/postgres';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import type { HttpApi } from '@quarry/http';
import { AppRpc, Browser, sendRaw, type Answer } from './app-api.fixture.js';
import { openEdge } from '../open-edge.fixture.js';

const ctx = systemCtx('spec');
const APP = 'https://quarry.example/app';
type Role = 'owner' | 'member' | 'viewer';
type Item = Record<string, unknown> & { id: string };

describe('members of an organisation and their keys', () => {
  let test: TestDatabase;
  let rpc: AppRpc;
  let edge: { api: HttpApi; port: number };
  let store: IdentityStore;
  let org: CreatedOrganisation;
  let other: CreatedOrganisation;
  const as = {} as Record<Role | 'otherOwner', Browser>;
  const ids = {} as Record<Role, string>;
  const keys = {} as Record<Role, string>;

  const signedIn = async (email: string): Promise<Browser> => {
    const { link } = await createLoginLink(test.database, APP, email);
    const browser = new Browser(edge.port);
    await browser.signIn({ link: link.split('#')[1]! });
    return browser;
  };
  const idsIn = (path: string) =>
    path.replace(/\{(run|ws|tbl|seq)\}/, (_, prefix: 'run' | 'ws' | 'tbl' | 'seq') => newId(prefix));
  const items = (answer: Answer): Item[] => (answer.json as { items: Item[] }).items;
  const brief = ({ status, code }: Answer) => (code === undefined ? status : `${status} ${code}`);

  beforeAll(async () => {
    test = await createTestDatabase();
    rpc = await AppRpc.open(test);
    edge = await openEdge(test, rpc, { appUrl: APP });
    store = new IdentityStore(test.database);
    org = await store.createOrganisation(ctx, { name: 'Spec' });
    other = await store.createOrganisation(ctx, { name: 'Other' });
    const { orgId } = org;
    const member = await store.createUser(ctx, { orgId, email: 'member@spec.example' });
    const viewer = await store.createUser(ctx, { orgId, email: 'viewer@spec.example', role: 'viewer' });
    Object.assign(ids, { owner: org.userId, member: member.userId, viewer: viewer.userId });
    for (const role of ['owner', 'member', 'viewer'] as const) {
      const { userId } = await store.createUser(ctx, { orgId, email: `key-of-${role}@spec.example`, role });
      keys[role] = (await store.createKey(ctx, { orgId, userId, mode: 'test' })).apiKey;
    }
    as.owner = await signedIn(org.email);
    as.member = await signedIn(member.email);
    as.viewer = await signedIn(viewer.email);
    as.otherOwner = await signedIn(other.email);
  });
  beforeEach(() => rpc.reset());
  afterAll(async () => {
    await edge.api.close();
    await rpc.close();
    await test.drop();
  });

  describe('a role', () => {
    const ENRICHMENT = { service: 'getEmail', columns: [{ key: 'work_email' }] };
    const ROUTES: Array<[method: string, path: string, body: unknown, may: Role[]]> = [
      ['GET', '/v1/runs/{run}', undefined, ['owner', 'member', 'viewer']],
      ['POST', '/v1/runs', { prompt: 'ten companies' }, ['owner', 'member']],
      ['POST', '/v1/plans', { prompt: 'ten companies' }, ['owner', 'member', 'viewer']],
      ['POST', '/credits/estimate', { service: 'getEmail', inputs: [] }, ['owner', 'member', 'viewer']],
      ['POST', '/v1/tables/{tbl}/views', {}, ['owner', 'member', 'viewer']],
      [
        'POST',
        '/v1/tables/{tbl}/enrichments',
        { ...ENRICHMENT, dry_run: true },
        ['owner', 'member', 'viewer'],
      ],
      ['POST', '/v1/tables/{tbl}/enrichments', ENRICHMENT, ['owner', 'member']],
      ['POST', '/v1/sequences/{seq}/preview', {}, ['owner', 'member', 'viewer']],
      ['POST', '/v1/runs/{run}/cancel', undefined, ['owner', 'member']],
      ['DELETE', '/v1/workspaces/{ws}', undefined, ['owner', 'member']],
      ['GET', '/v1/providers', undefined, ['owner', 'member', 'viewer']],
      ['PUT', '/v1/providers/hunter', { enabled: false }, ['owner']],
      ['POST', '/v1/erasures', { email: 'a@b.example' }, ['owner']],
    ];

    /** Returns whether a caller is permitted: then the request reaches the RPC call, or fails with 400 because of its body. */
    const isLetIn = async (send: () => Promise<{ status: number }>): Promise<boolean> => {
      rpc.reset();
      const { status } = await send();
      if (rpc.calls.length > 0 || status === 400) return true;
      expect(status).toBe(404);
      return false;
    };

    it.each(ROUTES)('decides what a session and a key may ask: %s %s', async (method, path, body, may) => {
      for (const role of ['owner', 'member', 'viewer'] as const) {
        const bySession = () => as[role].send(method, `/app/api/test${idsIn(path)}`, body);
        const byKey = () =>
          fetch(`http://127.0.0.1:${edge.port}${idsIn(path)}`, {
            method,
            headers: { authorization: `Bearer ${keys[role]}`, 'content-type': 'application/json' },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
        const wayIn = [await isLetIn(bySession), await isLetIn(byKey)];
        expect([role, ...wayIn]).toEqual([role, may.includes(role), may.includes(role)]);
      }
    });

    it.each([
      ['GET', '/app/api/members', undefined, ['owner', 'member']],
      ['POST', '/app/api/members', {}, ['owner']],
      ['PATCH', '/app/api/members/none', {}, ['owner']],
      ['DELETE', '/app/api/members/none', undefined, ['owner']],
      ['GET', '/app/api/audit', undefined, ['owner']],
      ['GET', '/app/api/keys', undefined, ['owner', 'member', 'viewer']],
      ['POST', '/app/api/keys', {}, ['owner', 'member']],
      ['GET', '/app/api/sessions', undefined, ['owner', 'member', 'viewer']],
      ['PUT', '/app/api/session/password', {}, ['owner', 'member', 'viewer']],
    ] as Array<[string, string, unknown, Role[]]>)(
      'decides who may call %s %s',
      async (method, path, body, may) => {
        for (const role of ['owner', 'member', 'viewer'] as const) {
          const { code, json } = await as[role].send(method, path, body);
          const message = (json as { error?: { message: string } } | null)?.error?.message;
          const isRefused = code === 'not_found' && message === 'Nothing was found at this address.';
          expect([role, !isRefused]).toEqual([role, may.includes(role)]);
        }
      },
    );
  });

  describe('a key', () => {
    const create = (browser: Browser, body: Record<string, unknown> = {}, headers = {}) =>
      browser.send('POST', '/app/api/keys', { name: 'CI', mode: 'test', ...body }, headers);

    it('is shown once, works at once, and is refused after it is revoked', async () => {
      const expires = new Date(Date.now() + 3_600_000).toISOString();
      const made = await create(as.member, { expires_at: expires, cap_day: 12.5 });
      expect(made.status).toBe(201);
      const { api_key: apiKey, ...shown } = made.json as Item & { api_key: string };
      expect(shown).toEqual({
        id: expect.stringMatching(/^key_/) as unknown,
        name: 'CI',
        mode: 'test',
        last_four: apiKey.slice(-4),
        user: { id: ids.member, email: 'member@spec.example' },
        created_at: expect.any(String) as unknown,
        last_used_at: null,
        expires_at: expires,
        cap_day: 12.5,
        cap_month: null,
      });
      rpc.on('runs.runs.list', () => '{}');
      const use = () => sendRaw(edge.port, '/v1/runs', { headers: { authorization: `Bearer ${apiKey}` } });
      expect((await use()).status).toBe(200);
      const listed = items(await as.member.send('GET', '/app/api/keys'));
      expect(listed.map(({ id }) => id)).toEqual([shown.id]);
      expect(JSON.stringify(listed)).not.toContain(apiKey);
      expect((await as.member.send('DELETE', `/app/api/keys/${shown.id}`)).status).toBe(204);
      expect(items(await as.member.send('GET', '/app/api/keys'))).toEqual([]);
      expect((await store.findKey(ctx, apiKey.slice(8, 18)))?.isRevoked).toBe(true);
    });

    it('is the same one with another secret if a request whose answer was lost is repeated', async () => {
      const again = { 'Idempotency-Key': 'once' };
      const keyOf = ({ json }: { json: unknown }) => json as Item & { api_key: string };
      const use = (apiKey: string) =>
        sendRaw(edge.port, '/v1/runs', { headers: { authorization: `Bearer ${apiKey}` } });
      rpc.on('runs.runs.list', () => '{}');
      const lost = keyOf(await create(as.member, {}, again));
      const made = keyOf(await create(as.member, {}, again));
      expect(made.id).toBe(lost.id);
      const acts = await new AuditLog(test.database).listEntries({ ...ctx, orgId: org.orgId }, 2);
      expect(acts.map(({ action, object }) => `${action} ${object}`)).toEqual([
        `key.secret_replaced ${made.id}`,
        `key.created ${made.id}`,
      ]);
      expect((await use(made.api_key)).status).toBe(200);
      expect((await use(lost.api_key)).status).toBe(401);
      await test.database.query(ctx, 'UPDATE identity.api_keys SET last_used_at = now() WHERE id = $1', [
        made.id,
      ]);
      expect((await create(as.member, {}, again)).code).toBe('idempotency_conflict');
      expect(items(await as.member.send('GET', '/app/api/keys'))).toHaveLength(1);
      await as.member.send('DELETE', `/app/api/keys/${made.id}`);
    });

    it('is refused after it expires', async () => {
      const made = await create(as.member, { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
      const { api_key: apiKey, id } = made.json as Item & { api_key: string };
      await test.database.query(
        ctx,
        `UPDATE identity.api_keys SET expires_at = clock_timestamp() WHERE id = $1`,
        [id],
      );
      const answer = await sendRaw(edge.port, '/v1/runs', { headers: { authorization: `Bearer ${apiKey}` } });
      expect(brief(answer)).toBe('401 not_authenticated');
    });

    it.each([
      ['expires_at', { expires_at: '2001-01-01T00:00:00.000Z' }],
      ['expires_at', { expires_at: '2098-02-30T00:00:00.000Z' }],
      ['expires_at', { expires_at: '2098-W05-1' }],
      ['mode', { mode: 'other' }],
      ['name', { name: '' }],
      ['name', { name: ' ' }],
      ['cap_day', { cap_day: -1 }],
      ['cap_day', { cap_day: 1e15 }],
      ['cap_month', { cap_month: 1_000_000_000.001 }],
      ['spare', { spare: 1 }],
    ])('is refused with an invalid %s, which is named', async (field, body) => {
      const { status, json } = await create(as.owner, body);
      expect(status).toBe(400);
      expect(JSON.stringify(json)).toContain(field);
    });

    it('is visible to and revoked by its user and owners, and nobody of another organisation', async () => {
      const { id } = (await create(as.member)).json as Item;
      const foreign = items(await as.owner.send('GET', '/app/api/keys')).find(
        (key) => key['user'] && (key['user'] as Item).id === ids.owner,
      )!;
      expect(brief(await as.member.send('DELETE', `/app/api/keys/${foreign.id}`))).toBe('404 not_found');
      expect(brief(await as.otherOwner.send('DELETE', `/app/api/keys/${id}`))).toBe('404 not_found');
      expect(items(await as.otherOwner.send('GET', '/app/api/keys')).map((key) => key.id)).not.toContain(id);
      expect((await as.owner.send('DELETE', `/app/api/keys/${id}`)).status).toBe(204);
    });
  });

  describe('a listed session', () => {
    it('can be ended from another device, and only by its own user', async () => {
      const phone = await signedIn('member@spec.example');
      const listed = items(await as.member.send('GET', '/app/api/sessions'));
      expect(listed.filter(({ current }) => current)).toHaveLength(1);
      expect(Object.keys(listed[0]!).sort()).toEqual(
        ['address', 'agent', 'created_at', 'current', 'expires_at', 'id', 'last_seen_at'].sort(),
      );
      const { id } = items(await phone.send('GET', '/app/api/sessions')).find(({ current }) => current)!;
      for (const browser of [as.owner, as.otherOwner])
        expect(brief(await browser.send('DELETE', `/app/api/sessions/${id}`))).toBe('404 not_found');
      expect((await as.member.send('DELETE', `/app/api/sessions/${id}`)).status).toBe(204);
      expect((await phone.send('GET', '/app/api/session')).status).toBe(401);
    });
  });

  describe('a password', () => {
    const change = (browser: Browser, body: unknown) =>
      browser.send('PUT', '/app/api/session/password', body);

    it('is set without the one of before after a login link, else with it, and ends the other sessions', async () => {
      const email = 'forgetful@spec.example';
      await store.createUser(ctx, { orgId: org.orgId, email, role: 'viewer' });
      const byLink = await signedIn(email);
      const elsewhere = await signedIn(email);
      expect(brief(await change(byLink, { password: 'short' }))).toBe('400 invalid_request');
      expect(brief(await change(byLink, { password: 'a new password' }))).toBe(204);
      const session = (browser: Browser) => browser.send('GET', '/app/api/session');
      expect([(await session(byLink)).status, (await session(elsewhere)).status]).toEqual([200, 401]);
      const byPassword = new Browser(edge.port);
      await byPassword.signIn({ email, password: 'a new password' });
      const next = { password: 'another password' };
      const wrong = await change(byPassword, { ...next, current_password: 'a wrong one' });
      expect(wrong.json).toMatchObject({
        error: { code: 'invalid_request', details: [{ path: 'current_password' }] },
      });
      expect(brief(await change(byPassword, next))).toBe('400 invalid_request');
      expect(brief(await change(byPassword, { ...next, current_password: 'a new password' }))).toBe(204);
      const old = { email, password: 'a new password' };
      expect((await new Browser(edge.port).send('POST', '/app/api/session', old)).status).toBe(401);
      const late = await signedIn(email);
      await test.database.query(
        ctx,
        `UPDATE identity.sessions SET created_at = created_at - interval '61 minutes' WHERE is_by_link`,
      );
      expect(brief(await change(late, next))).toBe('400 invalid_request');
    });

    it('is guessed five times in a session, as at the sign-in', async () => {
      const email = 'guessed@spec.example';
      await store.createUser(ctx, { orgId: org.orgId, email });
      const strict = await openEdge(test, rpc, { rateLimitScale: 1 });
      try {
        const browser = Object.assign(new Browser(strict.port), { cookie: (await signedIn(email)).cookie });
        const guess = () => change(browser, { current_password: 'a guess', password: 'another password' });
        for (let guesses = 0; guesses < 5; guesses += 1) expect((await guess()).status).toBe(400);
        expect(brief(await guess())).toBe('429 rate_limited');
      } finally {
        await strict.api.close();
      }
    });
  });

  describe('an invitation', () => {
    const invite = (email: string, role: Role = 'member') =>
      as.owner.send('POST', '/app/api/members', { email, role });
    const tokenOf = (answer: Answer) =>
      (answer.json as { invitation_link: string }).invitation_link.split('#')[1]!;
    const accept = (token: string, browser = new Browser(edge.port)) =>
      browser.send('POST', '/app/api/invitations', { token, name: 'Eve', password: 'long enough 1' });

    it('creates an account with its role once, and its password works for the next sign-in', async () => {
      const invited = await invite('eve@spec.example', 'viewer');
      expect(invited.status).toBe(201);
      expect(invited.json).toMatchObject({
        email: 'eve@spec.example',
        role: 'viewer',
        status: 'invited',
        invitation_link: expect.stringMatching(
          /^https:\/\/quarry\.example\/app\/invitation#[\w-]{43}$/,
        ) as unknown,
      });
      const eve = new Browser(edge.port);
      const accepted = await accept(tokenOf(invited), eve);
      expect([accepted.status, accepted.json]).toMatchObject([
        201,
        { user: { email: 'eve@spec.example', role: 'viewer' }, organisation: { id: org.orgId } },
      ]);
      expect((await eve.send('GET', '/app/api/session')).status).toBe(200);
      expect(brief(await accept(tokenOf(invited)))).toBe('401 not_authenticated');
      const again = await new Browser(edge.port).signIn({
        email: 'eve@spec.example',
        password: 'long enough 1',
      });
      expect(again.status).toBe(200);
    });

    it('is void after seven days, when it is withdrawn, and when a new one replaces it', async () => {
      const late = await invite('late@spec.example');
      await test.database.query(
        ctx,
        `UPDATE identity.invitations SET ends_at = clock_timestamp() WHERE email = 'late@spec.example'`,
      );
      expect(brief(await accept(tokenOf(late)))).toBe('401 not_authenticated');
      const first = await invite('twice@spec.example');
      const second = await invite('Twice@spec.example');
      expect(brief(await accept(tokenOf(first)))).toBe('401 not_authenticated');
      const { id } = second.json as Item;
      expect((await as.owner.send('DELETE', `/app/api/members/${id}`)).status).toBe(204);
      expect(brief(await accept(tokenOf(second)))).toBe('401 not_authenticated');
    });

    it.each([
      ['removed', (id: string) => as.owner.send('DELETE', `/app/api/members/${id}`)],
      [
        'no longer an owner',
        (id: string) => as.owner.send('PATCH', `/app/api/members/${id}`, { role: 'member' }),
      ],
    ])('is void when the owner who made it is %s', async (how, end) => {
      const [email, invited] = [`inviter-${how.length}@spec.example`, `invited-${how.length}@spec.example`];
      const { userId } = await store.createUser(ctx, { orgId: org.orgId, email, role: 'owner' });
      const inviter = await signedIn(email);
      const made = await inviter.send('POST', '/app/api/members', { email: invited, role: 'owner' });
      expect((await end(userId)).status).toBeLessThan(300);
      expect(brief(await accept(tokenOf(made)))).toBe('401 not_authenticated');
      const members = items(await as.owner.send('GET', '/app/api/members'));
      expect(members.map((each) => each['email'])).not.toContain(invited);
    });

    it('is refused for somebody who already has an account', async () => {
      const { status, json } = await invite('MEMBER@spec.example');
      expect(status).toBe(400);
      expect(JSON.stringify(json)).toContain('email');
      // Whether an address is used in another organisation is not revealed before the invited person has shown the token.
      expect((await invite(other.email)).status).toBe(201);
    });
  });

  describe('a member', () => {
    it('loses sessions and keys when removed, and the mail address can be used again', async () => {
      const email = 'leaver@spec.example';
      const { userId } = await store.createUser(ctx, { orgId: org.orgId, email });
      const leaver = await signedIn(email);
      const { json } = await leaver.send('POST', '/app/api/keys', { name: 'mine', mode: 'live' });
      const { api_key: apiKey } = json as { api_key: string };
      expect(brief(await as.otherOwner.send('DELETE', `/app/api/members/${userId}`))).toBe('404 not_found');
      expect((await as.owner.send('DELETE', `/app/api/members/${userId}`)).status).toBe(204);
      expect((await leaver.send('GET', '/app/api/session')).status).toBe(401);
      const answer = await sendRaw(edge.port, '/v1/runs', { headers: { authorization: `Bearer ${apiKey}` } });
      expect(brief(answer)).toBe('401 not_authenticated');
      const members = items(await as.owner.send('GET', '/app/api/members'));
      expect(members.map((each) => each['email'])).not.toContain(email);
      expect((await as.owner.send('POST', '/app/api/members', { email, role: 'member' })).status).toBe(201);
    });

    it('acts with a new role from the next request on', async () => {
      const email = 'riser@spec.example';
      const { userId } = await store.createUser(ctx, { orgId: org.orgId, email, role: 'viewer' });
      const riser = await signedIn(email);
      expect(brief(await riser.send('GET', '/app/api/audit'))).toBe('404 not_found');
      const changed = await as.owner.send('PATCH', `/app/api/members/${userId}`, { role: 'owner' });
      expect([changed.status, changed.json]).toMatchObject([200, { id: userId, role: 'owner' }]);
      expect((await riser.send('GET', '/app/api/audit')).status).toBe(200);
      expect((await riser.send('PATCH', `/app/api/members/${userId}`, { role: 'member' })).status).toBe(200);
    });

    it('who is the last owner cannot leave, even if two leave at once', async () => {
      for (const [method, body] of [
        ['PATCH', { role: 'member' }],
        ['DELETE', undefined],
      ] as const) {
        const answer = await as.otherOwner.send(method, `/app/api/members/${other.userId}`, body);
        expect(brief(answer)).toBe('400 invalid_request');
      }
      const second = await store.createUser(ctx, {
        orgId: other.orgId,
        email: 'second@other.example',
        role: 'owner',
      });
      const answers = await Promise.all(
        [other.userId, second.userId].map((id) =>
          as.otherOwner.send('PATCH', `/app/api/members/${id}`, { role: 'viewer' }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    });
  });

  it('returns the audit log in pages, with actors', async () => {
    const first = await as.owner.send('GET', '/app/api/audit?limit=2');
    const { items: newest, next_cursor: cursor } = first.json as { items: Item[]; next_cursor: string };
    expect(newest).toHaveLength(2);
    const rest = await as.owner.send('GET', `/app/api/audit?limit=1000&cursor=${cursor}`);
    const all = [...newest, ...items(rest)];
    expect(all.map(({ number }) => Number(number))).toEqual(all.map((_, i) => all.length - i));
    expect(all.find((each) => each['action'] === 'member.invited')).toMatchObject({
      actor: { kind: 'user', id: org.userId, email: org.email },
    });
    expect(all.at(-1)).toMatchObject({ action: 'organisation.created', actor: { kind: 'operator' } });
    expect(brief(await as.owner.send('GET', '/app/api/audit?cursor=x'))).toBe('400 invalid_cursor');
  });
});
