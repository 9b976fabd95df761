import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { OutboundAnswer, OutboundClient } from '@quarry/safe-http';
import {
  printMeasurement,
  measureMedian,
  TEXT_CPU_MS_MAX,
  worstAnswers,
  type VendorExchange,
} from '@quarry/test-servers';
import { ANSWER_BYTES_MAX, ProviderFailure } from '@quarry/engine';
import { FIXTURES } from './vendors.fixture.js';
import { servicesOf, VendorProvider } from './vendor.provider.js';
import { VENDORS } from './vendors.js';

const KEY = 'k3y';
const CLOCK = { now: () => 0, wait: () => Promise.resolve() };

/** Creates a client that returns these bodies one after the other, as a server would. */
function clientOf(bodies: readonly Buffer[]): OutboundClient {
  let at = 0;
  const ask = (): Promise<OutboundAnswer> => {
    const bytes = bodies[Math.min(at, bodies.length - 1)]!;
    at += 1;
    return Promise.resolve({
      url: 'https://a.example/',
      status: 200,
      headers: new Headers() as never,
      bytes,
    });
  };
  return { sendRequest: ask } as unknown as OutboundClient;
}

const bytesOf = ({ reply }: VendorExchange): Buffer =>
  Buffer.from(reply.text ?? JSON.stringify(reply.body ?? {}));

const CALLS = VENDORS.flatMap((vendor) => {
  const { services, searches = {} } = FIXTURES[vendor.id]!;
  return [...Object.entries(services), ...Object.entries(searches)].map(([name, fixture]) => ({
    vendor,
    name,
    fixture,
  }));
});

describe('a vendor response', () => {
  it.each(CALLS.map((each) => [each.vendor.id, each.name, each] as const))(
    'of %s to %s is read without blocking the event loop, whatever it repeats',
    async (_id, name, { vendor, fixture }) => {
      const settings = Object.fromEntries(
        Object.entries(vendor.settings ?? {}).map(([key, each]) => [key, each.default]),
      );
      const bodies = fixture.found.map(bytesOf);
      const spent: Array<{ cpuMs: number; name: string }> = [];
      for (const answer of worstAnswers(fixture.found.at(-1)!.reply.body, ANSWER_BYTES_MAX)) {
        const given = [...bodies.slice(0, -1), Buffer.from(answer.text)];
        const cpuMs = await measureMedian(async () => {
          const provider = new VendorProvider(
            {
              vendor,
              key: KEY,
              baseUrl: 'https://a.example',
              settings,
              services: servicesOf(vendor, ['verified']),
            },
            clientOf(given),
            { clock: CLOCK },
          );
          const call = {
            service: name.split(' ')[0]!,
            input: fixture.input,
            searchId: 's',
            signal: AbortSignal.timeout(60_000),
          };
          const end = await provider.answerCall(call as never).catch((error: unknown) => error);
          // A log contains the cause as well.
          if (end instanceof Error) inspect(end);
          if (end instanceof Error && !(end instanceof ProviderFailure)) throw end;
        }, TEXT_CPU_MS_MAX);
        spent.push({ cpuMs, name: answer.name });
      }
      const [most] = spent.sort((a, b) => b.cpuMs - a.cpuMs);
      printMeasurement(
        `${vendor.id} ${name}, the dearest of ${spent.length}: ${most!.cpuMs.toFixed(0)} ms, ${most!.name}`,
      );
      expect(spent.filter(({ cpuMs }) => cpuMs > TEXT_CPU_MS_MAX)).toEqual([]);
    },
  );
});
