import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { findSlowService } from '@quarry/service-catalog';
import type { ProviderAnswer, LookupProvider } from '@quarry/engine';
import { SandboxDirectory } from '../directory/sandbox-directory.provider.js';
import { SandboxActivityProvider } from './sandbox-activity.provider.js';
import { SandboxContactProvider } from './sandbox-contact.provider.js';
import { SandboxResearchProvider } from './sandbox-research.provider.js';

const directory = new SandboxDirectory();
const providersAnew = (): LookupProvider[] => [
  new SandboxContactProvider(directory),
  new SandboxActivityProvider(),
  new SandboxResearchProvider(),
];
const providers = providersAnew();

let lines = 0;
function ask(
  service: string,
  input: Record<string, unknown>,
  sources: LookupProvider[] = providers,
): Promise<ProviderAnswer> {
  const source = sources.find(({ services }) => services.includes(service))!;
  return source.answerCall({
    service,
    input,
    searchId: `line-${++lines}`,
    signal: AbortSignal.timeout(10_000),
  });
}
const profile = (n: number) => ({ linkedin_url: `https://www.linkedin.com/in/sandbox-person-${n}` });
/** Enough people and profiles for both hits and misses. */
const CROWD = Array.from({ length: 60 }, (_, n) => n);

const INPUTS: Array<[service: string, inputAt: (n: number) => Record<string, unknown>]> = [
  ['getEmail', (n) => ({ first_name: `Ada${n}`, last_name: 'Lovelace', domain: 'acme.example' })],
  ['getPhoneNumber', (n) => ({ first_name: `Ada${n}`, last_name: 'Lovelace', domain: 'acme.example' })],
  ['webResearch', (n) => ({ question: `What is the answer to question ${n}?`, effort: 'high' })],
  ['getLinkedInUserComments', profile],
  ['getLinkedInUserReactions', profile],
];

/** Sets the date without faking timers: the sandbox waits in real time. */
function setDate(now: number): void {
  jest.useFakeTimers({ now, doNotFake: [...REAL] });
}
const REAL = [
  'setTimeout',
  'clearTimeout',
  'setImmediate',
  'clearImmediate',
  'nextTick',
  'queueMicrotask',
] as const;

afterEach(() => {
  jest.useRealTimers();
});

describe('slow services in the sandbox', () => {
  it.each(INPUTS)(
    'answer equal inputs of %s equally, also from a new provider and six years later',
    async (...[service, inputAt]) => {
      for (const n of CROWD.slice(0, 20)) {
        jest.useRealTimers();
        const first = await ask(service, inputAt(n));
        setDate(Date.UTC(2032, 5, 1));
        expect(await ask(service, inputAt(n), providersAnew())).toEqual(first);
      }
    },
  );

  it.each(INPUTS)(
    'answer %s according to its output schema, with finds for some inputs',
    async (...[service, inputAt]) => {
      const answers = await Promise.all(CROWD.map((n) => ask(service, inputAt(n))));
      for (const { found, output, provider } of answers) {
        expect(findSlowService(service)!.output.safeParse(output)).toMatchObject({ success: true });
        expect([output.found, output.provider]).toEqual([found, provider]);
      }
      expect(answers.some(({ found }) => found)).toBe(true);
    },
  );

  it.each([
    ['low', 2],
    ['medium', 4],
    ['high', 8],
    [undefined, 4],
  ])(
    'base a research of effort %s on %d sources, each read in the year before 2026',
    async (effort, count) => {
      const question = 'Which markets did analytical.example enter?';
      const { output } = await ask('webResearch', { question, ...(effort ? { effort } : {}) });
      const sources = output.sources as Array<{ url: string; retrieved_at: string }>;
      expect(sources).toHaveLength(count);
      expect(new Set(sources.map(({ url }) => url)).size).toBe(count);
      for (const { url, retrieved_at: at } of sources) {
        expect(new URL(url).hostname).toMatch(/\.example$/);
        expect(at).toMatch(/^2025-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
      }
    },
  );

  it('give no source for a research without a result', async () => {
    const { output } = await ask('webResearch', { question: 'What of miss.sandbox.test ?' });
    expect(output).toMatchObject({ found: false, answer: null, sources: [] });
  });

  it('return the first phone as phone_number, and none if nothing is found', async () => {
    const answers = await Promise.all(
      CROWD.map((n) =>
        ask('getPhoneNumber', { first_name: `Ada${n}`, last_name: 'L', domain: 'acme.example' }),
      ),
    );
    expect(new Set(answers.map(({ found }) => found))).toEqual(new Set([true, false]));
    for (const { found, output } of answers) {
      const phones = output.phones as Array<{ number: string }>;
      expect(output.phone_number).toBe(phones[0]?.number ?? null);
      expect(phones.length > 0).toBe(found);
      // Numbers reserved for fiction.
      for (const { number } of phones) expect(number).toMatch(/^\+1\d{3}55501\d{2}$/);
    }
  });

  it.each([
    ['getLinkedInUserComments', 'comments'],
    ['getLinkedInUserReactions', 'reactions'],
  ])(
    'list for %s at most the requested number of %s, latest first, and none for silent users',
    async (service, items) => {
      const ofAll = await Promise.all(
        CROWD.map(async (n) => {
          const { found, output } = await ask(service, { ...profile(n), limit: 7 });
          const listed = output[items] as Array<{ at: string }>;
          expect(listed.length > 0).toBe(found);
          return listed;
        }),
      );
      expect(ofAll.some((listed) => listed.length === 0)).toBe(true);
      expect(Math.max(...ofAll.map((listed) => listed.length))).toBe(7);
      for (const listed of ofAll) {
        const times = listed.map(({ at }) => at);
        expect(times).toEqual([...times].sort().reverse());
      }
    },
  );
});
