// Measures how well prompts are understood: by the rules, and with MODEL_URL and MODEL_NAME by the model, alone and before them.
// npm run bench:prompts [-- --repeats 3] [-- --verbose]
import { languageModelOf, modelOf, plannerOf, withModel } from '@quarry/language-models';
import { RulesPlanner } from '@quarry/rules-planner';
import { loadEnvOrExit } from '@quarry/app';
import { GOLD_PROMPTS } from './gold-prompts.mjs';
import { facetsOf, scored } from './score-plan.mjs';

const CTX = { orgId: 'org_bench', mode: 'test', requestId: 'bench' };
// Relative years are counted back from a fixed year.
const REFERENCE_YEAR = 2025;
const PLANNING_MS = 30_000;
const words = process.argv.slice(2);
const repeats = words.includes('--repeats') ? Number(words[words.indexOf('--repeats') + 1]) : 3;
const isVerbose = words.includes('--verbose');

const settings = modelOf(loadEnvOrExit(withModel(class {})));
const model = settings && languageModelOf(settings);
const silent = { warn: () => undefined };
const rules = new RulesPlanner();
const readers = [['rules', plannerOf('rules', { rules, model: null }, silent)]];
if (model)
  for (const name of ['model', 'model-or-rules'])
    readers.push([name, plannerOf(name, { rules, model }, silent)]);
else console.log('No MODEL_URL is given, so the rules alone are asked.\n');

const rows = [];
for (const [name, planner] of readers)
  for (const language of ['en', 'other']) rows.push(await measured(name, planner, language));
console.table(Object.fromEntries(rows.map(({ title, ...counts }) => [title, counts])));

async function measured(name, planner, language) {
  const prompts = GOLD_PROMPTS.filter((gold) => gold.language === language);
  const before = model?.readMetrics();
  const times = [];
  const kinds = new Map();
  const sums = { exact: 0, found: 0, missed: 0, invented: 0, silent: 0, same: 0, refused: 0 };
  for (const gold of prompts) {
    const readings = [];
    for (let i = 0; i < repeats; i += 1) readings.push(await reading(planner, gold.prompt, times));
    const [first] = readings;
    sums.same += Number(readings.every((each) => textOf(each) === textOf(first)));
    if (first === null) sums.refused += 1;
    const score = scored(
      gold,
      first ?? { filters: [], exclusions: [], not_understood: [gold.prompt], count: null },
    );
    sums.exact += Number(score.isExact);
    for (const kind of ['found', 'missed', 'invented', 'silent']) sums[kind] += score[kind].length;
    for (const kind of ['found', 'missed', 'invented'])
      for (const facet of score[kind]) count(kinds, facet.replace(/:.*/, ''), kind);
    if (isVerbose && !score.isExact) console.log(`${name}: ${gold.prompt}\n  ${JSON.stringify(score)}`);
  }
  if (isVerbose) console.table(Object.fromEntries([...kinds].map(([kind, each]) => [kind, shares(each)])));
  const after = model?.readMetrics();
  return {
    title: `${name}, ${language === 'en' ? 'English' : 'other languages'}`,
    prompts: prompts.length,
    exact: percent(sums.exact, prompts.length),
    ...shares(sums),
    'honoured or named': percent(sums.found + sums.missed - sums.silent, sums.found + sums.missed),
    invented: sums.invented,
    'no plan': sums.refused,
    [`same of ${repeats}`]: percent(sums.same, prompts.length),
    'median ms': Math.round(times.sort((a, b) => a - b)[Math.floor(times.length / 2)]),
    'tokens in/out': before
      ? `${after.inputTokens - before.inputTokens}/${after.outputTokens - before.outputTokens}`
      : '-',
  };
}

/** @returns the intent; null if the reader returned none */
async function reading(planner, prompt, times) {
  const ask = { prompt, output: [], previous: null, tables: [], referenceYear: REFERENCE_YEAR };
  const limits = { signal: new AbortController().signal, deadlineMs: Date.now() + PLANNING_MS };
  const start = performance.now();
  const made = await planner.plan(ask, CTX, limits).catch(() => null);
  times.push(performance.now() - start);
  return made?.intents[0] ?? null;
}

function textOf(intent) {
  return intent && JSON.stringify([[...facetsOf(intent)].sort(), intent.count?.value, intent.entity]);
}

function count(kinds, kind, what) {
  const each = kinds.get(kind) ?? { found: 0, missed: 0, invented: 0 };
  each[what] += 1;
  kinds.set(kind, each);
}

function shares({ found, missed, invented }) {
  return { precision: percent(found, found + invented), recall: percent(found, found + missed) };
}

function percent(part, whole) {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}
