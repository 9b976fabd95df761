import { describe, expect, it } from '@jest/globals';
import { faultWords } from './fault-words';

describe('the error message of a refused sequence', () => {
  it.each([
    ['steps[0].body is not a valid template', 'The text of message 1 is not a valid template'],
    ['changes.steps[1].subject must not be empty', 'The subject of message 2 must not be empty'],
    ['name must not be empty', 'name must not be empty'],
  ])('names fields as the page does: %s', (text, words) => {
    expect(faultWords(text)).toBe(words);
  });
});
