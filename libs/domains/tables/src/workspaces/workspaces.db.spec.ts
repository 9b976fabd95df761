import { beforeAll, describe, expect, it } from '@jest/globals';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { json, openScene, type Scene } from '../spec-kit.js';

interface Page {
  items: Array<{ id: string; name: string }>;
  next_offset: number | null;
}

describe('workspaces', () => {
  const test = useTestDatabase();
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(test.database);
  });

  it('have exactly the fields of the contract', async () => {
    const ctx = testCtx('org_shape');
    const made = await json(scene.rpc.createWorkspace(ctx, { name: 'Nordic "SaaS" 🚀' }));
    const id = String(made.id);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(made).toEqual({
      id: expect.stringMatching(/^ws_[0-9a-z]{26}$/),
      name: 'Nordic "SaaS" 🚀',
      created_at: time,
      updated_at: time,
      links: {
        self: `/v1/workspaces/${id}`,
        tables: `/v1/workspaces/${id}/tables`,
        runs: `/v1/runs?workspace_id=${id}`,
        app: `https://app.quarry.example/workspaces/${id}`,
      },
    });
    expect(made.created_at).toBe(made.updated_at);
    expect(await json(scene.rpc.getWorkspace(ctx, { workspaceId: id }))).toEqual(made);
    expect(await json(scene.rpc.listWorkspaces(ctx, { limit: 1, offset: 0 }))).toEqual({
      items: [made],
      next_offset: null,
    });
  });

  it('are listed once each, oldest first, for every page size', async () => {
    const ctx = testCtx('org_pages');
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await scene.rpc.createWorkspace(ctx, { name });
    for (let limit = 1; limit <= 6; limit += 1) {
      const seen: string[] = [];
      for (let offset: number | null = 0; offset !== null;) {
        const page: Page = await json<Page>(scene.rpc.listWorkspaces(ctx, { limit, offset }));
        seen.push(...page.items.map(({ name }) => name));
        expect(page.next_offset === null || page.next_offset === offset + limit).toBe(true);
        offset = page.next_offset;
      }
      expect(seen).toEqual(names);
    }
  });

  it('are an empty last page for an offset beyond the end', async () => {
    const ctx = testCtx('org_beyond');
    await scene.rpc.createWorkspace(ctx, { name: 'only' });
    const page = await json(scene.rpc.listWorkspaces(ctx, { limit: 1000, offset: Number.MAX_SAFE_INTEGER }));
    expect(page).toEqual({ items: [], next_offset: null });
  });

  it('cannot have a name that PostgreSQL cannot store, and the error names the field', async () => {
    const create = scene.rpc.createWorkspace(testCtx('org_nul'), { name: 'a\0b' });
    await expect(create).rejects.toMatchObject({ code: 'invalid_request', details: [{ path: 'name' }] });
  });
});
