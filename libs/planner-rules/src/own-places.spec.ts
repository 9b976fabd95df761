import { describe, expect, it } from '@jest/globals';
import { OwnPlaces, withOwnPlaces } from '@quarry/directory';
import { directoryQueries } from '@quarry/plan';
import { planPrompt } from './plan-prompt.fixture.js';

const OWN = new OwnPlaces([
  { kind: 'city', name: 'Palo Alto', countryCode: 'US' },
  { kind: 'city', name: 'Menlo Park', countryCode: null },
  { kind: 'city', name: 'Mobile', countryCode: 'US' },
]);

async function placesIn(prompt: string): Promise<unknown> {
  const plan = await withOwnPlaces(OWN, () => planPrompt(prompt));
  const wanted = directoryQueries(plan);
  return [wanted.entity === 'company' ? (wanted.query.places ?? []) : [], plan.notUnderstood];
}

describe('places that only imported directories have', () => {
  it('are read where a prompt names a place, with their names', async () => {
    const paloAlto = { kind: 'city', id: 'US-Palo Alto', name: 'Palo Alto' };
    expect(await placesIn('companies in Palo Alto')).toEqual([[paloAlto], []]);
    expect(await placesIn('companies in palo alto')).toEqual([[paloAlto], []]);
    expect(await placesIn('Palo Alto companies')).toEqual([[paloAlto], []]);
    expect(await placesIn('companies in Palo Alto or Menlo Park')).toEqual([
      [paloAlto, { kind: 'city', id: 'ZZ-Menlo Park', name: 'Menlo Park' }],
      [],
    ]);
  });

  it('are no places where the word says something else', async () => {
    const [places] = (await placesIn('Mobile games companies in Berlin')) as [Array<{ name: string }>];
    expect(places.map(({ name }) => name)).toEqual(['Berlin']);
  });

  it('are unknown to whoever has no such directory', async () => {
    const { notUnderstood: open } = await planPrompt('companies in Palo Alto');
    expect(open.join()).toContain('Palo Alto');
  });
});
