import { describe, expect, it } from '@jest/globals';
import { readPrompt } from '../../read-prompt.js';

const NOTE = '“or” between different things was read as “and”.';

describe('“or” between conditions', () => {
  it.each([
    'companies in Berlin or fintech',
    'fintech companies in Berlin or with 50 staff',
    'B2B firms or firms in Paris',
  ])('is noted if it joins different kinds of conditions: %s', (prompt) => {
    expect(readPrompt(prompt, 2025).notes).toContain(NOTE);
  });

  it.each([
    'fintech or insurtech companies in Berlin or Munich',
    'companies excluding agencies or Italy',
    'fintech companies, ideally hiring or in Germany',
  ])('needs no note if it is applied: %s', (prompt) => {
    expect(readPrompt(prompt, 2025).notes).not.toContain(NOTE);
  });
});
