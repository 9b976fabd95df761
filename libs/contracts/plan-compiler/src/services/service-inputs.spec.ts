import { describe, expect, it } from '@jest/globals';
import { inputValue, textOf } from './service-inputs.js';

describe('a value in a service input', () => {
  it.each([
    [
      { url: 'a', title: { x: 1, name: null } },
      { title: { name: null, x: 1 }, url: 'a' },
    ],
    [[{ b: [{ d: 1, c: 2 }], a: 1 }], [{ a: 1, b: [{ c: 2, d: 1 }] }]],
  ])('is the same from the service and from storage: %j', (fresh, stored) => {
    expect(textOf(fresh)).toBe(textOf(stored));
    expect(JSON.parse(textOf(fresh))).toEqual(fresh);
    const input = { value: { task: 'Judge {{facts}}.' } };
    expect(inputValue(input, () => fresh)).toEqual(inputValue(input, () => stored));
  });

  it.each([
    [' Ada ', 'Ada'],
    [['a', 2, true], 'a, 2, true'],
    [['b', null], '["b",null]'],
    [4.5, '4.5'],
  ])('%j is written as %s', (value, text) => expect(textOf(value)).toBe(text));

  it('is inserted by double braces, with or without inner spaces', () => {
    const input = { value: { task: 'Judge {{facts}} of {{ name\n}}.' } };
    expect(inputValue(input, (key) => `(${key})`)).toEqual({
      value: { task: 'Judge (facts) of (name).' },
      missing: null,
    });
  });

  it.each([
    ['in one text', '{{a}}'.repeat(15_000)],
    ['in many texts', Array<string>(100_000).fill('{{a}}')],
    ['beside long texts', ['{{a}}', 'b'.repeat(200_000)]],
  ])('is not inserted beyond what any service takes: %s', (_, value) => {
    let characters = 0;
    const cell = 'x'.repeat(32_000);
    const valueOf = () => ((characters += cell.length), cell);
    expect(inputValue({ value }, valueOf)).toBe('too long');
    expect(characters).toBeLessThan(400_000);
  });

  it('is found in one pass over the text, whatever it contains', () => {
    const value = `{{${' '.repeat(100_000)}`;
    const before = process.cpuUsage();
    expect(inputValue({ value }, () => 'x')).toEqual({ value, missing: null });
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});
