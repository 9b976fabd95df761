import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Profiles } from './profiles.js';

describe('a product started on this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-profiles-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const startIn = (data: string): void => {
    mkdirSync(join(folder, data), { recursive: true });
    const credentials = { api_key: `key of ${data}`, base_url: 'http://127.0.0.1:3000' };
    writeFileSync(join(folder, data, 'credentials.json'), JSON.stringify(credentials));
  };
  const keyIn = (at: string, environment: Record<string, string> = {}): string =>
    new Profiles({ XDG_CONFIG_HOME: folder, ...environment }, join(folder, at)).findProfile(undefined).apiKey;

  it('is found by the data folder of a parent folder, or first by DATA_DIR', () => {
    startIn('work/.data');
    startIn('elsewhere');
    expect(keyIn('work/leads/march')).toBe('key of work/.data');
    expect(keyIn('work', { DATA_DIR: join(folder, 'elsewhere') })).toBe('key of elsewhere');
    expect(keyIn('work', { DATA_DIR: '../elsewhere' })).toBe('key of elsewhere');
    expect(() => keyIn('work', { DATA_DIR: 'nowhere' })).toThrow('You are not signed in');
    expect(() => keyIn('.')).toThrow('You are not signed in');
  });
});

describe('a profile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-profiles-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    [
      { url: 'http://127.0.0.1:3000' },
      'Profile mine has no key. “quarry login --name mine” creates it again.',
    ],
    [{ api_key: 'k' }, 'Profile mine has no address. “quarry login --name mine” creates it again.'],
  ])('with a missing part is reported, with the command that fixes it: %j', (mine, message) => {
    mkdirSync(join(folder, 'quarry'), { recursive: true });
    writeFileSync(
      join(folder, 'quarry', 'config.json'),
      JSON.stringify({ current: 'mine', profiles: { mine } }),
    );
    const profiles = new Profiles({ XDG_CONFIG_HOME: folder }, folder);
    expect(() => profiles.findProfile(undefined)).toThrow(message);
  });
});
