import { describe, expect, it } from '@jest/globals';
import { planPrompt } from './plan-prompt.fixture.js';

describe('an unknown industry', () => {
  it('gets the nearest known one as a suggestion', async () => {
    const { notes, notUnderstood } = await planPrompt('10 insurtechh companies in Berlin');
    expect(notUnderstood).toEqual(['insurtechh']);
    expect(notes).toContain('“insurtechh” is no known industry. The nearest: Insurtech.');
  });

  it('gets a suggestion with a common word if the prompt speaks of an industry', async () => {
    const { notes } = await planPrompt('companies in the quantum computer industry in Berlin');
    expect(notes.join()).toMatch(/is no known industry\. The nearest: .*Computer/);
  });

  it('is not assumed for words about something else', async () => {
    const { notes } = await planPrompt('fintech companies in Berlin that are profitable');
    expect(notes.join()).not.toContain('industry');
  });
});

describe('an unknown place', () => {
  it.each([
    ['20 fintech companies in Germny', '“Germny” is no known place. The nearest: Germany.'],
    ['people based in Berln', '“Berln” is no known place. The nearest: Berlin.'],
  ])('gets a suggestion for a misspelling: %s', async (prompt, note) => {
    expect((await planPrompt(prompt)).notes).toContain(note);
  });

  it('is only reported if none is similar', async () => {
    const { notes, notUnderstood } = await planPrompt('companies in Nowhereville');
    expect([notUnderstood, notes]).toEqual([['in Nowhereville'], []]);
  });
});
