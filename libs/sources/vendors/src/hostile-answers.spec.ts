import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AddressGuard, OutboundClient } from '@quarry/safe-http';
import { VendorSimulator, waitFor, type VendorReply } from '@quarry/test-servers';
import { ProviderFailure } from '@quarry/engine';
import { ADA } from './fixtures.fixture.js';
import { servicesOf, VendorProvider } from './vendor.provider.js';
import { VENDORS } from './vendors.js';

const KEY = 'k3y-0f-th3-0p3rat0r';
const hunter = VENDORS.find(({ id }) => id === 'hunter')!;
const MEGABYTE = 1_048_576;

/** A gigabyte when decompressed: a thousand concatenated gzip files are one valid file. */
const bomb = (): Buffer => Buffer.concat(Array<Buffer>(1_024).fill(gzipSync(Buffer.alloc(MEGABYTE, ' '))));

const REPLIES: ReadonlyArray<readonly [what: string, reply: () => VendorReply, isLeft: boolean]> = [
  ['JSON that nests without end', () => ({ text: '['.repeat(500_000) }), false],
  ['a list of half a million', () => ({ text: `{"data":[${'0,'.repeat(500_000)}0]}` }), false],
  [
    'a page in place of JSON',
    () => ({ text: '<html>secret</html>', headers: { 'content-type': 'text/html' } }),
    false,
  ],
  ['no UTF-8', () => ({ text: Buffer.from('{"data":"\xff\xfe"}', 'latin1') }), false],
  [
    'a name of an encoding that it has not',
    () => ({ text: '{}', headers: { 'content-encoding': 'gzip' } }),
    false,
  ],
  ['a body without end', () => ({ text: ' '.repeat(65_536), isEndless: true }), true],
  ['a gigabyte, packed', () => ({ text: bomb(), headers: { 'content-encoding': 'gzip' } }), false],
];

describe('a malicious vendor response over the network', () => {
  let simulator: VendorSimulator;
  let client: OutboundClient;

  beforeAll(async () => {
    simulator = await VendorSimulator.start({
      key: { header: hunter.key!.header, prefix: hunter.key!.prefix, value: KEY },
      refusal: { status: 401 },
    });
    client = new OutboundClient(new AddressGuard({ allowHosts: [simulator.host] }), 'Quarry');
  });
  afterAll(async () => {
    await client.close();
    await simulator.stop();
  });

  it.each(REPLIES)(
    'with %s is refused, and uses no more memory than a response may',
    async (_what, reply, isLeft) => {
      const given = reply();
      simulator.playAlways(() => given);
      const setup = {
        vendor: hunter,
        key: KEY,
        baseUrl: simulator.url,
        settings: {},
        services: servicesOf(hunter, ['verified']),
      };
      const before = process.memoryUsage().arrayBuffers;
      let peak = before;
      const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().arrayBuffers)), 1);
      const call = {
        service: 'getEmail',
        input: ADA,
        searchId: 'svcjob_1',
        signal: AbortSignal.timeout(60_000),
      };
      const failure: unknown = await new VendorProvider(setup, client)
        .answerCall(call)
        .catch((error: unknown) => error)
        .finally(() => clearInterval(sampler));
      expect(failure).toBeInstanceOf(ProviderFailure);
      const { code, message, options } = failure as ProviderFailure;
      expect([code, options.isTransient ?? false]).toEqual(['invalid_output', false]);
      expect(message).not.toMatch(/http|127\.0|secret|JSON/i);
      expect(peak - before).toBeLessThan(50 * MEGABYTE);
      if (isLeft)
        await waitFor('the vendor to see that nobody reads on', () =>
          Promise.resolve(simulator.calls.at(-1)?.outcome === 'left'),
        );
    },
  );
});
