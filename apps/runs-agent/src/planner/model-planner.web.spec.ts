import { describe, expect, it } from '@jest/globals';
import { ModelPlanner } from '@quarry/language-models';
import { PlanningFailedError } from '@quarry/plan';
import { compilePlan } from '@quarry/plan-compiler';
import { RulesPlanner } from '@quarry/rules-planner';
import { askOf, CTX, entriesOf, ScriptedModel, within, type Entry } from './scripted-model.fixture.js';

const PROMPT = 'Shopify stores in Austria that sell skis';
const SKIS = { effect: 'require', column: null, conditions: null, fragments: ['sell skis'] };
const ENTRY: Entry = {
  source: { kind: 'web', wanted: 'Shopify stores in Austria that sell skis', fragments: [PROMPT] },
  entity: 'company',
  exclusions: [],
  criteria: [SKIS],
  not_understood: [],
};

/** Filters of the prompt, as the rules read them. */
const filters = (await entriesOf(askOf(PROMPT)))[0]!['filters'] as unknown[];

const planned = async (change: Partial<Entry>, canSource = true) => {
  const model = new ScriptedModel([() => [{ ...ENTRY, filters, ...change }]]);
  const plan = await new ModelPlanner(model, new RulesPlanner()).createPlan(
    askOf(PROMPT, { canSource }),
    CTX,
    within(),
  );
  return { model, intent: plan.intents[0]! };
};
const refusalOf = async (change: Partial<Entry>, canSource = true): Promise<string> => {
  const error: unknown = await planned(change, canSource).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PlanningFailedError);
  return (error as PlanningFailedError).faults.join('\n');
};

describe('a model that reads words without a filter', () => {
  it('may search the web: filters and words become criteria that pages are checked against', async () => {
    const { intent, model } = await planned({});
    expect(model.requests[0]!.messages[0]!.text).toContain('"kind":"web"');
    expect(intent.source).toMatchObject({ kind: 'web', from: 'prompt' });
    const plan = compilePlan(intent, { output: null, table: null });
    expect(plan).toMatchObject({
      source: { kind: 'web', wanted: PROMPT, max_credits: 60, keeps_disqualified: true },
      limit: 20,
      predicates: [],
      notUnderstood: [],
    });
    expect(plan.criteria.map(({ effect, criterion, test }) => [effect, criterion, test])).toEqual([
      ['require', 'place: Austria', null],
      ['require', 'uses: Shopify', null],
      ['require', 'sell skis', null],
    ]);
    expect(plan.columns.map(({ key, source }) => [key, source.from])).toEqual([
      ...['name', 'domain', 'website']
        .map((key) => [key, 'web'])
        .filter(([key]) => plan.columns.some((each) => each.key === key)),
      ...plan.criteria.map(({ column_key: key }) => [key, 'criterion']),
    ]);
  });

  it.each([
    ['where nobody looks there', {}, 'source: searching the web needs', false],
    ['for what filters say', { criteria: [] }, 'source: the filters of the directory say all of this'],
    [
      'for words that it has made up',
      { source: { ...(ENTRY['source'] as Entry), wanted: 'Ski shops with a loyalty card' } },
      'source.wanted: must be its fragments',
    ],
    [
      'by a criterion that nobody asked for',
      { criteria: [SKIS, { ...SKIS, fragments: ['open on Sundays'] }] },
      'criteria.1.fragments: "open on Sundays" is not in the prompt',
    ],
    [
      'by a criterion of words that a filter has',
      { criteria: [SKIS, { ...SKIS, fragments: ['Austria'] }] },
      'criteria.1.fragments: no word of its own',
    ],
    [
      'for more than anybody allowed',
      { source: { ...(ENTRY['source'] as Entry), max_credits: 900 } },
      'source.max_credits',
    ],
  ])('may not search the web %s', async (_, change, fault, canSource = true) => {
    expect(await refusalOf(change, canSource)).toContain(fault);
  });

  it('is not told about the web if nobody can search it', async () => {
    const { model } = await planned(
      { source: { kind: 'directory' }, criteria: [], not_understood: ['that sell skis'] },
      false,
    );
    expect(model.requests[0]!.messages[0]!.text).not.toContain('"kind":"web"');
  });
});
