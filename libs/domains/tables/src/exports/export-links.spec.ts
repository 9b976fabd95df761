import { describe, expect, it, jest } from '@jest/globals';
import { CursorSigner } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { testCtx } from '@quarry/testing';
import { ExportLinks } from './export-links.js';
import type { ExportsStore } from './exports.store.js';

const HOUR_MS = 3_600_000;
const ctx = testCtx('org_a');
const database = { transaction: () => Promise.resolve() } as unknown as Database;
const exports = {
  findExport: (_: unknown, id: string) => Promise.resolve({ id }),
} as unknown as ExportsStore;
const links = new ExportLinks(database, exports, new CursorSigner([{ id: '1', secret: 'spec' }]));

describe('a link to an export', () => {
  it('opens its export, for its organisation and mode, until it expires', async () => {
    const { token, expiresAt } = await links.createLink(ctx, 'exp_1', 2);
    expect(links.openLink(token)).toEqual({ orgId: 'org_a', mode: ctx.mode, exportId: 'exp_1' });
    const end = Date.parse(expiresAt);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(end);
    expect(links.openLink(token)).toMatchObject({ exportId: 'exp_1' });
    clock.mockReturnValue(end + 1);
    expect(() => links.openLink(token)).toThrow('This link has expired');
    clock.mockRestore();
    expect(end - Date.now()).toBeGreaterThan(HOUR_MS);
  });

  it.each([
    ['another export', (parts: string[]) => parts.with(2, 'exp_2')],
    ['another organisation', (parts: string[]) => parts.with(0, 'org_b')],
    ['the other mode', (parts: string[]) => parts.with(1, ctx.mode === 'live' ? 'test' : 'live')],
    ['an invalid mode', (parts: string[]) => parts.with(1, 'both')],
    [
      'another signature',
      (parts: string[]) =>
        parts.with(
          3,
          parts[3]!.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
        ),
    ],
    ['no signature', (parts: string[]) => parts.slice(0, 3)],
  ])('with a changed %s opens nothing', async (_what, change) => {
    const { token } = await links.createLink(ctx, 'exp_1', 2);
    expect(() => links.openLink(change(token.split('.')).join('.'))).toThrow('Export not found');
  });
});
