import { describe, expect, it } from '@jest/globals';
import { ModelPlanner } from '@quarry/language-models';
import { PlanningFailedError, type PlanAsk, type TableProfile } from '@quarry/plan';
import { RulesPlanner } from '@quarry/rules-planner';
import {
  CLAIMED_WORDS,
  DIRECTORY_PROMPT,
  HOSTILE_TEXTS,
  TABLE_PROMPT,
  type HostileText,
} from './hostile-cells.fixture.js';
import { askOf, CTX, entriesOf, ScriptedModel, within, type Entry } from './scripted-model.fixture.js';

const TEXTS_MIN = 20;
const rules = new RulesPlanner();

/** @returns a request with a hostile text at its place */
function hostileAsk({ where, text }: HostileText): PlanAsk {
  if (where === 'prompt')
    return askOf(`${DIRECTORY_PROMPT} ${text}`, { tables: [{ id: 'tbl_other', name: 'Secrets' }] });
  const leads: TableProfile = {
    id: 'tbl_leads',
    name: 'Leads',
    rowCount: 4,
    columns: [
      { key: 'name', name: 'Name', kind: 'text' },
      { key: 'town', name: 'Town', kind: 'text' },
      { key: 'vip', name: 'Vip', kind: 'boolean' },
      { key: 'size', name: where === 'column' ? text : 'Size', kind: 'number' },
    ],
    values: { town: { values: ['Berlin', 'Bergen', ...(where === 'cell' ? [text] : [])], isComplete: true } },
  };
  return askOf(TABLE_PROMPT, {
    tables: [
      { id: 'tbl_leads', name: 'Leads' },
      { id: 'tbl_other', name: where === 'others' ? text : 'Other' },
    ],
    tableProfile: (id) =>
      id === leads.id ? Promise.resolve(leads) : Promise.reject(new Error(`${id} is not named.`)),
  });
}

/** @returns the result of a planner for an obedient entry, which the model repeats at a retry */
async function madeOf(ask: PlanAsk, change: (entry: Entry) => unknown) {
  const [entry] = await entriesOf(ask);
  change(entry!);
  const model = new ScriptedModel([() => [entry]]);
  const end: unknown = await new ModelPlanner(model, rules)
    .createPlan(ask, CTX, within())
    .catch((error: unknown) => error);
  return { end, model };
}

describe(`a model that obeys each of ${HOSTILE_TEXTS.length} untrusted texts`, () => {
  it(`has at least ${TEXTS_MIN} different texts`, () => {
    expect(new Set(HOSTILE_TEXTS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(TEXTS_MIN);
    expect(new Set(HOSTILE_TEXTS.map(({ text }) => text)).size).toBeGreaterThanOrEqual(TEXTS_MIN);
  });

  it.each(HOSTILE_TEXTS)('plans nothing that the prompt does not say: $name', async (hostile) => {
    const ask = hostileAsk(hostile);
    for (const words of CLAIMED_WORDS) {
      const { end, model } = await madeOf(ask, (entry) => hostile.obey(entry, words));
      expect({ words, end }).toEqual({ words, end: expect.any(PlanningFailedError) });
      expect(model.requests).toHaveLength(2);
    }
  });

  it.each(HOSTILE_TEXTS)(
    'is shown the text as data that cannot end its own section: $name',
    async (hostile) => {
      // With a model that does not obey, the same request gives a plan: only the order is refused.
      const { end, model } = await madeOf(hostileAsk(hostile), () => null);
      expect(end).toMatchObject({ planner: 'model' });
      const [system, user] = model.requests[0]!.messages.map(({ text }) => text);
      const shown = JSON.stringify(hostile.text.slice(0, 60)).slice(1, -1).replaceAll('<', '\\u003c');
      expect(system).not.toContain(shown);
      expect(user).toContain(shown);
      expect(user!.match(/<\/?data>/g)).toEqual(['<data>', '</data>']);
    },
  );
});

describe('a table whose words are in the prompt', () => {
  it.each<[words: string, item: Entry]>([
    ['that are VIPs', { column: 'vip', op: 'is', value: true, fragments: ['VIPs'] }],
    ['with a known size', { column: 'size', op: 'filled', fragments: ['size'] }],
    ['and Bergen', { column: 'town', op: 'contains', value: ['Bergen'], fragments: ['Bergen'] }],
  ])('can be filtered by a model: %j', async (words, item) => {
    const ask = { ...hostileAsk(HOSTILE_TEXTS[0]!), prompt: `From my table "Leads": those ${words}` };
    const { end } = await madeOf(ask, (entry) =>
      Object.assign(entry, { filters: [item], not_understood: [] }),
    );
    expect(end).toMatchObject({ planner: 'model' });
  });
});
