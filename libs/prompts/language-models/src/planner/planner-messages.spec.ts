import { describe, expect, it } from '@jest/globals';
import { OwnVocabulary, withOwnVocabulary } from '@quarry/vocabulary';
import type { PlanAsk } from '@quarry/plan';
import { plannerMessages } from './planner-messages.js';

const own = new OwnVocabulary([
  { kind: 'industry', name: 'Tidal Energy', countryCode: null },
  { kind: 'industry', name: 'Basket Weaving', countryCode: null },
  { kind: 'technology', name: 'Kelp OS', countryCode: null },
  { kind: 'city', name: 'Lower Slaughter', countryCode: 'GB' },
]);
const askOf = (prompt: string): PlanAsk =>
  ({
    prompt,
    output: [],
    tables: [],
    previous: null,
    referenceYear: 2026,
    canSource: false,
  }) as unknown as PlanAsk;

const messageOf = (prompt: string): string =>
  withOwnVocabulary(own, () =>
    plannerMessages(askOf(prompt), [])!
      .map(({ text }) => text)
      .join('\n'),
  );

describe('the messages to a model about a prompt', () => {
  it('contain the words of imported directories that the prompt names, with their ids, as data', () => {
    const text = messageOf('Tidal energy companies in Lower Slaughter using Kelp OS');
    const [, data = ''] = /<data>([\s\S]*)<\/data>/.exec(text.slice(text.lastIndexOf('<data>'))) ?? [];
    expect(JSON.parse(data).own_words).toEqual({
      industries: ['own:Tidal Energy'],
      technologies: ['own:kelp os'],
      places: [{ kind: 'city', id: 'GB-Lower Slaughter', name: 'Lower Slaughter' }],
    });
  });

  it('say that the rows of an output are people, where it lists them in their companies', () => {
    const table = { key: 'people', name: null, entity: 'person', maxRows: null, columns: [] } as const;
    const inCompanies = { ...table, byCompany: { companiesMax: null, peopleMax: 3 } };
    const data = plannerMessages({ ...askOf('5 banks'), output: [table, inCompanies] }, [])!.at(-1)!.text;
    const { wanted } = JSON.parse(data.replace(/^<data>|<\/data>$/g, ''));
    expect(wanted).toEqual([
      { key: 'people', name: null, entity: 'person', columns: [] },
      { key: 'people', name: null, entity: 'person', people_of_companies: true, columns: [] },
    ]);
  });

  it('contain none of the others', () => {
    const text = messageOf('Fintech companies in Berlin');
    for (const word of ['Tidal', 'Basket', 'Kelp']) expect(text).not.toContain(word);
  });
});
