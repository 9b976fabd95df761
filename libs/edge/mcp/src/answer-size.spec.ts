import { describe, expect, it } from '@jest/globals';
import { ANSWER_BYTES_MAX, bytesOf, cutToSize, countFitting, partOf, textOf } from './answer-size.js';

const MORE = 'Read on elsewhere.';

describe("the size of a tool's answer", () => {
  it('lets a list fill the remaining space, with at least one item', () => {
    const items = Array.from({ length: 1000 }, (_, n) => ({ n, text: 'ä'.repeat(100) }));
    const shown = items.slice(0, countFitting(items, {}));
    expect(shown.length).toBeGreaterThan(100);
    const answer = { items: shown, next_cursor: 'c'.repeat(256) };
    expect(cutToSize(answer, MORE)).toBe(answer);
    expect(countFitting([{ text: 'x'.repeat(100_000) }], {})).toBe(1);
    expect(countFitting([], {})).toBe(0);
  });

  it('truncates one value that is too large, but neither the cursor nor the list', () => {
    const wide = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`c${n}`, '😀'.repeat(2000)]));
    const cursor = 'c'.repeat(256);
    const cut = cutToSize({ items: [{ values: wide }], next_cursor: cursor }, MORE);
    expect(bytesOf(cut)).toBeLessThan(ANSWER_BYTES_MAX);
    expect(cut).toMatchObject({ next_cursor: cursor, truncated: true, more: MORE });
    expect(Object.keys((cut.items as Array<{ values: object }>)[0]!.values)).toHaveLength(200);
    // Half of a surrogate pair would not survive encoding.
    expect(JSON.parse(Buffer.from(JSON.stringify(cut)).toString())).toEqual(cut);
  });

  it('includes as many complete items of a nested list as fit', () => {
    const items = Array.from({ length: 100 }, (_, n) => ({ n, text: 'x'.repeat(1_500) }));
    const cut = cutToSize({ service: 'searchPeople', output: { items } }, MORE);
    const shown = (cut.output as { items: typeof items }).items;
    expect(bytesOf(cut)).toBeGreaterThan(45_000);
    expect(shown).toEqual(items.slice(0, shown.length));
  });

  it('divides an output into parts that are repeated as text, and returns all of it in the end', () => {
    const answerWith = (output: Record<string, unknown>) => ({ service: 'x', output });
    const items = Array.from({ length: 100 }, (_, n) => ({ n, text: 'x'.repeat(500) }));
    const markdown = 'Wörter und 😀 '.repeat(5_000);
    const links = Array.from({ length: 1_000 }, (_, n) => ({
      url: `https://a.example/${n}`,
      text: 'A link',
    }));
    for (const [name, whole, output] of [
      ['items', items, { items, provider: 'p' }],
      ['markdown', markdown, { url: 'u', markdown, links }],
    ] as const) {
      const parts: unknown[] = [];
      for (let from: number = 0; from < whole.length;) {
        const { answer, place } = partOf(output, from, answerWith);
        expect(JSON.parse(textOf(answer))).toEqual(answer);
        parts.push((answer.output as Record<string, unknown>)[name]);
        expect(place).toMatchObject({ from, of: whole.length });
        from = place!.to;
      }
      expect(parts.length).toBeGreaterThan(2);
      expect(name === 'items' ? parts.flat() : parts.join('')).toEqual(whole);
    }
    expect(partOf({ items: [1] }, 0, answerWith).place).toBeNull();
    expect(partOf({ items: [1] }, 1, answerWith).answer).toEqual({ service: 'x', output: { items: [] } });
    expect(partOf({ label: 'a' }, 0, answerWith).place).toBeNull();
  });

  it('repeats an answer as text if both fit, and only summarises a longer one', () => {
    const page = { items: Array.from({ length: 25 }, (_, n) => ({ n, text: 'x'.repeat(750) })) };
    for (const answer of [{ a: 1 }, page]) expect(JSON.parse(textOf(answer))).toEqual(answer);
    const text = textOf({
      items: Array.from({ length: 2_000 }, (_, n) => `item ${n} of many`),
      next_cursor: null,
    });
    expect(text).toContain('items: 2000');
    expect(Buffer.byteLength(text)).toBeLessThan(1000);
  });
});
