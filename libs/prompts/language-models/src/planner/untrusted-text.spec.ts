import { describe, expect, it } from '@jest/globals';
import { emptyIntent, type PlanIntent } from '@quarry/plan';
import { printMeasurement, measureMedian, TEXT_CPU_MS_MAX, worstTexts } from '@quarry/test-servers';
import type { CheckedIntent } from './checks/checked-intent.js';
import { checkIntent } from './check-intent.js';

/** Longer than a prompt that is sent to a model: with the task it has 8,000 tokens. */
const PROMPT_CHARACTERS_MAX = 20_000;
/** Maximum number of fragments that the response may repeat. */
const FRAGMENTS_MAX = 200;
const UNITS =
  '1,|1 |12 |not |no |Berlin |a|a |Ä |. |, |-|$|50-200 |ei |nicht |und |fintech |B2B |1.|😀|in '.split('|');
const EMPTY = emptyIntent('company', { source: { kind: 'directory' }, output_table: null });

function checked(prompt: string, fragments: string[], isEnglish: boolean): CheckedIntent {
  const place = {
    of: 'company',
    filter: 'places',
    op: 'in',
    value: [{ kind: 'country', id: 'DE' }],
    from: 'prompt',
  };
  const intent = {
    ...EMPTY,
    filters: [{ ...place, fragments }],
    not_understood: fragments,
  } as unknown as PlanIntent;
  return {
    prompt,
    isEnglish,
    output: null,
    previous: null,
    table: null,
    referenceYear: 2025,
    canSource: false,
    intent,
    rules: { ...EMPTY, not_understood: fragments },
  };
}

describe("a model's reading of a prompt", () => {
  it.each([true, false])('is checked without blocking the event loop, English %s', async (isEnglish) => {
    const spent: Array<{ cpuMs: number; name: string }> = [];
    for (const { name, text } of worstTexts(UNITS, PROMPT_CHARACTERS_MAX)) {
      const words = text.split(' ').filter(Boolean);
      for (const fragments of [
        [text.slice(0, 1)],
        Array.from({ length: FRAGMENTS_MAX }, () => (words[0] ?? 'x').slice(0, 1_000)),
      ]) {
        const cpuMs = await measureMedian(
          () => checkIntent(checked(text, fragments, isEnglish)),
          TEXT_CPU_MS_MAX,
        );
        spent.push({ cpuMs, name: `${fragments.length} of ${name}` });
      }
    }
    const [most] = spent.sort((a, b) => b.cpuMs - a.cpuMs);
    printMeasurement(`the dearest of ${spent.length} answers: ${most!.cpuMs.toFixed(0)} ms, ${most!.name}`);
    expect(spent.filter(({ cpuMs }) => cpuMs > TEXT_CPU_MS_MAX)).toEqual([]);
  });
});
