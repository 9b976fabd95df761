import { describe, expect, it } from '@jest/globals';
import { planPrompt } from './plan-prompt.fixture.js';

describe('an industry that nobody knows', () => {
  it('is answered with the nearest that is known', async () => {
    const { notes, notUnderstood } = await planPrompt('10 insurtechh companies in Berlin');
    expect(notUnderstood).toEqual(['insurtechh']);
    expect(notes).toContain('“insurtechh” is no known industry. The nearest: Insurtech.');
  });

  it('is answered by a word in common where the prompt speaks of an industry', async () => {
    const { notes } = await planPrompt('companies in the quantum computer industry in Berlin');
    expect(notes.join()).toMatch(/is no known industry\. The nearest: .*Computer/);
  });

  it('is not seen in words that are about something else', async () => {
    const { notes } = await planPrompt('fintech companies in Berlin that are profitable');
    expect(notes.join()).not.toContain('industry');
  });
});

describe('a place that nobody knows', () => {
  it.each([
    ['20 fintech companies in Germny', '“Germny” is no known place. The nearest: Germany.'],
    ['people based in Berln', '“Berln” is no known place. The nearest: Berlin.'],
  ])('is answered with the one that it misspells: %s', async (prompt, note) => {
    expect((await planPrompt(prompt)).notes).toContain(note);
  });

  it('is left at not understood where it is near to none', async () => {
    const { notes, notUnderstood } = await planPrompt('companies in Nowhereville');
    expect([notUnderstood, notes]).toEqual([['in Nowhereville'], []]);
  });
});
