import { describe, expect, it } from '@jest/globals';
import { SandboxDirectory } from '@quarry/providers';
import { filtersHonoured } from '../selection/filters-honoured.js';
import { DeterministicPlanner } from './deterministic.planner.js';
import { describePlan } from './describe-plan.js';
import { directoryQueries } from './directory/directory-queries.js';
import { recordValues } from './directory/record-values.js';
import type { PlannerKnowledge } from './planner.port.js';
import type { RunPlan } from './run-plan.js';

const directory = new SandboxDirectory();
const knowledge: PlannerKnowledge = {
  tables: [],
  tableProfile: async () => ({ columns: {} }),
  previousPlan: null,
  output: null,
  referenceYear: 2025,
};

function plan(prompt: string, more: Partial<PlannerKnowledge> = {}): Promise<RunPlan> {
  return new DeterministicPlanner().plan(prompt, { ...knowledge, ...more });
}

interface Expected {
  readonly filters: readonly string[];
  readonly entity?: 'person';
  readonly count?: number;
  readonly lost?: readonly string[];
  readonly criteria?: readonly string[];
  readonly columns?: readonly string[];
  readonly sort?: string;
  readonly perCompany?: number;
}

/** Prompts as people write them, and every filter that they state. */
const CASES: ReadonlyArray<readonly [prompt: string, expected: Expected]> = [
  [
    '20 fintech companies in Berlin with 50 to 200 employees',
    { filters: ['industry: Fintech', 'place: Berlin', 'headcount: 50 to 200'], count: 20 },
  ],
  [
    'Please find me CTOs at fintech or insurtech companies in Berlin, Munich or Hamburg with 50-200 staff, with work email and phone number.',
    {
      filters: [
        'industry: Fintech or Insurtech',
        'place: Berlin or Munich or Hamburg',
        'headcount: 50 to 200',
        'role: CTO',
      ],
      entity: 'person',
      columns: ['email', 'phone'],
    },
  ],
  [
    'I need a list of fifty Dutch logistics companies founded after 2010, not in Amsterdam',
    {
      filters: [
        'industry: Logistics & Transportation',
        'place: Netherlands',
        'founded: 2011 or more',
        'not place: Amsterdam',
      ],
      count: 50,
    },
  ],
  [
    'who are the VPs of Engineering and heads of product at US SaaS startups with 10+ employees?',
    {
      filters: [
        'industry: Software & SaaS',
        'place: United States',
        'headcount: 10 or more',
        'founded: 2015 or more',
        'role: VP of Engineering or Head of Product',
      ],
      entity: 'person',
    },
  ],
  [
    'top 10 largest pharma companies in Switzerland',
    { filters: ['industry: Pharmaceuticals', 'place: Switzerland'], count: 10, sort: 'headcount descending' },
  ],
  [
    'give us all law firms in the UK excluding London with fewer than 50 people',
    {
      filters: [
        'industry: Law Firms & Legal Services',
        'place: United Kingdom',
        'headcount: 49 or less',
        'not place: London',
      ],
    },
  ],
  [
    'Build me a table of 30 biotech companies in the Nordics. Prefer companies that are hiring. Disqualify those with more than 500 staff. Include website, headcount and LinkedIn.',
    {
      filters: ['industry: Biotechnology', 'place: Nordics'],
      count: 30,
      criteria: ['prefer is hiring', 'exclude headcount: 501 or more'],
      columns: ['website'],
    },
  ],
  [
    'German manufacturers founded before 1950 with more than 1,000 staff',
    {
      filters: [
        'industry: Industrial Machinery or Automotive or Aerospace & Defense or Chemicals or Computer Hardware & Electronics or Semiconductors or Medical Devices or Food & Beverage or Consumer Goods or Fashion & Apparel',
        'place: Germany',
        'headcount: 1001 or more',
        'founded: 1949 or less',
      ],
    },
  ],
  [
    'find 25 B2B software companies in France that use Salesforce and HubSpot',
    {
      filters: [
        'industry: Software & SaaS or Cybersecurity or Artificial Intelligence or Fintech or Insurtech or Education Technology or Property Technology or Health Technology',
        'place: France',
        'business model: B2B',
        'uses: Salesforce and HubSpot',
      ],
      count: 25,
      columns: ['technologies'],
    },
  ],
  [
    'marketing directors at e-commerce brands in Spain or Portugal, 2 per company',
    {
      filters: ['industry: E-commerce', 'place: Spain or Portugal', 'role: Director of Marketing'],
      entity: 'person',
      perCompany: 2,
    },
  ],
  [
    '- Industry: cybersecurity\n- Location: Israel\n- Size: 50-500\n- Founded: since 2012\n- Columns: website, headcount',
    {
      filters: ['industry: Cybersecurity', 'place: Israel', 'headcount: 50 to 500', 'founded: 2012 or more'],
      columns: ['website'],
    },
  ],
  [
    'HR leaders in Singapore',
    { filters: ['role: Human Resources leader', 'lives in: Singapore'], entity: 'person' },
  ],
  [
    'recruiters working at staffing agencies in Austin, TX',
    { filters: ['industry: Staffing & Recruiting', 'place: Austin', 'role: Recruiter'], entity: 'person' },
  ],
  [
    'a dozen oldest banks in Italy',
    { filters: ['industry: Banking', 'place: Italy'], count: 12, sort: 'founded_year ascending' },
  ],
  [
    'companies hiring software engineers in Poland',
    { filters: ['place: Poland', 'hiring in: Engineering', 'is hiring'] },
  ],
  [
    'series A or series B health tech startups in North America, ideally B2B, funded by Sequoia',
    {
      filters: [
        'industry: Health Technology',
        'place: North America',
        'founded: 2015 or more',
        'funding stage: Series A or Series B',
      ],
      lost: ['funded by Sequoia'],
      criteria: ['prefer business model: B2B'],
    },
  ],
  [
    '20 Companies With A Blue Logo In Paris',
    { filters: ['place: Paris'], count: 20, lost: ['With A Blue Logo'] },
  ],
  [
    'ceo and founders of small construction firms in texas with linkedin and email',
    {
      filters: ['industry: Construction', 'place: Texas', 'headcount: 49 or less', 'role: CEO or Founder'],
      entity: 'person',
      columns: ['email'],
    },
  ],
  [
    'Show me around 40 mid-size retailers across Latin America (no Brazil please)',
    {
      filters: ['industry: Retail', 'place: Latin America', 'headcount: 50 to 249', 'not place: Brazil'],
      count: 40,
    },
  ],
  [
    'non-US semiconductor companies, at least 200 employees, sorted by founding year',
    {
      filters: ['industry: Semiconductors', 'headcount: 200 or more', 'not place: United States'],
      sort: 'founded_year ascending',
    },
  ],
  [
    'How many people-focused NGOs are there in Kenya?',
    { filters: ['industry: Non-profit Organisations', 'place: Kenya'], lost: ['people-focused'] },
  ],
  [
    'up to 30 gaming studios from the last 5 years in Japan or South Korea',
    { filters: ['industry: Video Games', 'place: Japan or South Korea', 'founded: 2020 or more'], count: 30 },
  ],
  [
    'Insurers in DACH with revenue above $100 million; must be public',
    {
      filters: ['industry: Insurance', 'place: DACH', 'revenue in US dollars: 100000001 or more'],
      criteria: ['require ownership: Public'],
      columns: ['revenue_usd'],
    },
  ],
  [
    'FIND 15 SOLAR COMPANIES IN AUSTRALIA AND NEW ZEALAND',
    { filters: ['industry: Renewable Energy & Climate Tech', 'place: Oceania'], count: 15 },
  ],
  [
    'sales managers who live in Dublin and work for American tech companies',
    {
      filters: [
        'industry: Software & SaaS or Cybersecurity or Artificial Intelligence or Fintech or Insurtech or Education Technology or Property Technology or Health Technology or IT Services & Consulting or Computer Hardware & Electronics or Semiconductors or Video Games or E-commerce or Telecommunications',
        'place: United States',
        'role: Manager in Sales',
        'lives in: Dublin',
      ],
      entity: 'person',
    },
  ],
  [
    'Between 10 and 50 employees, AI, London, founded 2018-2022. 100 results max.',
    {
      filters: [
        'industry: Artificial Intelligence',
        'place: London',
        'headcount: 10 to 50',
        'founded: 2018 to 2022',
      ],
      count: 100,
    },
  ],
  [
    '"Nordwind Logistik" and "Talpath Construction" – get me their websites',
    { filters: ['company name: Nordwind Logistik or Talpath Construction'], columns: ['website'] },
  ],
  [
    'decision makers in procurement at automotive suppliers in Bavaria or Stuttgart, no interns',
    {
      filters: [
        'industry: Automotive',
        'place: Bavaria or Stuttgart',
        'role: Decision maker in Procurement',
        'not role: Intern',
      ],
      entity: 'person',
    },
  ],
  [
    'profitable agencies in Manchester that sell to banks',
    {
      filters: ['industry: Marketing & Advertising', 'place: Manchester'],
      lost: ['profitable', 'that sell to banks'],
    },
  ],
  [
    "I'm looking for edtech companies, but not in India or China, without VC funding, between 1990 and 2005",
    {
      filters: [
        'industry: Education Technology',
        'founded: 1990 to 2005',
        'not place: India or China',
        'not funding stage: Pre-seed or Seed or Series A or Series B or Series C or Series D+',
      ],
    },
  ],
];

describe('prompts written by hand', () => {
  for (const [prompt, expected] of CASES)
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

  it('gives rows that honour every stated filter', async () => {
    for (const [prompt] of CASES) {
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

describe('a plan', () => {
  it('is plain JSON and says in words what it searched and what it did not understand', async () => {
    const made = await plan('20 fintech companies in Berlin funded by Sequoia');
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
    expect(describePlan(made)).toBe(
      'Searched the directory for up to 20 companies (industry: Fintech; place: Berlin). Not understood, and so not applied: “funded by Sequoia”.',
    );
  });

  it('carries a conversation on: new words replace what was said of the same attribute', async () => {
    const first = await plan('20 fintech companies in Berlin');
    const second = await plan('now only those in Paris, and add revenue', { previousPlan: first });
    expect(second.companies.industries).toEqual(['fintech']);
    expect(second.companies.places?.map(({ name }) => name)).toEqual(['Paris']);
    expect(second.count).toBe(20);
    expect(second.columns.map(({ key }) => key)).toContain('revenue_usd');
  });

  it('maps the columns of both forms of an output contract, and names one that nobody can fill', async () => {
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

  it('reports an address that it does not know instead of searching its halves', async () => {
    const { companies, notUnderstood } = await plan('insurance firms in Paris, Texas');
    expect(companies).toEqual({ industries: ['insurance'] });
    expect(notUnderstood).toEqual(['in Paris, Texas']);
  });

  it('never throws, whatever the text', async () => {
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
      await expect(plan(prompt)).resolves.toMatchObject({ version: 1 });
  });
});
