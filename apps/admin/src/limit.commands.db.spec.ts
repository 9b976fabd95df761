import { beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { systemCtx } from '@quarry/app';
import { useTestDatabase } from '@quarry/testing';
import { LIMIT_COMMANDS } from './limit.commands.js';

describe('the limits commands', () => {
  const test = useTestDatabase();
  let orgId: string;

  beforeAll(async () => {
    orgId = (await createOrganisation(test.database, { name: 'Capped', credits: 10 })).orgId;
  });

  const run = (name: string, options: Record<string, string>) =>
    LIMIT_COMMANDS[name]!.run(test.database, { org: orgId, ...options }, {});
  const capsOf = async (options: Record<string, string>) => {
    const shown = (await run('limits:show', options)) as Record<'day' | 'month', { cap: number | null }>;
    return [shown.day.cap, shown.month.cap];
  };
  const keyOf = async (mode: string) =>
    (await test.database.queryOne<{ id: string }>(
      systemCtx('spec'),
      'SELECT id FROM identity.api_keys WHERE org_id = $1 AND mode = $2',
      [orgId, mode],
    ))!.id;

  it('set one cap, keep the other, and remove a cap', async () => {
    expect(await run('limits:set', { day: '12.5', month: '100' })).toMatchObject({
      org_id: orgId,
      key_id: null,
      mode: 'live',
      day: { cap: 12.5, used: 0 },
      month: { cap: 100, used: 0 },
    });
    await run('limits:set', { day: 'none' });
    expect(await capsOf({})).toEqual([null, 100]);
    expect(await capsOf({ mode: 'test' })).toEqual([null, null]);
  });

  it('find out the mode of a key', async () => {
    const key = await keyOf('test');
    expect(await run('limits:set', { key, month: '7' })).toMatchObject({ key_id: key, mode: 'test' });
    expect(await capsOf({ key })).toEqual([null, 7]);
    expect(await capsOf({ mode: 'test' })).toEqual([null, null]);
    await expect(run('limits:show', { key, mode: 'live' })).rejects.toThrow(`${key} is a test key.`);
  });

  it.each([
    [{ day: '1.2345' }, '--day must be a number of credits'],
    [{ day: '-1' }, '--day must be a number of credits'],
    [{}, '--day or --month is required'],
    [{ day: '1', mode: 'play' }, '--mode must be live or test'],
    [{ day: '1', key: 'key_x' }, 'has no key key_x'],
    [{ day: '1', org: 'org_x' }, 'There is no organisation org_x'],
  ])('refuse %j', async (options, message) => {
    await expect(run('limits:set', options as Record<string, string>)).rejects.toThrow(message);
  });
});
