import { describe, expect, it } from '@jest/globals';
import { readPrompt } from '../../read-prompt.js';

/** @returns positive statements and, with "not", excluded ones */
function kindsOf(prompt: string): string[] {
  const { statements, notUnderstood } = readPrompt(prompt, 2025);
  expect(notUnderstood).toEqual([]);
  return statements.map(({ condition, exclusion }) => (exclusion === null ? '' : 'not ') + condition.on);
}

describe('“but” after “all” or “every”', () => {
  it.each([
    ['every company but small firms', ['not headcount']],
    ['anyone but recruiters in Berlin', ['not roles', 'not places']],
    ['all fintech companies but those in Berlin', ['industries', 'not places']],
  ])('starts an exception: %s', (prompt, kinds) => {
    expect(kindsOf(prompt)).toEqual(kinds);
  });

  it.each([
    'all fintech companies but founded after 2010',
    'all fintech companies, but with more than 50 employees',
    'all companies in Germany, but fintech only',
    'no companies but banks',
    'all fintech companies but only those in Berlin',
    'fintech companies but in Berlin',
    'not only fintech but also insurtech companies',
  ])('excludes nothing if a description follows: %s', (prompt) => {
    expect(kindsOf(prompt).filter((kind) => kind.startsWith('not'))).toEqual([]);
  });
});
