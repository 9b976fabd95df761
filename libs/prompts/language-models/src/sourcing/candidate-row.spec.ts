import { describe, expect, it } from '@jest/globals';
import { emptyIntent, readOutputContract, type Entity, type PlanIntent } from '@quarry/plan';
import { compilePlan } from '@quarry/plan-compiler';
import { rowOfCandidate, taskOf, type WebPlan } from './candidate-row.js';
import type { SourcedCandidate } from './sourcing.js';

const WEB = { kind: 'web', wanted: 'Ski makers', fragments: ['Ski makers'], from: 'prompt' } as const;
const place = {
  url: 'https://list.example/',
  title: null,
  excerpt: 'Ada Okafor leads sales at Halbrook',
  retrieved_at: '2026-01-01T00:00:00.000Z',
};
const criterion = {
  effect: 'exclude',
  column: null,
  conditions: null,
  fragments: ['went bankrupt'],
  from: 'prompt',
} as const;

function planOf(entity: Entity, change: Partial<PlanIntent> = {}, output: object | null = null): WebPlan {
  const contract = output === null ? null : readOutputContract(output as Record<string, unknown>).tables[0]!;
  const intent = { ...emptyIntent(entity, { source: WEB, output_table: contract?.key ?? null }), ...change };
  return compilePlan(intent, { output: contract, table: null }) as WebPlan;
}

/** Returns a candidate in which one citation proves every field and criterion. */
function candidateOf(plan: WebPlan, change: Partial<SourcedCandidate> = {}): SourcedCandidate {
  const { fields, criteria } = taskOf(plan);
  const proved = (field: string) => ({
    field,
    value: 'Halbrook',
    reasoning: 'Said so.',
    confidence: 'medium' as const,
    citations: [place],
  });
  return {
    key: 'k',
    name: 'Ada Okafor',
    url: 'https://halbrook.example/team',
    domain: 'halbrook.example',
    siteCitation: { ...place, excerpt: 'Ada Okafor of halbrook.example' },
    linkedin_url: null,
    citation: place,
    values: Object.fromEntries(Object.keys(fields).map((field) => [field, proved(field)])),
    verdicts: criteria.map(() => ({ holds: true, reason: 'Said so.', citation: place })),
    isCutShort: false,
    ...change,
  };
}

describe('a row found on the web', () => {
  it("of a person has the candidate's name and site and the facts of pages; lookups know the person", () => {
    const source = { from: 'service', service: 'getEmail' } as const;
    const email = { source, required: false, fragments: ['e-mail'], from: 'prompt' } as const;
    const plan = planOf('person', { columns: [email] });
    const row = rowOfCandidate(plan, candidateOf(plan));
    expect(row.values).toEqual({
      full_name: 'Ada Okafor',
      title: 'Halbrook',
      company_name: 'Halbrook',
      company_domain: 'halbrook.example',
      email: null,
      ski_makers: true,
    });
    expect(row.cells['email']!.status).toBe('pending');
    expect(row.subject).toEqual({
      first_name: 'Ada',
      last_name: 'Okafor',
      domain: 'halbrook.example',
      company: 'Halbrook',
    });
    expect(row.fit).toMatchObject({
      status: 'qualified',
      criteria: [
        { column_key: 'ski_makers', reason: `Met: Ski makers. Said so. “${place.excerpt}” (${place.url})` },
      ],
    });
  });

  it('is disqualified by an exclusion, and unknown if a criterion could not be judged any more', () => {
    const plan = planOf('company', { criteria: [criterion] });
    expect(rowOfCandidate(plan, candidateOf(plan)).fit.status).toBe('disqualified');
    const verdicts = [{ holds: null, reason: 'Not judged.', citation: null }];
    const unevaluated = rowOfCandidate(plan, candidateOf(plan, { verdicts, isCutShort: true }));
    expect(unevaluated.fit.status).toBe('unknown');
    expect(unevaluated.cells['went_bankrupt']).toMatchObject({
      status: 'skipped',
      error: { code: 'usage_limit', message: 'Not judged.' },
    });
    const profile = rowOfCandidate(plan, candidateOf(plan, { domain: null, siteCitation: null }));
    expect([profile.values['domain'], profile.cells['domain']!.status]).toEqual([null, 'empty']);
  });

  it('cites the words that contain a site, and uses no profile of another network for lookups', () => {
    const companies = planOf('company');
    const { cells } = rowOfCandidate(companies, candidateOf(companies));
    expect(cells['domain']!.citations).toMatchObject([{ excerpt: 'Ada Okafor of halbrook.example' }]);
    expect(cells['name']!.citations).toEqual([place]);
    const people = planOf('person');
    const known = { domain: null, siteCitation: null, url: 'https://x.com/ada', linkedin_url: null };
    const { subject } = rowOfCandidate(people, candidateOf(people, known));
    expect(subject).toEqual({ first_name: 'Ada', last_name: 'Okafor', company: 'Halbrook' });
    const profile = { ...known, linkedin_url: 'https://www.linkedin.com/in/ada' };
    expect(rowOfCandidate(people, candidateOf(people, profile)).subject).toMatchObject({
      linkedin_url: 'https://www.linkedin.com/in/ada',
    });
  });

  it('has the columns of an output contract and no others, including criteria', () => {
    const columns = [
      { key: 'shop', name: 'Name', kind: 'text' },
      { key: 'turnover', kind: 'number' },
      { key: 'history', kind: 'experiences' },
      { key: 'ships', kind: 'boolean', qualification: { criterion: 'ships abroad', effect: 'require' } },
      { key: 'proof', kind: 'text', qualification: { criterion: 'sells skis', effect: 'prefer' } },
    ];
    const plan = planOf(
      'company',
      {},
      { tables: [{ key: 'shops', entity: 'company', max_rows: 5, columns }] },
    );
    expect(plan).toMatchObject({ limit: 5, source: { keeps_disqualified: false }, notUnderstood: [] });
    expect(taskOf(plan)).toMatchObject({
      count: 5,
      fields: { turnover: { type: 'number' } },
      criteria: [{ text: 'ships abroad' }, { text: 'sells skis' }],
    });
    const { values, cells } = rowOfCandidate(plan, candidateOf(plan));
    expect(values).toEqual({
      shop: 'Ada Okafor',
      turnover: 'Halbrook',
      history: null,
      ships: true,
      proof: place.excerpt,
    });
    expect([cells['shop']!.citations, cells['history']!.status]).toEqual([[place], 'skipped']);
  });
});
