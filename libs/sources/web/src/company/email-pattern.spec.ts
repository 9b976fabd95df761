import { describe, expect, it } from '@jest/globals';
import { emailPatternOf } from './email-pattern.js';

const at = (localPart: string, near = '') => ({ email: `${localPart}@halbrook.example`, near });
const result = (...seen: Array<ReturnType<typeof at>>) => {
  const { pattern, confidence, examples } = emailPatternOf(seen);
  return [pattern, confidence, examples.length];
};

describe('the pattern of addresses', () => {
  it.each([
    [
      [at('ada.lovelace', 'Ada Lovelace CTO'), at('grace.hopper', 'Grace Hopper')],
      ['{first}.{last}', 'high', 2],
    ],
    [[at('alovelace', 'Ask Ada Lovelace: alovelace@halbrook.example')], ['{f}{last}', 'medium', 1]],
    [[at('lovelace.ada', 'Ada Lovelace')], ['{last}.{first}', 'medium', 1]],
    [[at('adal', 'Ada M. Lovelace')], ['{first}{l}', 'medium', 1]],
    [[at('ada', 'Ada Lovelace')], ['{first}', 'medium', 1]],
    [[at('juergen.mueller', 'Jürgen Müller')], ['{first}.{last}', 'medium', 1]],
    [[at('jurgen.muller', 'Jürgen Müller')], ['{first}.{last}', 'medium', 1]],
    // No name is next to it: its form alone is weak evidence.
    [[at('ada.lovelace')], ['{first}.{last}', 'low', 1]],
    [
      [at('ada.lovelace'), at('grace.hopper')],
      ['{first}.{last}', 'medium', 2],
    ],
    [[at('alovelace', 'Press contact')], [null, null, 0]],
    [[at('xk17', 'Ada Lovelace')], [null, null, 0]],
    // The same number of both.
    [
      [at('ada.lovelace', 'Ada Lovelace'), at('ghopper', 'Grace Hopper')],
      ['{first}.{last}', 'low', 1],
    ],
    [[], [null, null, 0]],
  ])('%j', (seen, expected) => {
    expect(result(...seen)).toEqual(expected);
  });
});
