import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, envVarsOf, loadEnv, type EnvError } from '@quarry/platform';
import { providersOf, withProviders } from './provider.env.js';

class SampleEnv extends withProviders(class {}) {
  SANDBOX = true;
}

const logger = createLogger('spec', 'silent');
let dir: string;
beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'quarry-providers-'))));
afterAll(() => rmSync(dir, { recursive: true }));

function faultsWith(text: string | null): readonly string[] {
  const path = join(dir, 'providers.yaml');
  if (text !== null) writeFileSync(path, text);
  try {
    providersOf(loadEnv(SampleEnv, { PROVIDERS_FILE: text === null ? join(dir, 'none') : path }), logger);
    return [];
  } catch (error) {
    return (error as EnvError).faults;
  }
}

describe('the variables of providers', () => {
  it('are documented for every vendor, keys as secrets', () => {
    const variables = envVarsOf(SampleEnv);
    expect(variables.get('HUNTER_KEY')).toMatchObject({ secret: true });
    expect(variables.get('SEARXNG_URL')?.secret).toBeUndefined();
    expect([...variables.keys()]).toEqual(
      expect.arrayContaining(['PROVIDERS_FILE', 'FETCH_ALLOW_HOSTS', 'VENDOR_URL']),
    );
  });

  it('name every fault of the file at the start, with the file’s name before it', () => {
    expect(faultsWith('services: { getEmail: [nobody, hunter] }')).toEqual([
      'PROVIDERS_FILE: providers.hunter has no key: HUNTER_KEY is not set',
      'PROVIDERS_FILE: services.getEmail[0] names nobody: nobody',
    ]);
    expect(faultsWith(null)).toEqual([
      expect.stringMatching(/^PROVIDERS_FILE: .*none cannot be read \(ENOENT\)$/),
    ]);
    expect(faultsWith('{}')).toEqual([]);
  });
});
