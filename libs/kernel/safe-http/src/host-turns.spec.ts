import { describe, expect, it } from '@jest/globals';
import { HostTurns } from './host-turns.js';
import { readForOrganisation } from './reading-organisation.js';

const never = new AbortController().signal;

describe('turns for requests to a host', () => {
  it('allow two at once, a quarter of a second apart, and do not delay another host', async () => {
    const turns = new HostTurns();
    const began = performance.now();
    const first = await turns.takeTurn('a.example', { signal: never });
    const other = await turns.takeTurn('b.example', { signal: never });
    const second = await turns.takeTurn('a.example', { signal: never });
    // A timer may fire a millisecond early.
    expect(performance.now() - began).toBeGreaterThan(245);
    let isThird = false;
    const third = turns.takeTurn('a.example', { signal: never }).then((leave) => {
      isThird = true;
      return leave;
    });
    await turns.takeTurn('c.example', { signal: never });
    expect(isThird).toBe(false);
    first();
    (await third)();
    second();
    other();
  });

  it('allow a burst to a host without recent requests, and then pause again', async () => {
    const turns = new HostTurns(60_000, 2);
    (await turns.takeTurn('a.example', { signal: never }))();
    (await turns.takeTurn('a.example', { signal: never }))();
    const stop = new AbortController();
    const third = turns.takeTurn('a.example', { signal: stop.signal });
    const other = turns.takeTurn('b.example', { signal: never }).then(() => 'another host');
    expect(await Promise.race([third, other])).toBe('another host');
    stop.abort(new Error('enough'));
    await expect(third).rejects.toThrow('enough');
  });

  it('allow no burst to a site that asks for a longer pause', async () => {
    const turns = new HostTurns(0, 2);
    const options = { pauseMs: 300, signal: never };
    const began = performance.now();
    (await turns.takeTurn('a.example', options))();
    (await turns.takeTurn('a.example', options))();
    expect(performance.now() - began).toBeGreaterThan(295);
  });

  it('keep the pause that a site asks for', async () => {
    const turns = new HostTurns();
    (await turns.takeTurn('a.example', { pauseMs: 600, signal: never }))();
    const began = performance.now();
    (await turns.takeTurn('a.example', { signal: never }))();
    expect(performance.now() - began).toBeGreaterThan(500);
  });

  it('of a caller that gives up pass to the next', async () => {
    const turns = new HostTurns();
    const [first] = [
      await turns.takeTurn('a.example', { signal: never }),
      await turns.takeTurn('a.example', { signal: never }),
    ];
    const stop = new AbortController();
    const waiting = turns.takeTurn('a.example', { signal: stop.signal });
    const next = turns.takeTurn('a.example', { signal: never });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    first();
    await expect(next).resolves.toBeInstanceOf(Function);
  });

  it('of an organisation whose requests hang do not block others from the host', async () => {
    const turns = new HostTurns(0);
    const take = (orgId: string) =>
      readForOrganisation(orgId, () => turns.takeTurn('a.example', { signal: never }));
    const hanging = await Promise.all([take('org_a'), take('org_a')]);
    let isThird = false;
    const third = take('org_a').then((leave) => ((isThird = true), leave));
    (await take('org_b'))();
    (await take('org_b'))();
    expect(isThird).toBe(false);
    for (const leave of hanging) leave();
    (await third)();
  });
});
