import { purposeOf } from '@quarry/plan';
import { describePlan, directoryQueries, filtersHonoured, recordValues } from '@quarry/plan-compiler';
import { describe, expect, it } from '@jest/globals';
import { SandboxDirectory, WRITTEN_PROMPTS } from '@quarry/prompt-fixtures';
import { planPrompt } from './plan-prompt.fixture.js';

const directory = new SandboxDirectory();
const plan = planPrompt;

describe('handwritten prompts', () => {
  it('are never read as questions or small talk', () => {
    const others = WRITTEN_PROMPTS.filter(([prompt]) => purposeOf(prompt) !== 'request');
    expect(others).toEqual([]);
  });

  for (const [prompt, expected] of WRITTEN_PROMPTS)
    it(prompt.replaceAll('\n', ' ⏎ '), async () => {
      const made = await plan(prompt);
      expect(made.predicates.map(({ text }) => text).sort()).toEqual([...expected.filters].sort());
      expect({
        entity: made.entity,
        count: made.count,
        lost: made.notUnderstood,
        perCompany: made.per_company,
      }).toEqual({
        entity: expected.entity ?? 'company',
        count: expected.count ?? null,
        lost: expected.lost ?? [],
        perCompany: expected.perCompany ?? null,
      });
      expect(made.criteria.map(({ effect, criterion }) => `${effect} ${criterion}`)).toEqual(
        expected.criteria ?? [],
      );
      expect(made.columns.map(({ key }) => key)).toEqual(
        expect.arrayContaining([...(expected.columns ?? [])]),
      );
      expect(made.sort ? `${made.sort.by} ${made.sort.direction}` : undefined).toBe(expected.sort);
    });

  it('return rows that match every stated filter', async () => {
    for (const [prompt] of WRITTEN_PROMPTS) {
      const made = await plan(prompt);
      const wanted = directoryQueries(made);
      const { items } =
        wanted.entity === 'company'
          ? await directory.searchCompanies(wanted.query, { limit: 30 })
          : await directory.searchPeople(wanted.query, { limit: 30 });
      for (const item of items)
        expect(filtersHonoured(recordValues(item), made).filter(({ honoured }) => honoured !== true)).toEqual(
          [],
        );
    }
  });
});

describe('a plan of the rules planner', () => {
  it('is plain JSON, and describes what was searched and what was not understood', async () => {
    const made = await plan('20 fintech companies in Berlin funded by Sequoia');
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
    expect(describePlan(made)).toBe(
      'Searched the directory for up to 20 companies (industry: Fintech; place: Berlin). Not understood and not applied: “funded by Sequoia”.',
    );
  });

  it('continues a conversation: new words replace earlier ones for the same attribute', async () => {
    const first = await plan('20 fintech companies in Berlin');
    const second = await plan('now only those in Paris, and add revenue', { previousPlan: first });
    expect(second.companies.industries).toEqual(['fintech']);
    expect(second.companies.places?.map(({ name }) => name)).toEqual(['Paris']);
    expect(second.count).toBe(20);
    expect(second.columns.map(({ key }) => key)).toContain('revenue_usd');
  });

  it('keeps exclusions when more are added, and checks what it searches', async () => {
    const first = await plan('fintech companies in Germany, not in Berlin');
    const second = await plan('exclude the ones founded before 2000', { previousPlan: first });
    expect(second.companies.not).toHaveLength(2);
    expect(second.predicates.map(({ text }) => text)).toEqual([
      'industry: Fintech',
      'place: Germany',
      'not place: Berlin',
      'not founded: 1999 or less',
    ]);
  });

  it.each(['show me the CEOs of these companies', 'their CEOs', 'CEOs at the same companies'])(
    'reuses the companies of the previous search: %s',
    async (prompt) => {
      const first = await plan('20 fintech companies in Germany');
      const second = await plan(prompt, { previousPlan: first });
      expect(second).toMatchObject({ entity: 'person', companies: first.companies, notUnderstood: [] });
      expect(second.predicates.map(({ text }) => text)).toEqual([
        'industry: Fintech',
        'place: Germany',
        'role: CEO',
      ]);
      expect(second.notes.join(' ')).toContain('the search before');
      const { items } = await directory.searchPeople(directoryQueries(second).query as never, { limit: 30 });
      for (const item of items)
        expect(filtersHonoured(recordValues(item), second).filter(({ honoured }) => !honoured)).toEqual([]);
    },
  );

  it('sorts the same companies again, and reports a reference to nothing', async () => {
    const first = await plan('fintech companies in Germany');
    const sorted = await plan('sort these companies by headcount', { previousPlan: first });
    expect(sorted).toMatchObject({ companies: first.companies, sort: { by: 'headcount' } });
    expect((await plan('CEOs of these companies')).notUnderstood).toEqual(['these companies']);
    expect((await plan('companies of these people', { previousPlan: first })).notUnderstood).toEqual([
      'these people',
    ]);
    const own = await plan('fintech companies in Berlin and the CTOs of these companies', {
      previousPlan: first,
    });
    expect(own.notUnderstood).toEqual([]);
  });

  it('maps the columns of both forms of an output contract, and reports an unfillable one', async () => {
    const tables = await plan('CTOs at fintech companies', {
      output: {
        tables: [
          {
            key: 'leads',
            entity: 'person',
            max_rows: 5,
            columns: [
              { key: 'person', name: 'Full name' },
              { key: 'mail', kind: 'email', required: true },
              { key: 'employer_size', name: 'Company headcount', kind: 'number' },
              {
                key: 'fits',
                kind: 'boolean',
                qualification: { criterion: 'Has 50 to 200 staff', effect: 'require' },
              },
              { key: 'shoe_size' },
            ],
          },
        ],
      },
    });
    expect(tables.columns.map(({ source }) => source)).toEqual([
      { from: 'directory', attribute: 'full_name' },
      { from: 'service', service: 'getEmail' },
      { from: 'directory', attribute: 'company_headcount' },
      { from: 'criterion' },
      { from: 'nothing' },
    ]);
    expect(tables.count).toBe(5);
    expect(tables.criteria[0]?.test?.column_keys).toEqual(['company_headcount']);
    expect(tables.notUnderstood).toEqual(['column shoe_size']);
    const properties = { companyName: { type: 'string' }, website: { type: 'string', format: 'uri' } };
    const schema = {
      type: 'object',
      properties: { companies: { type: 'array', items: { type: 'object', properties } } },
    };
    const json = await plan('fintech firms', { output: { schema } });
    expect(json.table.key).toBe('companies');
    expect(json.columns.map(({ key, source }) => [key, source])).toEqual([
      ['companyName', { from: 'directory', attribute: 'name' }],
      ['website', { from: 'directory', attribute: 'website' }],
    ]);
  });

  it('reports an unknown address instead of searching its parts', async () => {
    const { companies, notUnderstood } = await plan('insurance firms in Paris, Texas');
    expect(companies).toEqual({ industries: ['insurance'] });
    expect(notUnderstood).toEqual(['in Paris, Texas']);
  });

  it('never throws, for any text', async () => {
    for (const prompt of [
      '',
      '???',
      '"',
      '- \n- \n',
      '“unclosed',
      'not not not',
      '5',
      '😀 companies',
      '—',
      'excluding',
      'a'.repeat(5000),
      '$',
      '1-',
      'between',
      '٣ شركات',
    ])
      await expect(plan(prompt)).resolves.toMatchObject({ version: 2 });
  });
});
