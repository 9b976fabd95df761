import { beforeAll, describe, expect, it } from '@jest/globals';
import { useTestDatabase } from '@quarry/testing';
import { outreachParts, MailScene } from './mail-scene.fixture.js';

const test = useTestDatabase();
let parts: ReturnType<typeof outreachParts>;
beforeAll(() => {
  parts = outreachParts(test);
});

describe('a sequence in test mode', () => {
  it('is sent to the sink, and the simulated answers are read and applied', async () => {
    const scene = await MailScene.open(test);
    const word = ['reply', 'bounce', 'soft', 'away', 'unsubscribe', 'cut', 'plain'];
    const steps = [
      { delay_days: 0, subject: 'Hello {{ name }}', body: 'First' },
      { delay_days: 3, subject: null, body: 'Second' },
    ];
    await scene.sequence(
      word.map((each) => `${each}+a@sandbox.test`),
      { steps },
    );
    await parts.sender.takeTurn(scene.turn);
    await parts.inbox.takeTurn(scene.turn);
    const byWord = <T>(pick: (row: Awaited<ReturnType<typeof scene.enrollments>>[number]) => T) =>
      scene
        .enrollments()
        .then((rows) => Object.fromEntries(rows.map((row) => [row.email.split('+')[0], pick(row)])));
    expect(await byWord(({ status, reason, step }) => [status, reason, step])).toEqual({
      reply: ['replied', 'reply', 1],
      bounce: ['bounced', 'hard_bounce', 1],
      soft: ['active', null, 1],
      away: ['active', null, 1],
      unsubscribe: ['replied', 'reply', 1],
      cut: ['active', 'unknown_delivery', 0],
      plain: ['active', null, 1],
    });
    expect(await scene.suppressions()).toEqual([{ value: 'bounce+a@sandbox.test', reason: 'hard_bounce' }]);
    expect((await scene.threads()).map(({ kind, unread }) => [kind, unread])).toEqual([
      ['away', true],
      ['bounce', true],
      ['sent', false],
      ['sent', false],
      ['reply', true],
      ['bounce', true],
      ['unsubscribe', true],
    ]);
  });

  it('without delays sends the next step to contacts without an answer, after the answers were read', async () => {
    const scene = await MailScene.open(test);
    const steps = ['Hello', null].map((subject) => ({ delay_days: 0, subject, body: 'Text' }));
    await scene.sequence(['reply+a@sandbox.test', 'plain+a@sandbox.test'], { steps });
    const stepsOf = async () => (await scene.enrollments()).map(({ status, step }) => [status, step]);
    await parts.sender.takeTurn(scene.turn);
    expect(await stepsOf()).toEqual([
      ['active', 1],
      ['active', 1],
    ]);
    await parts.inbox.takeTurn(scene.turn);
    await parts.sender.takeTurn(scene.turn);
    expect(await stepsOf()).toEqual([
      ['replied', 1],
      ['finished', 2],
    ]);
  });
});
