import { describe, expect, it } from '@jest/globals';
import type { TableProfile } from '@quarry/plan';
import { directoryQueries } from '@quarry/plan-compiler';
import { planPrompt } from '../plan-prompt.fixture.js';
import { planOver } from './plan-over.fixture.js';

const LEADS: TableProfile = {
  id: 'tbl_1',
  name: 'Leads',
  rowCount: 2,
  values: {},
  columns: [
    { key: 'company', name: 'Company', kind: 'text' },
    { key: 'website', name: 'Website', kind: 'text' },
  ],
};

describe('service columns over an imported table', () => {
  it('fill technologies and LinkedIn pages with inputs from the table', async () => {
    const { columns, notUnderstood } = await planOver(LEADS, 'with their technologies and LinkedIn page');
    expect(columns.flatMap(({ source }) => (source.from === 'service' ? source : []))).toEqual([
      { from: 'service', service: 'detectTech', inputs: { domain: 'website' } },
      {
        from: 'service',
        service: 'findLinkedInUrl',
        inputs: { name: 'company', company: 'company', domain: 'website' },
      },
    ]);
    expect(notUnderstood).toEqual([]);
  });

  it('are reported if the table has no input for the service', async () => {
    const names = { ...LEADS, columns: [{ key: 'nickname', name: 'Nickname', kind: 'text' as const }] };
    const { columns, notUnderstood } = await planOver(names, 'with their technologies');
    expect(columns.filter(({ source }) => source.from === 'service')).toEqual([]);
    expect(notUnderstood).toEqual(['technologies']);
  });
});

describe('requested technologies of companies', () => {
  it.each(['with their technologies', 'with technologies'])('do not widen the industry: %s', async (tail) => {
    const prompt = '5 software companies in Germany';
    const [plan, without] = [await planPrompt(`${prompt} ${tail}`), await planPrompt(prompt)];
    expect(directoryQueries(plan)).toEqual(directoryQueries(without));
    expect(plan.columns.map(({ key }) => key)).toContain('technologies');
    expect(plan.notUnderstood).toEqual([]);
  });
});
