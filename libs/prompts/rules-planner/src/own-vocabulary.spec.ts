import { describe, expect, it } from '@jest/globals';
import { OwnVocabulary, withOwnVocabulary } from '@quarry/vocabulary';
import { directoryQueries } from '@quarry/plan-compiler';
import { planPrompt } from './plan-prompt.fixture.js';

const OWN = new OwnVocabulary([
  { kind: 'city', name: 'Palo Alto', countryCode: 'US' },
  { kind: 'city', name: 'Menlo Park', countryCode: null },
  { kind: 'city', name: 'Mobile', countryCode: 'US' },
]);

const WORDS = new OwnVocabulary(
  (
    [
      ['industry', 'Tidal Energy'],
      ['industry', 'TIDAL ENERGY'],
      ['industry', 'Widgets'],
      ['industry', 'Research'],
      ['title', 'Laureate'],
      ['title', 'Chief Oenologist'],
      ['title', 'Head of Sales'],
    ] as const
  ).map(([kind, name]) => ({ kind, name, countryCode: null })),
);

async function filtersOf(prompt: string): Promise<unknown> {
  const plan = await withOwnVocabulary(WORDS, () => planPrompt(prompt));
  const wanted = directoryQueries(plan);
  return [wanted.query, plan.notUnderstood];
}

async function placesIn(prompt: string): Promise<unknown> {
  const plan = await withOwnVocabulary(OWN, () => planPrompt(prompt));
  const wanted = directoryQueries(plan);
  return [wanted.entity === 'company' ? (wanted.query.places ?? []) : [], plan.notUnderstood];
}

describe('places known only from imported directories', () => {
  it('are recognised in a prompt, with their names', async () => {
    const paloAlto = { kind: 'city', id: 'US-Palo Alto', name: 'Palo Alto' };
    expect(await placesIn('companies in Palo Alto')).toEqual([[paloAlto], []]);
    expect(await placesIn('companies in palo alto')).toEqual([[paloAlto], []]);
    expect(await placesIn('Palo Alto companies')).toEqual([[paloAlto], []]);
    expect(await placesIn('companies in Palo Alto or Menlo Park')).toEqual([
      [paloAlto, { kind: 'city', id: 'ZZ-Menlo Park', name: 'Menlo Park' }],
      [],
    ]);
  });

  it('are not recognised if the word means something else', async () => {
    const [places] = (await placesIn('Mobile games companies in Berlin')) as [Array<{ name: string }>];
    expect(places.map(({ name }) => name)).toEqual(['Berlin']);
  });

  it('are unknown without such a directory', async () => {
    const { notUnderstood: open } = await planPrompt('companies in Palo Alto');
    expect(open.join()).toContain('Palo Alto');
  });
});

describe('industries known only from imported directories', () => {
  const tidal = { industries: ['own:Tidal Energy', 'own:TIDAL ENERGY'] };

  it('are recognised in a prompt, in each spelling of the rows', async () => {
    for (const prompt of ['tidal energy companies', 'companies in tidal energy', 'Companies in Tidal Energy'])
      expect([prompt, await filtersOf(prompt)]).toEqual([prompt, [tidal, []]]);
    expect(await filtersOf('widgets companies')).toEqual([{ industries: ['own:Widgets'] }, []]);
    expect(await filtersOf('companies in widgets')).toEqual([{ industries: ['own:Widgets'] }, []]);
    expect(await filtersOf('founders at tidal energy companies')).toMatchObject([{ company: tidal }, []]);
  });

  it('give way to a word of the vocabulary', async () => {
    expect(await filtersOf('heads of research')).toMatchObject([
      { roles: [{ departments: ['research'] }] },
      [],
    ]);
  });

  it('are unknown without such a directory', async () => {
    expect((await planPrompt('tidal energy companies')).notUnderstood.join()).toContain('tidal');
  });
});

describe('titles known only from imported directories', () => {
  it('are roles matched by their words in the title', async () => {
    expect(await filtersOf('laureates in Germany')).toMatchObject([
      { roles: [{ name: 'Laureate', titleWords: ['laureate'] }], places: [{ id: 'DE' }] },
      [],
    ]);
    expect(await filtersOf('chief oenologists')).toMatchObject([
      { roles: [{ titleWords: ['chief', 'oenologist'] }] },
      [],
    ]);
  });

  it('give way to a title of the vocabulary', async () => {
    expect(await filtersOf('heads of sales')).toMatchObject([
      { roles: [{ departments: ['sales'], titleWords: [] }] },
      [],
    ]);
  });
});
