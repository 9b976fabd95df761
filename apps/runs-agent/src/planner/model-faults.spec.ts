import { describe, expect, it } from '@jest/globals';
import { ModelPlanner } from '@quarry/language-models';
import { PlanningFailedError } from '@quarry/plan';
import { RulesPlanner } from '@quarry/rules-planner';
import { printMeasurement } from '@quarry/test-servers';
import { generatePrompts, WRITTEN_PROMPTS } from '@quarry/prompt-fixtures';
import { SOUND_PROMPTS, WRITTEN_FAULTS } from './model-faults.fixture.js';
import { askOf, CTX, entriesOf, ScriptedModel, within } from './scripted-model.fixture.js';

const rules = new RulesPlanner();
const FAULTS_MIN = 300;

describe('a model that adds what the prompt does not say', () => {
  const cases = SOUND_PROMPTS.flatMap((prompt) => WRITTEN_FAULTS.map((fault) => ({ prompt, fault })));
  let caught = 0;

  it.each(WRITTEN_FAULTS.map(({ name }) => name))('makes no plan for %s', async (name) => {
    const own = cases.filter(({ fault }) => fault.name === name);
    for (const { prompt, fault } of own.slice(0, own[0]?.fault.isOfShape ? 2 : own.length)) {
      const ask = askOf(prompt);
      const [entry] = await entriesOf(ask);
      const spoiled = fault.spoil(entry!, prompt);
      if (spoiled === false) continue;
      caught += 1;
      const model = new ScriptedModel([() => [entry]]);
      const end = await new ModelPlanner(model, rules)
        .createPlan(ask, CTX, within())
        .catch((error: unknown) => error);
      const [intent] = end instanceof Error ? [] : (end as { intents: any[] }).intents;
      expect({ prompt, calls: model.requests.length, lastFaults: model.lastFaults }).toMatchObject({
        calls: 2,
        lastFaults: expect.stringContaining('- '),
      });
      if (fault.end === 'named')
        expect({ prompt, named: intent?.not_understood.join() }).toEqual({
          prompt,
          named: expect.stringContaining(String(spoiled)),
        });
      else expect({ prompt, end }).toEqual({ prompt, end: expect.any(PlanningFailedError) });
    }
  });

  it(`is tested with at least ${FAULTS_MIN} faults`, () => {
    printMeasurement(`answers of a model with one fault each: ${caught}, none of them a plan`);
    expect(caught).toBeGreaterThanOrEqual(FAULTS_MIN);
  });
});

describe('a model that agrees with the rules', () => {
  it('is called once: no check rejects a correct answer', async () => {
    const prompts = [
      ...SOUND_PROMPTS,
      ...WRITTEN_PROMPTS.map(([prompt]) => prompt),
      ...generatePrompts(25, 20_250_117).map(({ prompt }) => prompt),
    ];
    const objections: string[] = [];
    for (const prompt of prompts) {
      const ask = askOf(prompt);
      const model = new ScriptedModel([() => entriesOf(ask)]);
      const asRules = (await rules.createPlan(ask, CTX, within())).intents[0]!;
      const isVerbatim = asRules.not_understood.every((each) => prompt.includes(each));
      await new ModelPlanner(model, rules).createPlan(ask, CTX, within()).catch(() => null);
      if (isVerbatim && model.requests.length > 1) objections.push(`${prompt}: ${model.lastFaults}`);
    }
    expect(objections).toEqual([]);
  });
});
