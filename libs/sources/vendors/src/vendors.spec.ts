import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AddressGuard, OutboundClient } from '@quarry/safe-http';
import { findSlowService } from '@quarry/service-catalog';
import { VendorSimulator, waitFor, type VendorReply } from '@quarry/test-servers';
import type { Clock } from '@quarry/resilience';
import {
  PolicedProvider,
  VENDOR_POLICY,
  ProviderFailure,
  type ProviderAnswer,
  type ProviderCall,
  missOutput,
} from '@quarry/engine';
import type { SearchFixture, ServiceFixture } from './fixtures.fixture.js';
import { hunterByProfile } from './hunter.fixture.js';
import { servicesOf, VendorProvider } from './vendor.provider.js';
import type { Vendor } from './vendor.js';
import { FIXTURES } from './vendors.fixture.js';
import { VENDORS } from './vendors.js';

const KEY = 'k3y-0f-th3-0p3rat0r';
const ALL_STATUSES = ['verified', 'catch_all', 'unverified'];
const never = new AbortController().signal;

/** Clock that only moves when somebody waits, and then at once. */
class FakeClock implements Clock {
  time = 0;
  readonly waits: number[] = [];
  now = () => this.time;
  wait = (ms: number, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    this.waits.push(ms);
    this.time += ms;
    return Promise.resolve();
  };
}

function callOf(service: string, input: object, signal = never): ProviderCall {
  return { service, input: input as ProviderCall['input'], searchId: 'svcjob_1', signal };
}

/** Returns the calls with another last reply. */
function endingWith({ found }: ServiceFixture, reply: VendorReply) {
  return found.map((each, i) => (i === found.length - 1 ? { ...each, reply } : each));
}

interface Bench {
  simulator: VendorSimulator;
  clock: FakeClock;
  operator: string[];
  search: PolicedProvider;
}

function benchOf(
  vendor: Vendor,
  simulator: VendorSimulator,
  options: { key?: string; statuses?: string[]; callMs?: { slow: number; fast: number } } = {},
): Bench {
  const clock = new FakeClock();
  const operator: string[] = [];
  const client = new OutboundClient(new AddressGuard({ allowHosts: [simulator.host] }), 'Quarry');
  const settings = Object.fromEntries(
    Object.entries(vendor.settings ?? {}).map(([name, each]) => [name, each.default]),
  );
  const provider = new VendorProvider(
    {
      vendor,
      key: vendor.key ? (options.key ?? KEY) : null,
      baseUrl: simulator.url,
      settings,
      services: servicesOf(vendor, options.statuses ?? ALL_STATUSES),
    },
    client,
    { clock, ...(options.callMs ? { callMs: options.callMs } : {}) },
  );
  const search = new PolicedProvider(provider, VENDOR_POLICY, {
    clock,
    random: () => 0,
    onOperatorNeeded: (id, task) => operator.push(`${id} ${task}`),
  });
  return { simulator, clock, operator, search };
}

async function failureOf(answer: Promise<unknown>): Promise<ProviderFailure> {
  const error: unknown = await answer.then(
    (found) => found,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderFailure);
  // Including everything that a log would show of it.
  expect(inspect(error, { depth: 12 })).not.toContain(KEY);
  expect((error as Error).message).not.toMatch(/http|127\.0|secret/i);
  return error as ProviderFailure;
}

/** Checks that the calls match the vendor's reference, with the key in its header and nowhere else. */
function expectCalls({ simulator }: Bench, count: number): void {
  expect(simulator.unexpectedCalls).toEqual([]);
  expect(simulator.calls).toHaveLength(count);
  for (const { hasKey, leaksKey } of simulator.calls) expect([hasKey, leaksKey]).toEqual([true, false]);
}

it('every vendor has a simulation for every service and search it offers', () => {
  const served = (all: Readonly<Record<string, { services: object; searches?: object }>>) =>
    Object.entries(all)
      .flatMap(([id, { services, searches }]) =>
        Object.keys({ ...services, ...searches })
          .filter((name) => !name.endsWith(' reveal'))
          .map((name) => `${id} ${name}`),
      )
      .sort();
  expect(served(FIXTURES)).toEqual(served(Object.fromEntries(VENDORS.map((vendor) => [vendor.id, vendor]))));
});

describe.each(VENDORS.map((vendor) => [vendor.id, vendor] as const))('%s', (id, vendor) => {
  const fixture = FIXTURES[id]!;
  let simulator: VendorSimulator;

  const started = () =>
    VendorSimulator.start({
      key: vendor.key && { header: vendor.key.header, prefix: vendor.key.prefix, value: KEY },
      refusal: fixture.badKey,
    });
  beforeAll(async () => {
    simulator = await started();
  });
  afterAll(() => simulator.stop());

  const plays: Array<[string, ServiceFixture | SearchFixture]> = [
    ...Object.entries(fixture.services),
    ...Object.entries(fixture.searches ?? {}),
  ];
  describe.each(plays)('%s', (name, played) => {
    const [service = name] = name.split(' ');
    const answered = (found: boolean, data: object) => ({
      ...data,
      ...(findSlowService(service) ? { found } : {}),
      ...('missed' in played ? {} : { provider: id }),
    });
    const missed = () => ('missed' in played ? played.missed : missOutput(service, played.input));
    const found = (answer: ProviderAnswer) => {
      expect(answer.output).toEqual(answered(true, played.output));
      expect(answer).toMatchObject({ found: true, deep: false, provider: id, cost: played.cost });
      expect(inspect(answer, { depth: 12 })).not.toContain(KEY);
    };
    const setUp = (script = played.found, before: VendorReply[] = [], key = KEY): Bench => {
      simulator.play(script, before);
      return benchOf(vendor, simulator, { key });
    };
    const ask = ({ search }: Bench, signal = never) =>
      search.answerCall(callOf(service, played.input, signal));

    it('returns a find', async () => {
      const bench = setUp();
      found(await ask(bench));
      expectCalls(bench, played.found.length);
    });

    it('returns a miss', async () => {
      const script = endingWith(played, played.miss);
      const bench = setUp(script);
      const answer = await ask(bench);
      expect(answer.output).toEqual(answered(false, missed()));
      expect(answer).toMatchObject({ found: false });
      expectCalls(bench, script.length);
    });

    it('skips an input with too few fields', () => {
      const { search } = setUp();
      expect(search.acceptsCall(callOf(service, played.input))).toBe(true);
      if (played.skipped) expect(search.acceptsCall(callOf(service, played.skipped))).toBe(false);
      expect(simulator.calls).toEqual([]);
    });

    it('pauses for a quarter of an hour on a wrong key or empty account, and notifies the operator once', async () => {
      const cases: Array<[string, VendorReply, string]> = [['key', fixture.badKey, KEY]];
      if (vendor.key) cases.push(['key', fixture.badKey, 'wrong']);
      if (fixture.noCredits) cases.push(['credits', fixture.noCredits, KEY]);
      for (const [task, reply, key] of cases) {
        const bench = setUp(played.found, key === KEY ? [reply] : [], key);
        const failure = await failureOf(ask(bench));
        expect([failure.code, failure.options.isTransient]).toEqual(['provider_unavailable', false]);
        expect(failure.message).toMatch(task === 'key' ? /rejects the key/ : /no credits left/);
        expect((await failureOf(ask(bench))).code).toBe('provider_unavailable');
        expect([simulator.calls.length, bench.operator]).toEqual([1, [`${id} ${task}`]]);
        bench.clock.time += 900_000;
        if (key === KEY) found(await ask(bench));
      }
    });

    it('waits as long as a rate limit requires, and continues', async () => {
      const headers = { 'retry-after': '7' };
      const bench = setUp(played.found, [{ ...fixture.rate, headers }]);
      found(await ask(bench));
      expect(bench.clock.waits).toContain(7000);
      expectCalls(bench, played.found.length + 1);
      const long = setUp(played.found, [{ ...fixture.rate, headers: { 'retry-after': '600' } }]);
      expect(await failureOf(ask(long))).toMatchObject({
        code: 'capacity',
        options: { retryAfterMs: 600_000 },
      });
      expectCalls(long, 1);
    });

    it('is retried once after a transient failure', async () => {
      const bench = setUp(played.found, [{ status: 503, text: 'secret upstream words' }]);
      found(await ask(bench));
      expectCalls(bench, played.found.length + 1);
    });

    it('is aborted at the deadline', async () => {
      const bench = setUp(played.found, [{ hangs: true }]);
      const abort = new AbortController();
      const answer = ask(bench, abort.signal);
      await waitFor('the call to arrive', () => Promise.resolve(simulator.calls.length === 1));
      abort.abort(new Error('too late'));
      await expect(answer).rejects.toThrow('too late');
      await waitFor('the vendor to see it', () => Promise.resolve(simulator.calls[0]?.outcome === 'left'));
    });

    it('that hangs is aborted in time for the next vendor, and not retried', async () => {
      // A simulator of its own: an aborted call may still arrive, and would be counted in the next test.
      const own = await started();
      own.play(played.found, [{ hangs: true }]);
      const bench = benchOf(vendor, own, { key: KEY, callMs: { slow: 20, fast: 20 } });
      expect(await failureOf(ask(bench))).toMatchObject({ code: 'timeout' });
      expect(own.calls.length).toBeLessThanOrEqual(1);
      await own.stop();
    });

    it('fails if the response is no JSON, has another shape or has two megabytes', async () => {
      const right = JSON.stringify(played.found.at(-1)!.reply.body);
      const replies: VendorReply[] = [
        { text: '<html>secret</html>' },
        { body: { surprise: 'secret' } },
        { text: right.padEnd(2_100_000) },
      ];
      for (const reply of replies) {
        const bench = setUp(endingWith(played, reply));
        expect(await failureOf(ask(bench))).toMatchObject({ code: 'invalid_output' });
        expectCalls(bench, played.found.length);
      }
    });

    it('is not followed through a redirect', async () => {
      const bench = setUp(played.found, [
        { status: 302, headers: { location: `${simulator.url}/elsewhere` } },
      ]);
      expect(await failureOf(ask(bench))).toMatchObject({ code: 'provider_error' });
      expectCalls(bench, 1);
    });

    it('reports an input that it rejects, and stays available for others', async () => {
      const bench = setUp(played.found, [{ status: 422, body: { message: 'secret' } }]);
      expect(await failureOf(ask(bench))).toMatchObject({ code: 'provider_rejected' });
      found(await ask(bench));
      expect(bench.operator).toEqual([]);
    });

    if (vendor.services[service as keyof typeof vendor.services]?.poll)
      it('continues a job it has started, and starts no other', async () => {
        const saved: string[] = [];
        const order: string[] = [];
        const vendorJob = {
          read: () => Promise.resolve(saved.at(-1) ?? null),
          save: (job: string) => {
            order.push(`saved after ${simulator.calls.length} calls`);
            saved.push(job);
            return Promise.resolve();
          },
        };
        const [start, ...readings] = played.found;
        // The first poll fails temporarily: the retried search polls again.
        const bench = setUp([start!, { ...readings[0]!, reply: { status: 503 } }, ...readings]);
        found(await bench.search.answerCall({ ...callOf(service, played.input), vendorJob }));
        expect([saved.length, order]).toEqual([1, ['saved after 1 calls']]);
        expectCalls(bench, played.found.length + 1);
        // A process that takes over the search has only what was saved.
        const heir = setUp(readings);
        found(await heir.search.answerCall({ ...callOf(service, played.input), vendorJob }));
        expectCalls(heir, readings.length);
        const otherTenant = setUp();
        saved.push('somebody-else:1');
        found(await otherTenant.search.answerCall({ ...callOf(service, played.input), vendorJob }));
        expectCalls(otherTenant, played.found.length);
        // The saved job of another provider of the waterfall is preserved.
        expect(saved.at(-1)!.split('\n')).toEqual(['somebody-else:1', expect.stringMatching(`^${id}:`)]);
        // A started job is charged: this process continues with it even if its id could not be saved.
        const unsaved = {
          read: () => Promise.resolve(null),
          save: () => Promise.reject(new Error('The database is away.')),
        };
        const alone = setUp();
        found(await alone.search.answerCall({ ...callOf(service, played.input), vendorJob: unsaved }));
        expectCalls(alone, played.found.length);
      });
  });

  if (id === 'hunter')
    it('is called with the profile if no name is known', async () => {
      const { reply } = fixture.services.getEmail!.found[0]!;
      simulator.play([{ ...hunterByProfile.exchange, reply }]);
      const bench = benchOf(vendor, simulator);
      expect((await bench.search.answerCall(callOf('getEmail', hunterByProfile.input))).found).toBe(true);
      expectCalls(bench, 1);
    });

  if (id === 'hunter')
    it.each(['N/A', 'a***@halbrook.example', 'Ada Okafor <ada@halbrook.example>', 'ada@halbrook', ' '])(
      'has found nothing if it writes %j in place of an address',
      async (email) => {
        const played = fixture.services.getEmail!;
        simulator.play(endingWith(played, { body: { data: { email, score: 97, verification: null } } }));
        const answer = await benchOf(vendor, simulator).search.answerCall(callOf('getEmail', played.input));
        expect(answer).toMatchObject({ found: false, output: { email: null } });
      },
    );

  if (id === 'searxng')
    it('fails if an engine that did not respond may be why nothing was found', async () => {
      const played = fixture.services.webSearch!;
      const answered = (body: object) => {
        simulator.play(endingWith(played, { body }));
        return benchOf(vendor, simulator).search.answerCall(callOf('webSearch', played.input));
      };
      const silent = { unresponsive_engines: [['startpage', 'Suspended: CAPTCHA']] };
      expect(await failureOf(answered({ results: [], ...silent }))).toMatchObject({ code: 'provider_error' });
      expect(await answered({ results: [], unresponsive_engines: [] })).toMatchObject({ found: false });
      expect(await answered({ results: [{ url: 'https://halbrook.example/' }], ...silent })).toMatchObject({
        found: true,
      });
    });

  if (fixture.services.getEmail)
    it('counts only accepted statuses as found', async () => {
      const played = fixture.services.getEmail!;
      const { status } = played.output as { status: string };
      const others = ALL_STATUSES.filter((each) => each !== status);
      simulator.play(played.found);
      const bench = benchOf(vendor, simulator, { statuses: others });
      // A provider whose results are never accepted is not called at all.
      if (!bench.search.services.includes('getEmail')) return;
      const answer = await bench.search.answerCall({ ...callOf('getEmail', played.input), stopsAt: others });
      expect(answer).toMatchObject({ found: false, isDeclined: true, cost: played.cost });
      expect(answer.output).toEqual({
        email: null,
        status: null,
        confidence: null,
        found: false,
        provider: id,
      });
    });
});
