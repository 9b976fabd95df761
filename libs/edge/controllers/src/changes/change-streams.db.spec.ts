import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { IdentityStore, type CreatedOrganisation } from '@quarry/identity';
import { newId, systemCtx, type Mode } from '@quarry/app';
import { waitFor } from '@quarry/test-servers';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import type { HttpApi } from '@quarry/http';
import { AppRpc, Browser } from '../app/app-api.fixture.js';
import { openEdge } from '../open-edge.fixture.js';
import { StreamListener } from '../stream-listener.fixture.js';
import type { Change } from './tenant-changes.js';

const CHANGES = '/app/api/changes';

class Listener extends StreamListener {
  get changes(): Change[] {
    return [...this.text.matchAll(/^data: (\[.*\])$/gm)].flatMap(([, json]) => JSON.parse(json!) as Change[]);
  }

  get lastId(): string | undefined {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1];
  }

  revisionsOf(id: string): string[] {
    return this.changes.filter((each) => each.id === id).map(({ revision }) => revision);
  }
}

describe('a change stream', () => {
  let test: TestDatabase;
  let rpc: AppRpc;
  let [one, other]: Array<{ api: HttpApi; port: number }> = [];
  let org: CreatedOrganisation;
  let browser: Browser;
  const listeners: Listener[] = [];

  beforeAll(async () => {
    test = await createTestDatabase();
    rpc = await AppRpc.open(test);
    org = await new IdentityStore(test.database).createOrganisation(systemCtx('spec'), { name: 'Spec' });
    [one, other] = [await openEdge(test, rpc), await openEdge(test, rpc)];
    browser = await signedIn(org);
  });
  afterEach(async () => {
    for (const each of listeners.splice(0)) await each.leave();
  });
  afterAll(async () => {
    await one!.api.close();
    await other!.api.close();
    await rpc.close();
    await test.drop();
  });

  async function signedIn({ email, password }: CreatedOrganisation): Promise<Browser> {
    const fresh = new Browser(one!.port);
    await fresh.signIn({ email, password });
    return fresh;
  }

  async function listen(from = one!, who = browser, lastEventId?: string): Promise<Listener> {
    const url = `http://127.0.0.1:${from.port}${CHANGES}`;
    const listener = await Listener.open(url, { cookie: who.cookie! }, lastEventId);
    listeners.push(listener);
    return listener;
  }

  const run = (orgId: string, sql: string, ...params: unknown[]) =>
    test.database.query(systemCtx('spec', orgId), sql, params);

  /** Inserts a table as a run or an import does. Only its id may be sent to browsers. */
  async function createTable(orgId: string, mode: Mode = 'live'): Promise<string> {
    const [workspace, table] = [newId('ws'), newId('tbl')];
    await run(
      orgId,
      'INSERT INTO tables.workspaces (org_id, id, name, mode) VALUES ($1, $2, $3, $4)',
      orgId,
      workspace,
      'Secret workspace',
      mode,
    );
    await run(
      orgId,
      `INSERT INTO tables.tables (org_id, id, workspace_id, name, columns, mode) VALUES ($1, $2, $3, 'Secret table', '[]', $4)`,
      orgId,
      table,
      workspace,
      mode,
    );
    return table;
  }

  const changeTable = (orgId: string, table: string) =>
    run(
      orgId,
      'UPDATE tables.tables SET revision = revision + 1, changed_at = clock_timestamp() WHERE org_id = $1 AND id = $2',
      orgId,
      table,
    );

  it('reports at every gateway what has changed, with ids and revisions and nothing else', async () => {
    const [here, there] = [await listen(one), await listen(other)];
    expect(here.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(here.response.headers.get('cache-control')).toBe('no-store');
    const table = await createTable(org.orgId, 'test');
    for (const each of [here, there])
      await waitFor('the new table', () => each.revisionsOf(table).length === 1);
    await changeTable(org.orgId, table);
    for (const each of [here, there])
      await waitFor('its change', () => each.revisionsOf(table).join() === '0,1');
    expect(here.changes.filter(({ id }) => id === table)).toEqual([
      { mode: 'test', type: 'table', id: table, revision: '0' },
      { mode: 'test', type: 'table', id: table, revision: '1' },
    ]);
    expect(here.text).not.toContain('Secret');
  });

  it('reports credits, a run and its steps', async () => {
    const listener = await listen();
    await run(
      org.orgId,
      `INSERT INTO credits.accounts (id, org_id, mode) VALUES ($1, $2, 'live')`,
      newId('org'),
      org.orgId,
    );
    await waitFor('the balance', () => listener.revisionsOf('live').length === 1);
    await createTable(org.orgId);
    const [conversation, id] = [newId('conv'), newId('run')];
    await run(
      org.orgId,
      `INSERT INTO runs.conversations (id, org_id, workspace_id)
       SELECT $2, $1, w.id FROM tables.workspaces w WHERE w.org_id = $1 AND w.mode = 'live' LIMIT 1`,
      org.orgId,
      conversation,
    );
    await run(
      org.orgId,
      `INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, status, body_hash)
       SELECT $3, $1, 'live', c.workspace_id, c.id, 'Secret prompt', 'queued', '' FROM runs.conversations c WHERE c.id = $2`,
      org.orgId,
      conversation,
      id,
    );
    await waitFor('the run', () => listener.revisionsOf(id).length === 1);
    await run(
      org.orgId,
      `INSERT INTO runs.steps (run_id, name, position, input) VALUES ($1, 'plan', 0, '{}')`,
      id,
    );
    await waitFor('its step', () => listener.revisionsOf(id).length === 2);
    await run(
      org.orgId,
      `UPDATE runs.runs SET status = 'failed', ended_at = clock_timestamp() WHERE id = $1`,
      id,
    );
    await waitFor('its end', () => listener.revisionsOf(id).length === 3);
    expect(new Set(listener.revisionsOf(id)).size).toBe(3);
    expect(listener.text).not.toContain('Secret');
  });

  it('resumes at another gateway where the browser left off', async () => {
    const first = await listen(one);
    const known = await createTable(org.orgId);
    await waitFor('the table', () => first.revisionsOf(known).length === 1);
    const { lastId } = first;
    await first.leave();
    await changeTable(org.orgId, known);
    const second = await listen(other, browser, lastId);
    await waitFor('what was missed', () => second.revisionsOf(known).includes('1'));
    expect(second.text).not.toContain('event: reset');
  });

  it.each([
    ['an invalid id', 'x'],
    ['an id from an hour ago', String(Date.now() - 3_600_000)],
  ])('tells the browser to read everything again after %s', async (_what, lastEventId) => {
    const listener = await listen(one, browser, lastEventId);
    await waitFor('the word', () => listener.text.includes('event: reset\n'));
  });

  it('reports nothing of another organisation', async () => {
    const otherOrg = await new IdentityStore(test.database).createOrganisation(systemCtx('spec'), {
      name: 'Other',
    });
    const [own, foreign] = [await listen(), await listen(one, await signedIn(otherOrg))];
    const [ownTable, foreignTable] = [await createTable(org.orgId), await createTable(otherOrg.orgId)];
    await waitFor('the own table', () => own.revisionsOf(ownTable).length === 1);
    await waitFor('the other’s table', () => foreign.revisionsOf(foreignTable).length === 1);
    expect(own.text).not.toContain(foreignTable);
    expect(foreign.text).not.toContain(ownTable);
  });

  it('ends with the session, and does not count as use of it', async () => {
    const guest = await signedIn(org);
    const listener = await listen(one, guest);
    const [{ id, last_seen_at: seenAt } = {}] = await run(
      org.orgId,
      'SELECT id, last_seen_at FROM identity.sessions WHERE org_id = $1 ORDER BY created_at DESC LIMIT 1',
      org.orgId,
    );
    await guest.send('DELETE', '/app/api/session');
    await waitFor('the end of the stream', () => listener.hasEnded);
    const [after] = await run(
      org.orgId,
      'SELECT last_seen_at FROM identity.sessions WHERE org_id = $1 AND id = $2',
      org.orgId,
      id,
    );
    expect(after?.last_seen_at ?? seenAt).toEqual(seenAt);
    expect((await listen(one, guest)).response.status).toBe(401);
  });

  it('is refused to a session with six streams, until one of them ends', async () => {
    const six = await Promise.all(Array.from({ length: 6 }, () => listen()));
    expect(six.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200, 200]);
    const refused = await browser.send('GET', CHANGES);
    expect([refused.status, refused.code, refused.headers['retry-after']]).toEqual([
      429,
      'rate_limited',
      '60',
    ]);
    await six[0]!.leave();
    await waitFor('a free place', async () => {
      const again = await listen();
      if (again.response.status !== 200) return false;
      await again.leave();
      return true;
    });
  });

  it('is ended by a stopping process, and asks the browser to reconnect at once', async () => {
    const shutdown = await openEdge(test, rpc);
    const listener = await listen(shutdown);
    await shutdown.api.close();
    await waitFor('the end of the stream', () => listener.hasEnded);
    expect(listener.text).toMatch(/retry: 500\n\n$/);
  });

  it('is refused without a session, and answers HEAD', async () => {
    expect((await new Browser(one!.port).send('GET', CHANGES)).status).toBe(401);
    expect((await browser.send('HEAD', CHANGES)).status).toBe(200);
  });
});
