import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ExclusionItem, ExclusionKind } from '@quarry/dto';
import { newId, type Ctx } from '@quarry/app';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { json, openScene, refusal, type Scene } from '../spec-kit.js';
import { ExclusionMatcher } from './exclusion-matcher.js';

interface Entry {
  domain: string | null;
  linkedin_url: string | null;
  created_at: string;
  updated_at: string;
}
interface Page {
  items: Entry[];
  next_offset: number | null;
}

const linkedin = (slug: string) => `https://www.linkedin.com/company/${slug}`;

describe('exclusion lists', () => {
  const test = useTestDatabase();
  let scene: Scene;
  let matcher: ExclusionMatcher;
  beforeAll(async () => {
    scene = await openScene(test.database);
    matcher = new ExclusionMatcher(test.database);
  });

  const freshOrg = (): Ctx => testCtx(newId('org'));
  const list = async (ctx: Ctx, kind: ExclusionKind = 'companies') =>
    (await json<Page>(scene.rpc.listExclusions(ctx, { kind, limit: 1000, offset: 0 }))).items;
  const domains = async (ctx: Ctx) => (await list(ctx)).map(({ domain }) => domain).sort();
  const add = (ctx: Ctx, items: ExclusionItem[]) =>
    json(scene.rpc.addExclusions(ctx, { kind: 'companies', items }));
  const sync = (ctx: Ctx, source: string, names: string[], dryRun = false) =>
    json(
      scene.rpc.syncExclusions(ctx, {
        kind: 'companies',
        source,
        items: names.map((domain) => ({ domain })),
        dryRun,
      }),
    );

  it('shows entries with exactly the fields of the contract, null where nothing was given', async () => {
    const ctx = freshOrg();
    await add(ctx, [{ domain: 'https://www.B.com/x' }, { linkedin_url: 'linkedin.com/company/A' }]);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const times = { created_at: time, updated_at: time };
    const found = await list(ctx);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual({ domain: 'b.com', linkedin_url: null, ...times });
    expect(found).toContainEqual({ domain: null, linkedin_url: linkedin('a'), ...times });
    expect(await list(ctx, 'people')).toEqual([]);
  });

  it('count every added item exactly once', async () => {
    const ctx = freshOrg();
    expect(
      await add(ctx, [{ domain: 'a.com' }, { domain: 'www.a.com' }, { domain: 'b.com' }, { domain: '?' }]),
    ).toEqual({
      created: 2,
      updated: 0,
      unchanged: 1,
      rejected: [{ index: 3, message: expect.any(String) }],
    });
    const again = [{ domain: 'a.com' }, { domain: 'b.com', linkedin_url: 'linkedin.com/company/b' }];
    expect(await add(ctx, again)).toEqual({ created: 0, updated: 1, unchanged: 1, rejected: [] });
    expect(await add(ctx, [{ domain: 'b.com' }])).toEqual({
      created: 0,
      updated: 0,
      unchanged: 1,
      rejected: [],
    });
    const b = (await list(ctx)).find(({ domain }) => domain === 'b.com')!;
    expect(b.linkedin_url).toBe(linkedin('b'));
    expect(b.updated_at >= b.created_at).toBe(true);
  });

  it('delete by domain or by LinkedIn URL, and count items that match nothing', async () => {
    const ctx = freshOrg();
    await add(ctx, [
      { domain: 'a.com' },
      { domain: 'b.com', linkedin_url: 'linkedin.com/company/b' },
      { linkedin_url: 'linkedin.com/company/c' },
    ]);
    const remove = (items: ExclusionItem[]) =>
      json(scene.rpc.deleteExclusions(ctx, { kind: 'companies', items }));
    expect(await remove([{ domain: 'sub.a.com' }, { domain: 'z.com' }, { domain: '?' }])).toEqual({
      deleted: 1,
      not_found: 2,
    });
    const byAddress = ['b', 'c', 'd'].map((slug) => ({ linkedin_url: linkedin(slug) }));
    expect(await remove(byAddress)).toEqual({ deleted: 2, not_found: 1 });
    expect(await list(ctx)).toEqual([]);
  });

  it('are synced per source: entries named by another source stay', async () => {
    const ctx = freshOrg();
    await add(ctx, [{ domain: 'hand.com' }, { domain: 'both.com' }]);
    expect(await sync(ctx, 'crm', ['both.com', 'crm.com', 'old.com'])).toEqual({
      created: 3,
      deleted: 0,
      unchanged: 0,
      rejected: [],
    });
    await sync(ctx, 'other', ['crm.com']);
    expect(await sync(ctx, 'crm', ['new.com'])).toEqual({
      created: 1,
      deleted: 3,
      unchanged: 0,
      rejected: [],
    });
    expect(await domains(ctx)).toEqual(['both.com', 'crm.com', 'hand.com', 'new.com']);
    expect(await sync(ctx, 'crm', [])).toEqual({ created: 0, deleted: 1, unchanged: 0, rejected: [] });
    expect(await domains(ctx)).toEqual(['both.com', 'crm.com', 'hand.com']);
  });

  it('predict the result of a sync in a dry run, which writes nothing', async () => {
    const ctx = freshOrg();
    const name = fc.constantFrom('a.com', 'b.com', 'c.com', 'd.com', 'e.com', 'bad');
    const item = fc.record(
      { domain: name, linkedin_url: fc.constantFrom(linkedin('x'), linkedin('y')) },
      { requiredKeys: ['domain'] },
    );
    const step = fc.record({
      source: fc.constantFrom('crm', 'erp'),
      items: fc.array(item, { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(step, async ({ source, items }) => {
        const run = (dryRun: boolean) =>
          scene.rpc.syncExclusions(ctx, { kind: 'companies', source, items, dryRun });
        const before = await list(ctx);
        const predicted = await run(true);
        expect(await list(ctx)).toEqual(before);
        expect(await run(false)).toBe(predicted);
        const settled = await json<{ created: number; deleted: number; unchanged: number }>(run(false));
        const named = new Set(items.map(({ domain }) => domain).filter((domain) => domain !== 'bad'));
        expect(settled).toMatchObject({ created: 0, deleted: 0, unchanged: named.size });
        expect(await domains(ctx)).toEqual(expect.arrayContaining([...named]));
      }),
      { numRuns: 40 },
    );
  });

  it('predict the result of adding or deleting in a dry run, which changes nothing', async () => {
    const ctx = freshOrg();
    await add(ctx, [{ domain: 'a.com' }, { domain: 'b.com' }]);
    const before = await list(ctx);
    const items = [
      { domain: 'a.com', linkedin_url: linkedin('a') },
      { domain: 'new.com' },
      { domain: 'bad' },
    ];
    const adds = (dryRun: boolean) =>
      json(scene.rpc.addExclusions(ctx, { kind: 'companies', items, dryRun }));
    const deletes = (dryRun: boolean) =>
      json(scene.rpc.deleteExclusions(ctx, { kind: 'companies', items, dryRun }));
    const [added, deleted] = [await adds(true), await deletes(true)];
    expect(added).toMatchObject({ created: 1, updated: 1, unchanged: 0, rejected: [{ index: 2 }] });
    expect(deleted).toEqual({ deleted: 1, not_found: 2 });
    expect(await list(ctx)).toEqual(before);
    expect(await deletes(false)).toEqual(deleted);
    await add(ctx, [{ domain: 'a.com' }]);
    expect(await adds(false)).toEqual(added);
  });

  it('list every entry once over all pages, in alphabetical order', async () => {
    const ctx = freshOrg();
    const names = Array.from({ length: 23 }, (_, n) => `firm${(n * 7) % 23}.com`);
    for (const domain of names) await add(ctx, [{ domain }]);
    for (const limit of [1, 4, 22, 23, 24]) {
      const seen: Array<string | null> = [];
      for (let offset: number | null = 0; offset !== null;) {
        const page: Page = await json<Page>(
          scene.rpc.listExclusions(ctx, { kind: 'companies', limit, offset }),
        );
        seen.push(...page.items.map(({ domain }) => domain));
        offset = page.next_offset;
      }
      expect(seen).toEqual([...names].sort());
    }
  });

  it('are separate per organisation and kind', async () => {
    const [ctx, otherTenant] = [freshOrg(), freshOrg()];
    await add(ctx, [{ domain: 'a.com' }]);
    const item = { kind: 'companies' as const, items: [{ domain: 'a.com' }] };
    expect(await json(scene.rpc.deleteExclusions(otherTenant, item))).toEqual({ deleted: 0, not_found: 1 });
    expect(await json(scene.rpc.deleteExclusions(ctx, { ...item, kind: 'people' }))).toEqual({
      deleted: 0,
      not_found: 1,
    });
    expect(await sync(otherTenant, 'crm', [])).toMatchObject({ deleted: 0 });
    expect(await list(otherTenant)).toEqual([]);
    expect(await matcher.excludedAmong(otherTenant, 'companies', [{ domain: 'a.com' }])).toEqual(new Set());
    expect(await domains(ctx)).toEqual(['a.com']);
  });

  describe.each([
    ['organisations', () => [freshOrg(), freshOrg()] as const],
    ['modes', () => [freshOrg()].flatMap((ctx) => [ctx, { ...ctx, mode: 'test' as const }])],
  ])('of two %s with the same entries', (_of, open) => {
    const pairs = (): Array<[Ctx, Ctx]> => [open() as [Ctx, Ctx], [...open()].reverse() as [Ctx, Ctx]];
    const acme = { domain: 'acme.com', linkedin_url: 'linkedin.com/company/acme' };
    const remove = (ctx: Ctx, item: ExclusionItem) =>
      json(scene.rpc.deleteExclusions(ctx, { kind: 'companies', items: [item] }));

    it('match each its own domains and addresses', async () => {
      for (const [one, other] of pairs()) {
        await add(one, [acme]);
        const input = [{ domain: 'acme.com' }, { linkedin_url: linkedin('acme') }];
        expect(await matcher.excludedAmong(one, 'companies', input)).toEqual(new Set([0, 1]));
        expect(await matcher.excludedAmong(other, 'companies', input)).toEqual(new Set());
      }
    });

    it('show each its own entries', async () => {
      for (const [one, other] of pairs()) {
        await add(one, [acme]);
        expect(await list(other)).toEqual([]);
      }
    });

    it('count as matched only their own', async () => {
      for (const [one, other] of pairs()) {
        await add(one, [acme]);
        const none = { deleted: 0, not_found: 1 };
        expect(await remove(other, { domain: 'acme.com' })).toEqual(none);
        expect(await remove(other, { linkedin_url: acme.linkedin_url })).toEqual(none);
      }
    });

    it('lose nothing that the other deletes', async () => {
      for (const [one, other] of pairs()) {
        for (const ctx of [one, other]) await add(ctx, [acme]);
        expect(await remove(one, { domain: 'acme.com' })).toEqual({ deleted: 1, not_found: 0 });
        expect(await domains(other)).toEqual(['acme.com']);
      }
    });

    it('keep the source of an entry when the other deletes it', async () => {
      for (const [one, other] of pairs()) {
        for (const ctx of [one, other]) await add(ctx, [acme]);
        await remove(one, { domain: 'acme.com' });
        await sync(other, 'crm', ['acme.com']);
        await sync(other, 'crm', []);
        expect(await domains(other)).toEqual(['acme.com']);
      }
    });

    it('foresee of a sync only their own changes', async () => {
      for (const [one, other] of pairs()) {
        await sync(one, 'crm', ['acme.com']);
        expect(await sync(other, 'crm', [], true)).toMatchObject({ created: 0, deleted: 0, unchanged: 0 });
        await sync(other, 'crm', ['acme.com']);
        expect(await sync(one, 'crm', ['acme.com'], true)).toMatchObject({ unchanged: 1 });
      }
    });

    it('keep their sources when the other syncs', async () => {
      for (const [one, other] of pairs()) {
        for (const ctx of [one, other]) await sync(ctx, 'crm', ['acme.com']);
        await sync(one, 'crm', []);
        expect(await sync(other, 'crm', ['acme.com'])).toMatchObject({ created: 0, unchanged: 1 });
      }
    });

    it('keep their entries when the other syncs', async () => {
      for (const [one, other] of pairs()) {
        for (const ctx of [one, other]) await sync(ctx, 'crm', ['acme.com']);
        await add(other, [acme]);
        await sync(one, 'crm', []);
        expect(await domains(other)).toEqual(['acme.com']);
      }
    });

    it('lose what only the other still names', async () => {
      for (const [one, other] of pairs()) {
        await add(other, [acme]);
        await sync(one, 'crm', ['acme.com']);
        await sync(one, 'crm', []);
        expect(await list(one)).toEqual([]);
      }
    });
  });

  it('match any spelling of a domain or LinkedIn URL', async () => {
    const ctx = freshOrg();
    await add(ctx, [
      { domain: 'acme.com', linkedin_url: 'linkedin.com/company/acme' },
      { linkedin_url: 'linkedin.com/company/beta' },
      { domain: 'bücher.de' },
    ]);
    const candidates = [
      { domain: 'https://mail.ACME.com/x' },
      { domain: 'notacme.com' },
      { linkedin_url: 'https://no.linkedin.com/company/Acme/about' },
      { domain: 'beta.com', linkedin_url: linkedin('beta') },
      { domain: 'xn--bcher-kva.de' },
      { domain: null, linkedin_url: null },
      {},
      { domain: 'nonsense', linkedin_url: 'nonsense' },
    ];
    expect(await matcher.excludedAmong(ctx, 'companies', candidates)).toEqual(new Set([0, 2, 3, 4]));
    expect(await matcher.excludedAmong(ctx, 'companies', [])).toEqual(new Set());
  });

  it('refuse a source name that PostgreSQL cannot store', async () => {
    const call = scene.rpc.syncExclusions(freshOrg(), {
      kind: 'people',
      source: '\0',
      items: [],
      dryRun: false,
    });
    expect(await refusal(call)).toMatchObject({ code: 'invalid_request', details: [{ path: 'source' }] });
  });

  it('sync 100,000 items and check a long list of candidates by index', async () => {
    const ctx = freshOrg();
    const names = Array.from({ length: 100_000 }, (_, n) => `firm-${n}.com`);
    expect(await sync(ctx, 'crm', names)).toMatchObject({ created: 100_000 });
    expect(await sync(ctx, 'crm', names.slice(10))).toMatchObject({ deleted: 10, unchanged: 99_990 });
    const candidates = Array.from({ length: 1000 }, (_, n) => ({ domain: `firm-${n}.com` }));
    expect((await matcher.excludedAmong(ctx, 'companies', candidates)).size).toBe(990);
  });
});
