import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  printMeasurement,
  measureMedian,
  measureThread,
  TEXT_CPU_MS_MAX,
  worstTexts,
} from '@quarry/test-servers';
import type { ContractTable } from '@quarry/plan';
import { tokenise } from './language/tokenise.js';
import { planPrompt } from './plan-prompt.fixture.js';
import { RulesPlanner } from './rules.planner.js';

const PROMPT_CHARACTERS_MAX = 20_000;
/** Words and punctuation that affect the grammar. */
const UNITS =
  `1,| |1 |$|$5 |50 |'a | 'a|'|"a |"|“a |«|«a» |(|companies |in |and |not |but |except |with |a |the |of |each |their |those
  |these companies |no |more than |between 1 and |two hundred and |hundred |dozen |2015 or |founded in 2015, |1-|from 1 to |-|- |. |, |: |; |!
  |CEOs and |CEO of |the CEO of each |emails and |email, |banks or |not banks, |named A, |named |Acme & |sorted by |top |Germany, |Berlin
  |who |which have |hiring CEOs, |B2B |ideally |must |if |where |column |table |from my table "x" |my table |save it in |A.B.|a-|a'|1,111,|1.|é|中|😀
  |companies in Berlin and |except those in |companies but no |only |as well as |instead of |per company |`
    .split('|')
    .map((unit) => unit.replace(/\n\s*/, ''))
    .filter(Boolean);

async function plan(prompt: string, output: ContractTable[] = []) {
  const ask = {
    prompt,
    output,
    previous: null,
    referenceYear: 2025,
    tables: [{ id: 'tbl_1', name: 'x' }],
    tableProfile: (id: string) => Promise.resolve({ id, name: 'x', columns: [], rowCount: 0, values: {} }),
  };
  const limits = { signal: new AbortController().signal, deadlineMs: Infinity };
  return new RulesPlanner().createPlan(ask, { orgId: 'org_1', mode: 'live', requestId: 'spec' }, limits);
}

describe('a prompt of maximum length', () => {
  it('is planned without blocking the event loop, whatever it repeats', async () => {
    // Compilation during the first runs is not a cost of a prompt.
    for (let round = 0; round < 20; round += 1)
      await plan('50 fintech companies in Berlin or Paris, not banks');
    const spent: Array<{ cpuMs: number; name: string }> = [];
    for (const { name, text } of worstTexts(UNITS, PROMPT_CHARACTERS_MAX)) {
      spent.push({ cpuMs: await measureMedian(() => plan(text), TEXT_CPU_MS_MAX), name });
    }
    const [most] = spent.sort((a, b) => b.cpuMs - a.cpuMs);
    printMeasurement(`the dearest of ${spent.length} prompts: ${most!.cpuMs.toFixed(0)} ms, ${most!.name}`);
    expect(spent.filter(({ cpuMs }) => cpuMs > TEXT_CPU_MS_MAX)).toEqual([]);
  });

  it('is read as far as possible, and the rest is reported', async () => {
    const { intents } = await plan(`Companies in Berlin. ${'and so on '.repeat(1_900)}`);
    const { filters, notes, not_understood: lost } = intents[0]!;
    expect(filters).toHaveLength(1);
    expect(notes.at(-1)).toMatch(/^The prompt is too long: it was not read from “/);
    expect(lost.at(-1)).toMatch(/^(and|so|on) /);
  });

  it('is read completely with some hundred words', async () => {
    const made = await planPrompt(`Companies in ${'Berlin, Paris, '.repeat(100)}Oslo`);
    expect([made.notUnderstood, made.notes]).toEqual([[], []]);
  });

  it('has its quotations found in linear time', async () => {
    const { cpuMs } = await measureThread(() => tokenise(` 'a`.repeat(6_600)));
    printMeasurement(`6,600 quotation marks that end nowhere: ${cpuMs.toFixed(0)} ms`);
    // With a separate search per mark it took seconds.
    expect(cpuMs).toBeLessThan(TEXT_CPU_MS_MAX);
  });

  it('yields to the event loop while an output contract has many criteria, up to 64 kB', async () => {
    const criterion =
      'companies in Berlin or Paris, not banks, with 50 to 200 employees, founded in 2015 or later';
    const columns = Array.from({ length: 200 }, (_, i) => ({
      key: `c${i}`,
      name: `C${i}`,
      description: null,
      type: 'boolean' as const,
      qualification: { criterion: `${criterion}, ${i}`, effect: 'prefer' as const },
    }));
    const output = [{ key: 't', name: 'T', description: null, entity: 'company', columns }] as never;
    await plan('companies', output);
    let turnMs = 0;
    let isOver = false;
    const planned = plan('companies', output).finally(() => (isOver = true));
    // Each iteration shows that the event loop has run other tasks.
    for (let turns = 0; !isOver; turns += 1) {
      const { cpuMs } = await measureThread(() => nextTurn());
      turnMs = Math.max(turnMs, cpuMs);
    }
    expect((await planned).intents[0]!.criteria).toHaveLength(200);
    printMeasurement(`the longest turn of 200 criteria: ${turnMs.toFixed(0)} ms`);
    expect(turnMs).toBeLessThan(TEXT_CPU_MS_MAX);
  });
});
