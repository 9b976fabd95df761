import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IntentColumn } from '@quarry/plan';
import { FakePlanner } from '@quarry/prompt-fixtures';
import type { DirectCall, DirectOutcome } from '../ports/direct-calls.port.js';
import { AgentScene, EMAILS, LEAD_COUNT } from '../agent/agent-scene.fixture.js';

const ORIGIN = { required: false, fragments: ['emails'], from: 'prompt' } as const;
const by = (service: string, inputs: object, key: string): IntentColumn => ({
  source: { from: 'service', service, inputs: inputs as never },
  key,
  ...ORIGIN,
});
/** Columns: each lead has its own profile, and all leads have the same company. */
const PROFILE = by('findLinkedInUrl', { name: 'name' }, 'profile');
const DOMAIN = by('findDomain', { company: 'company' }, 'site');
const VERDICT = by('verifyEmail', { email: { value: '{{profile}}@{{site}}' } }, 'verdict');

let scene: AgentScene;
beforeEach(() => {
  scene = new AgentScene();
  ask(VERDICT, PROFILE, DOMAIN);
  scene.answer = answered;
});
afterEach(() => void jest.useRealTimers());

function ask(...columns: IntentColumn[]): void {
  scene.planner = new FakePlanner(() => ({ ...EMAILS, columns }));
}

const say = (output: Record<string, unknown>): DirectOutcome => ({
  kind: 'answered',
  output: { ...output, provider: 'fake' },
  charged: 0.5,
});
function answered({ service, input }: DirectCall): DirectOutcome {
  if (service === 'findLinkedInUrl')
    return say({ linkedin_url: String(input.name).split(' ')[1], confidence: 'high' });
  if (service === 'findDomain') return say({ domain: 'leads.test', confidence: 'low' });
  return say({ email: input.email, status: 'valid', reason: 'It was asked.', mx_host: null });
}
const refused = (code: string): DirectOutcome => ({ kind: 'refused', error: { code, message: code } });
const callsOf = (service: string) => [...scene.calls.values()].filter(({ call }) => call.service === service);
const rows = () => [...scene.made()!.rows.values()];

describe('columns filled by fast services', () => {
  it('are filled level by level, each from values found on earlier levels', async () => {
    await scene.work();
    expect(scene.run.status).toBe('completed');
    for (const key of ['profile', 'site', 'verdict'])
      expect(scene.cells(key)).toEqual({ filled: LEAD_COUNT });
    expect(rows()[7]!.cells.verdict).toMatchObject({
      reasoning: 'It was asked.',
      source: { service: 'verifyEmail', provider: 'fake', job_id: null },
    });
    expect(callsOf('verifyEmail')[0]!.call.input.email).toMatch(/^Lead\d+@leads\.test$/);
    expect(scene.run.end?.message).toContain(`Verdict: ${LEAD_COUNT} of ${LEAD_COUNT} found`);
  });

  it('request equal inputs once, under a key derived from run and input', async () => {
    await scene.work();
    expect(callsOf('findDomain')).toHaveLength(1);
    expect(callsOf('verifyEmail')).toHaveLength(LEAD_COUNT);
    for (const { call } of scene.calls.values())
      expect(call).toMatchObject({ runId: 'run_1', key: expect.stringMatching(/^run_1\.[\w-]{43}$/) });
    expect(
      callsOf('verifyEmail')
        .map(({ call }) => call.rowIndex)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: LEAD_COUNT }, (_, i) => i));
  });

  it('request nothing for rows without an input, whose cells say so', async () => {
    scene.answer = (call) =>
      call.service === 'findLinkedInUrl' && /[02468]$/.test(String(call.input.name))
        ? say({ linkedin_url: null, confidence: null })
        : answered(call);
    await scene.work();
    const half = LEAD_COUNT / 2;
    expect(scene.cells('profile')).toEqual({ filled: half, empty: half });
    expect(scene.cells('verdict')).toEqual({ filled: half, skipped: half });
    expect(callsOf('verifyEmail')).toHaveLength(half);
    expect(rows()[0]!.cells.verdict).toMatchObject({
      source: null,
      error: { code: 'missing_input', message: 'The row has nothing in "profile".' },
    });
    expect(scene.run.end?.message).toContain(`${half} skipped`);
  });

  it('show their failures in cells, and columns that depend on them are not requested; the run continues', async () => {
    scene.answer = (call) => (call.service === 'findDomain' ? refused('provider_error') : answered(call));
    await scene.work();
    expect([scene.run.status, scene.cells('site'), scene.cells('verdict'), scene.cells('profile')]).toEqual([
      'completed',
      { failed: LEAD_COUNT },
      { skipped: LEAD_COUNT },
      { filled: LEAD_COUNT },
    ]);
  });

  it('stop when the balance is used up: the rest is skipped, and the run is published', async () => {
    let left = 40;
    scene.answer = (call) => {
      if (call.service !== 'findLinkedInUrl') return answered(call);
      left -= 1;
      return left >= 0
        ? answered(call)
        : { kind: 'spent', error: { code: 'usage_limit', message: 'Reached.' } };
    };
    await scene.work();
    expect(scene.run).toMatchObject({ status: 'completed', artifacts: scene.frozen });
    expect(scene.cells('profile')).toEqual({ filled: 40, skipped: LEAD_COUNT - 40 });
    expect(scene.cells('verdict')).toEqual({ filled: 40, skipped: LEAD_COUNT - 40 });
    expect(scene.run.end?.message).toContain('so the rest of the column is empty');
  });

  it('are requested again if other calls of the run only hold the balance', async () => {
    ask(PROFILE);
    // Each call holds one of three credits until it is answered, and is not charged.
    let held = 0;
    scene.answer = async (call) => {
      if (held === 3) return { kind: 'spent', error: { code: 'insufficient_credits', message: 'None.' } };
      held += 1;
      await new Promise(setImmediate);
      held -= 1;
      return answered(call);
    };
    await scene.work();
    expect([scene.run.status, scene.cells('profile')]).toEqual(['completed', { filled: LEAD_COUNT }]);
    expect(scene.run.end?.message).not.toContain('unfilled');
  });

  it('keep many calls in work, and never more than 24', async () => {
    let [now, most] = [0, 0];
    scene.answer = async (call) => {
      most = Math.max(most, (now += 1));
      await new Promise(setImmediate);
      now -= 1;
      return answered(call);
    };
    await scene.work();
    expect([scene.run.status, most]).toEqual(['completed', 24]);
  });

  it('wait for a call that is in work elsewhere, and for unreachable services', async () => {
    const again = new Map<string, number>();
    scene.answer = (call) => {
      const times = (again.get(call.key) ?? 0) + 1;
      again.set(call.key, times);
      return call.service === 'findDomain' && times < 3
        ? { kind: 'later', error: { code: 'idempotency_conflict', message: 'In work.' } }
        : answered(call);
    };
    await scene.work();
    expect([scene.run.status, scene.cells('site')]).toEqual(['completed', { filled: LEAD_COUNT }]);
  });

  it('can be combined with paid columns that read them', async () => {
    ask(by('getEmail', { first_name: 'name', last_name: 'name', domain: 'site' }, 'mail'), DOMAIN);
    await scene.work();
    expect(scene.cells('mail')).toEqual({ filled: LEAD_COUNT });
    expect([...scene.batches.values()].flat().every(({ domain }) => domain === 'leads.test')).toBe(true);
  });

  it('are written in chunks if their values are large', async () => {
    ask(PROFILE);
    const long = 'x'.repeat(100_000);
    scene.answer = () => say({ linkedin_url: long, confidence: 'high' });
    await scene.work();
    expect([scene.cells('profile'), scene.writes.length]).toEqual([{ filled: LEAD_COUNT }, 5]);
    expect(Math.max(...scene.writes)).toBeLessThan(4_010_000);
  });

  it('can be filled from one shared answer', async () => {
    const reason = by('verifyEmail', { email: { value: '{{profile}}@{{site}}' } }, 'why');
    ask(VERDICT, { ...reason, source: { ...reason.source, field: 'reason' } as never }, PROFILE, DOMAIN);
    await scene.work();
    expect(rows()[3]!.values).toMatchObject({ verdict: 'valid', why: 'It was asked.' });
    expect(callsOf('verifyEmail')).toHaveLength(LEAD_COUNT);
  });
});

describe('an agent that is killed while calls are in work', () => {
  it.each([1, 70, 151, 200])('is followed by one that pays for nothing twice, at call %i', async (fatal) => {
    let times = 0;
    scene.answer = async (call) => {
      const outcome = answered(call);
      times += 1;
      if (times < fatal) return outcome;
      // The services have answered and charged the call, but no process receives the response.
      if (times === fatal) scene.calls.set(call.key, { call, outcome });
      return new Promise<never>(() => undefined);
    };
    void scene.work();
    for (let i = 0; i < 100; i += 1) await new Promise(setImmediate);
    const before = [...scene.calls.keys()];
    expect(scene.run.status).toBe('running');
    scene.run.status = 'recovering';
    scene.answer = answered;
    await scene.work();
    expect(scene.run.status).toBe('completed');
    expect([...scene.calls.keys()].slice(0, before.length)).toEqual(before);
    expect(scene.calls.size).toBe(1 + 2 * LEAD_COUNT);
    expect(scene.cells('verdict')).toEqual({ filled: LEAD_COUNT });
  });

  it('is followed by one that gets every charged answer, even if the balance is used up', async () => {
    ask(PROFILE);
    let goesOn = (): void => undefined;
    const isOver = new Promise<void>((resolve) => (goesOn = resolve));
    // The services have answered and charged the call, but no process writes the result.
    scene.at('updateRows', (times) =>
      times === 1 ? (goesOn(), new Promise<never>(() => undefined)) : undefined,
    );
    const spent: DirectOutcome = { kind: 'spent', error: { code: 'insufficient_credits', message: 'None.' } };
    scene.answer = async (call) => {
      if (call.input.name !== 'Ada Lead99') return answered(call);
      await isOver;
      return spent;
    };
    void scene.work();
    while (!scene.steps.get('table-0.fill.profile.0')?.isFinished) await new Promise(setImmediate);
    scene.run.status = 'recovering';
    const charged = scene.calls.size;
    scene.answer = () => spent;
    await scene.work();
    expect([scene.run.status, scene.calls.size]).toEqual(['completed', charged]);
    expect(scene.cells('profile')).toEqual({ filled: charged, skipped: LEAD_COUNT - charged });
    expect(rows()[120]!.cells.profile).toMatchObject({ status: 'filled' });
  });

  it('or cancelled, requests nothing more', async () => {
    scene.at('call', (times) => {
      if (times === 10) scene.run.isCancelled = true;
    });
    scene.answer = (call) =>
      call.service === 'findDomain' ? { kind: 'later', error: { code: 'x', message: 'x' } } : answered(call);
    await scene.work();
    expect(scene.run.status).toBe('cancelled');
    expect(callsOf('verifyEmail')).toEqual([]);
    expect(scene.frozen).toEqual([]);
  });

  it('or cancelled, keeps the answers that were charged', async () => {
    ask(PROFILE);
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now');
    scene.at('call', (times) => {
      if (times !== 30) return;
      scene.run.isCancelled = true;
      // The signals are read again after one second.
      clock.mockImplementation(() => now() + 2000);
    });
    await scene.work();
    clock.mockRestore();
    const charged = callsOf('findLinkedInUrl').length;
    expect(charged).toBeGreaterThanOrEqual(30);
    expect(scene.run.status).toBe('cancelled');
    expect(scene.cells('profile')).toEqual({ filled: charged, skipped: LEAD_COUNT - charged });
  });
});
