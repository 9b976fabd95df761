import type { RunPlan } from '@quarry/plan';
import { directoryQueries, filtersHonoured, recordValues } from '@quarry/plan-compiler';
import { describe, expect, it } from '@jest/globals';
import { generatePrompts, SandboxDirectory, WRITTEN_PROMPTS } from '@quarry/prompt-fixtures';
import { isContent } from './language/fragments.js';
import { tokenise } from './language/tokenise.js';
import { planPrompt } from './plan-prompt.fixture.js';

const SEED = 20_250_117;
/** Number of prompts; set QUARRY_PROMPTS=200 for a longer test. */
const PROMPTS = Number(process.env.QUARRY_PROMPTS ?? 80);
const directory = new SandboxDirectory();

async function rowsOf(made: RunPlan) {
  const wanted = directoryQueries(made);
  const limit = 50;
  const answer =
    wanted.entity === 'company'
      ? await directory.searchCompanies(wanted.query, { limit })
      : await directory.searchPeople(wanted.query, { limit });
  return answer.items.map(recordValues);
}

describe(`${PROMPTS} generated prompts, seed ${SEED}`, () => {
  for (const [index, intended] of generatePrompts(PROMPTS, SEED).entries()) {
    it(`${index + 1}: ${intended.prompt}`, async () => {
      const made = await planPrompt(intended.prompt);
      const { prompt: _prompt, columns, ...meaning } = intended;
      const { entity, count, companies, people, notUnderstood } = made;
      expect({ entity, count, companies, people, notUnderstood }).toEqual(meaning);
      expect(made.columns.map(({ key }) => key)).toEqual(expect.arrayContaining([...columns]));
      for (const values of await rowsOf(made))
        expect(filtersHonoured(values, made).filter(({ honoured }) => honoured !== true)).toEqual([]);
    });
  }
});

/**
 * Words that may be omitted because neighbouring words have the same meaning: "founded" before "after 2015", the noun for a
 * row next to an industry, a column that is shown anyway, half of a name whose other half is sufficient.
 */
const REDUNDANT = new Set(
  `companies company firms organisations brands studios suppliers people anyone agencies
   founded started established employing run stage sorted top location columns without max
   linkedin headcount revenue addresses energy tech software south`.split(/\s+/),
);

describe('a prompt', () => {
  it('has no silently ignored word: without it the plan differs', async () => {
    const prompts = [
      ...WRITTEN_PROMPTS.map(([prompt]) => prompt),
      ...generatePrompts(PROMPTS, SEED).map(({ prompt }) => prompt),
    ];
    const ignored: string[] = [];
    for (const prompt of prompts) {
      const whole = JSON.stringify(await planPrompt(prompt));
      for (const { start, end, folded } of tokenise(prompt).filter(isContent)) {
        if (REDUNDANT.has(folded)) continue;
        const without = JSON.stringify(await planPrompt(prompt.slice(0, start) + prompt.slice(end)));
        if (without === whole) ignored.push(`${folded} in: ${prompt}`);
      }
    }
    expect(ignored).toEqual([]);
  });
});
