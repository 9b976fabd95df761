import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, envVarsOf, loadEnv, type EnvError } from '@quarry/app';
import { ConfiguredProviders } from '../operator/configured-providers.js';
import { providersOf, withProviders } from './provider.env.js';
import { vendorOf, withVendor } from './vendor.env.js';

class SampleEnv extends withProviders(class {}) {
  SANDBOX = true;
}

const logger = createLogger('spec', 'silent');
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'quarry-providers-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

async function faultsWith(text: string | null): Promise<readonly string[]> {
  const path = join(dir, 'providers.yaml');
  if (text !== null) writeFileSync(path, text);
  try {
    await providersOf(
      loadEnv(SampleEnv, { PROVIDERS_FILE: text === null ? join(dir, 'none') : path }),
      logger,
    );
    return [];
  } catch (error) {
    return (error as EnvError).faults;
  }
}

describe('the environment variables of providers', () => {
  it('are documented for every vendor, keys as secrets', () => {
    const variables = envVarsOf(SampleEnv);
    expect(variables.get('HUNTER_KEY')).toMatchObject({ secret: true });
    expect(variables.get('SEARXNG_URL')?.secret).toBeUndefined();
    expect([...variables.keys()]).toEqual(
      expect.arrayContaining(['PROVIDERS_FILE', 'FETCH_ALLOW_HOSTS', 'VENDOR_URL']),
    );
  });

  it('take one encryption key or several, each of 32 characters, and never repeat them', () => {
    const [one, two] = ['a'.repeat(32), 'b'.repeat(32)];
    expect(loadEnv(SampleEnv, {}).ENCRYPTION_KEYS).toEqual([]);
    expect(loadEnv(SampleEnv, { ENCRYPTION_KEYS: `${one}, ${two}` }).ENCRYPTION_KEYS).toEqual([one, two]);
    const short = `${one},${'c'.repeat(31)}`;
    expect(() => loadEnv(SampleEnv, { ENCRYPTION_KEYS: short })).toThrow(
      /ENCRYPTION_KEYS must be keys of 32 characters or more, comma-separated$/,
    );
    expect(envVarsOf(SampleEnv).get('ENCRYPTION_KEYS')).toMatchObject({ secret: true });
  });

  it('report every error of the provider file at the start, with the file name', async () => {
    expect(await faultsWith('services: { getEmail: [nobody, hunter] }')).toEqual([
      'PROVIDERS_FILE: providers.hunter has no key: HUNTER_KEY is not set',
      'PROVIDERS_FILE: services.getEmail[0] names an unknown provider: nobody',
    ]);
    expect(await faultsWith(null)).toEqual([
      expect.stringMatching(/^PROVIDERS_FILE: .*none cannot be read \(ENOENT\)$/),
    ]);
    expect(await faultsWith('{}')).toEqual([]);
  });
});

class VendorEnv extends withVendor(Object) {}

const WHOLE = { VENDOR_URL: 'https://data.example/api', VENDOR_KEY: 'k', VENDOR_SERVICES: 'getEmail' };

function faultsOf(variables: Record<string, string>): string[] {
  try {
    loadEnv(VendorEnv, variables);
    return [];
  } catch (error) {
    return (error as EnvError).faults.map((fault) => fault.split(':')[0]!);
  }
}

describe('the custom vendor in the environment', () => {
  it('does not exist without its variables', () => {
    expect(vendorOf(loadEnv(VendorEnv, {}))).toBeNull();
  });

  it('is defined by its URL, key and services', () => {
    expect(vendorOf(loadEnv(VendorEnv, WHOLE))).toEqual({
      id: 'vendor',
      baseUrl: 'https://data.example/api',
      key: 'k',
      services: ['getEmail'],
      concurrency: 20,
    });
    const named = { ...WHOLE, VENDOR_URL: 'http://data_vendor:8080' };
    expect(vendorOf(loadEnv(VendorEnv, named))).toMatchObject({ baseUrl: named.VENDOR_URL });
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['only a URL', { VENDOR_URL: WHOLE.VENDOR_URL }, ['VENDOR_KEY', 'VENDOR_SERVICES']],
    ['services alone', { VENDOR_SERVICES: 'getEmail' }, ['VENDOR_URL', 'VENDOR_KEY']],
    ['a fast service', { ...WHOLE, VENDOR_SERVICES: 'getEmail,webSearch' }, ['VENDOR_SERVICES']],
    ['a URL with a password', { ...WHOLE, VENDOR_URL: 'https://u:p@data.example' }, ['VENDOR_URL']],
    ['a URL with a query', { ...WHOLE, VENDOR_URL: 'https://data.example?a=b' }, ['VENDOR_URL']],
    ['a key that is invalid in a header', { ...WHOLE, VENDOR_KEY: 'a b' }, ['VENDOR_KEY']],
    ['the name of the sandbox', { ...WHOLE, VENDOR_NAME: 'sandbox' }, ['VENDOR_NAME']],
  ])('cannot be configured with %s', (_what, variables, faults) =>
    expect(faultsOf(variables)).toEqual(faults),
  );
});

describe('the provider of a service', () => {
  const vendor = vendorOf(loadEnv(VendorEnv, WHOLE));

  it('is the vendor alone for live keys if it offers the service: the sandbox never follows its miss', () => {
    const providers = new ConfiguredProviders({ sandbox: true, vendor });
    expect(providers.waterfallFor('live').providersOf('getEmail')).toEqual(['vendor']);
    expect(providers.waterfallFor('live').providersOf('getPhoneNumber')).toEqual(['sandbox']);
    expect(
      new ConfiguredProviders({ sandbox: false, vendor }).waterfallFor('live').providersOf('getPhoneNumber'),
    ).toEqual([]);
  });

  it('is the sandbox for test keys, whatever is configured', () => {
    expect(
      new ConfiguredProviders({ sandbox: false, vendor }).waterfallFor('test').providersOf('getEmail'),
    ).toEqual(['sandbox']);
  });
});
