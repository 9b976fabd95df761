import { describe, expect, it } from '@jest/globals';
import { type EnvError, loadEnv } from '@quarry/platform';
import { ConfiguredProviders } from '@quarry/providers';
import { vendorOf, withVendor } from './vendor.env.js';

class SampleEnv extends withVendor(Object) {}

const WHOLE = { VENDOR_URL: 'https://data.example/api', VENDOR_KEY: 'k', VENDOR_SERVICES: 'getEmail' };

function faultsOf(variables: Record<string, string>): string[] {
  try {
    loadEnv(SampleEnv, variables);
    return [];
  } catch (error) {
    return (error as EnvError).faults.map((fault) => fault.split(':')[0]!);
  }
}

describe('the vendor in the environment', () => {
  it('is none when nothing names one', () => {
    expect(vendorOf(loadEnv(SampleEnv, {}))).toBeNull();
  });

  it('is known by its address, its key and its services', () => {
    expect(vendorOf(loadEnv(SampleEnv, WHOLE))).toEqual({
      id: 'vendor',
      baseUrl: 'https://data.example/api',
      key: 'k',
      services: ['getEmail'],
      concurrency: 20,
    });
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['an address alone', { VENDOR_URL: WHOLE.VENDOR_URL }, ['VENDOR_KEY', 'VENDOR_SERVICES']],
    ['services alone', { VENDOR_SERVICES: 'getEmail' }, ['VENDOR_URL', 'VENDOR_KEY']],
    ['a fast service', { ...WHOLE, VENDOR_SERVICES: 'getEmail,webSearch' }, ['VENDOR_SERVICES']],
    ['an address with a password', { ...WHOLE, VENDOR_URL: 'https://u:p@data.example' }, ['VENDOR_URL']],
    ['an address with a query', { ...WHOLE, VENDOR_URL: 'https://data.example?a=b' }, ['VENDOR_URL']],
    ['a key that no header can carry', { ...WHOLE, VENDOR_KEY: 'a b' }, ['VENDOR_KEY']],
    ['the name of the sandbox', { ...WHOLE, VENDOR_NAME: 'sandbox' }, ['VENDOR_NAME']],
  ])('may not be %s', (_what, variables, faults) => expect(faultsOf(variables)).toEqual(faults));
});

describe('who answers a service', () => {
  const vendor = vendorOf(loadEnv(SampleEnv, WHOLE));

  it('is the vendor alone for live keys, where it offers the service: fiction never follows its miss', () => {
    const providers = new ConfiguredProviders({ sandbox: true, vendor });
    expect(providers.providersOf('getEmail', 'live')).toEqual(['vendor']);
    expect(providers.providersOf('getPhoneNumber', 'live')).toEqual(['sandbox']);
    expect(new ConfiguredProviders({ sandbox: false, vendor }).providersOf('getPhoneNumber', 'live')).toEqual(
      [],
    );
  });

  it('is the sandbox for test keys, whatever is configured', () => {
    expect(new ConfiguredProviders({ sandbox: false, vendor }).providersOf('getEmail', 'test')).toEqual([
      'sandbox',
    ]);
  });
});
