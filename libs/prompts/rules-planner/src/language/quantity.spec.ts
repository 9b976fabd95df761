import { describe, expect, it } from '@jest/globals';
import { readNumber, readRange } from './quantity.js';
import { readingOf } from './recogniser.js';
import { tokenise } from './tokenise.js';

const reading = (text: string) => readingOf(tokenise(text), 2025);

describe('quantities in a prompt', () => {
  it.each([
    ['20', 20],
    ['fifty', 50],
    ['twenty five', 25],
    ['a dozen', 12],
    ['two dozen', 24],
    ['half a dozen', 6],
    ['a hundred', 100],
    ['two hundred and fifty', 250],
    ['one thousand', 1000],
    ['10k', 10_000],
  ])('%s is %d', (text, value) => {
    expect(readNumber(reading(text), 0)?.value).toBe(value);
  });
  it('are not read from an article', () => {
    expect(readNumber(reading('a company'), 0)).toBeNull();
  });
  it('are not read from property names that all JavaScript objects have', () => {
    expect(readNumber(reading('constructor firms'), 0)).toBeNull();
  });
  it.each([
    ['50-200', 50, 200],
    ['between 10 and 50', 10, 50],
    ['from 10 to 50', 10, 50],
    ['200 to 50', 50, 200],
    ['more than 1,000', 1001, null],
    ['at least 200', 200, null],
    ['10+', 10, null],
    ['50 or more', 50, null],
    ['under 50', null, 49],
    ['up to 30', null, 30],
    ['no more than 30', null, 30],
    ['around 50', 40, 60],
    ['> 5', 6, null],
    ['>= 5', 5, null],
    ['exactly 7', 7, 7],
    ['more than 4.5', 5, null],
    ['below 4.5', null, 4],
  ])('%s is %s to %s', (text, min, max) => {
    expect(readRange(reading(text), 0)?.value.range).toEqual({ min, max });
  });
});
