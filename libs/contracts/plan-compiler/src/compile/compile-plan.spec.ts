import { describe, expect, it } from '@jest/globals';
import { COMPANY_FILTERS, companyMatches, type CompanyRecord } from '@quarry/directory';
import {
  emptyIntent,
  PLAN_INTENT,
  readOutputContract,
  type DirectoryFilter,
  type PlanIntent,
  type ContractTable,
  type TableProfile,
} from '@quarry/plan';
import { COUNTRIES, countryPlace, INDUSTRIES } from '@quarry/vocabulary';
import fc from 'fast-check';
import { intentFaults } from '../intent/intent-faults.js';
import { meetsFilters } from '../selection/filters-honoured.js';
import { compilePlan } from './compile-plan.js';
import { intentFilters } from './directory-filters.js';
import { recordValues, rowValues } from './record-values.js';

const ORIGIN = { fragments: ['so'], from: 'prompt' } as const;
const intent = (change: Partial<PlanIntent> = {}): PlanIntent => ({
  ...emptyIntent('company', { source: { kind: 'directory' }, output_table: null }),
  ...change,
});
const compile = (change: Partial<PlanIntent>, output: ContractTable | null = null) =>
  compilePlan(intent(change), { output, table: null });
const contract = (table: Record<string, unknown>): ContractTable =>
  readOutputContract({ tables: [{ key: 'out', columns: [{ key: 'name' }], ...table }] }).tables[0]!;

const accounts: TableProfile = {
  id: 'tbl_1',
  name: 'Accounts',
  rowCount: 2,
  columns: [
    { key: 'firm', name: 'Company', kind: 'text' },
    { key: 'seats', name: 'Seats', kind: 'number' },
    { key: 'mail', name: '', kind: 'email' },
  ],
  values: {},
};
const overTable = (change: Partial<PlanIntent>, output: ContractTable | null = null) =>
  compilePlan(intent({ source: { kind: 'table', table_id: 'tbl_1' }, ...change }), {
    output,
    table: accounts,
  });

describe('the columns of a plan', () => {
  it('of people have the name of the person where a contract says name, and that of the company where it says so', () => {
    const keys = ['name', 'full_name', 'company', 'company_name'];
    const wanted = contract({ entity: 'person', columns: keys.map((key) => ({ key })) });
    const { columns } = compile({ entity: 'person', output_table: 'out' }, wanted);
    const sources = columns.map(({ source }) => (source.from === 'directory' ? source.attribute : null));
    expect(sources).toEqual(['full_name', 'full_name', 'company_name', 'company_name']);
  });

  it('have values of the JSON type that their kind defines, also where a contract chooses the kind', () => {
    const columns = ['headcount', 'is_hiring', 'keywords', 'city'].map((key) => ({ key, kind: 'text' }));
    const plan = compile({ output_table: 'out' }, contract({ columns: [...columns, { key: 'staff' }] }));
    const record = { headcount: 12, is_hiring: true, keywords: ['a', 'b'], city: null };
    expect(rowValues(plan.columns, record)).toEqual({
      headcount: '12',
      is_hiring: 'true',
      keywords: 'a; b',
      city: null,
      staff: 12,
    });
  });

  it('are the default ones, those of filters and the requested ones, without removed ones', () => {
    const { columns } = compile({
      filters: intentFilters('company', { ownerships: ['public'] }, () => ORIGIN),
      columns: [
        { source: { from: 'directory', attribute: 'description' }, required: true, ...ORIGIN },
        { source: { from: 'directory', attribute: 'name' }, required: true, ...ORIGIN },
      ],
      hidden: [{ key: 'domain', ...ORIGIN }],
    });
    const keys = columns.map(({ key }) => key);
    expect(keys.slice(0, 2)).toEqual(['name', 'industry']);
    expect(keys.slice(-2)).toEqual(['ownership', 'description']);
    expect(columns.flatMap(({ key, required }) => (required ? key : []))).toEqual(['name', 'description']);
  });

  it('are only those of the output contract, filled as the intent says or else by their names', () => {
    const output = contract({
      columns: [{ key: 'firm', name: 'Company name' }, { key: 'size' }, { key: 'shoe' }],
    });
    const source = { from: 'directory', attribute: 'headcount' } as const;
    const plan = compile({ columns: [{ source, key: 'size', required: false, ...ORIGIN }] }, output);
    expect(plan.columns.map(({ key, source: from }) => [key, from])).toEqual([
      ['firm', { from: 'directory', attribute: 'name' }],
      ['size', source],
      ['shoe', { from: 'nothing' }],
    ]);
    expect(plan.notUnderstood).toEqual(['column shoe']);
  });

  it('over a table are its own or the listed ones; a lookup keeps its input mapping', () => {
    expect(overTable({}).columns.map(({ key, name }) => [key, name])).toEqual([
      ['firm', 'Company'],
      ['seats', 'Seats'],
      ['mail', 'mail'],
    ]);
    const source = { from: 'service', service: 'getPhoneNumber', inputs: { company: 'firm' } } as const;
    const plan = overTable({
      entity: 'person',
      columns: [
        { source: { from: 'table', column: 'firm' }, required: false, ...ORIGIN },
        { source, required: false, ...ORIGIN },
      ],
    });
    expect(plan.columns.map(({ key, source: from }) => [key, from])).toEqual([
      ['firm', { from: 'table', column_key: 'firm' }],
      ['phone', source],
    ]);
  });

  it('report a lookup for which the output contract has no column', () => {
    const source = { from: 'service', service: 'getPhoneNumber' } as const;
    const plan = overTable(
      { entity: 'person', columns: [{ source, required: false, ...ORIGIN }] },
      contract({ columns: [{ key: 'firm' }] }),
    );
    expect(plan.notUnderstood).toEqual(['column phone']);
  });
});

describe('size and name of a table', () => {
  it.each([
    [null, null, 1000],
    [20, null, 20],
    [20, 5, 5],
    [null, 5, 5],
    [3, 5, 3],
  ])('for %p requested and %p allowed rows are limited to %p', (wanted, max_rows, limit) => {
    const count = wanted === null ? null : { value: wanted, ...ORIGIN };
    expect(compile({ count }, contract(max_rows === null ? {} : { max_rows })).limit).toBe(limit);
  });

  it.each([
    [4, null, { companiesMax: null, peopleMax: null }, { companies_max: 4, per_company: 5, limit: 20 }],
    [4, 2, { companiesMax: 3, peopleMax: 9 }, { companies_max: 3, per_company: 2, limit: 6 }],
    [null, null, { companiesMax: 30, peopleMax: 1 }, { companies_max: 30, per_company: 1, limit: 30 }],
    [null, 9, { companiesMax: null, peopleMax: 3 }, { per_company: 3, limit: 1000 }],
  ])(
    'for %p companies and %p people of each, with the limits %j of a schema',
    (wanted, cap, byCompany, limits) => {
      const output = { ...contract({ entity: 'person' }), byCompany };
      const [count, per_company] = [wanted, cap].map((value) =>
        value === null ? null : { value, ...ORIGIN },
      );
      const plan = compile({ entity: 'person', output_table: 'out', count, per_company }, output);
      const { companies_max, limit } = plan;
      expect({ companies_max, per_company: plan.per_company, limit }).toEqual(limits);
      expect(plan.count).toBeNull();
      // By their domain, companies of the same name are told apart.
      expect(plan.columns.map(({ key }) => key)).toContain('company_domain');
    },
  );

  it('are those of companies in a follow-up, too, where another number replaces that of the schema', () => {
    const byCompany = { companiesMax: 3, peopleMax: 2 };
    const earlier = { ...contract({ entity: 'person' }), byCompany };
    const follow = (change: Partial<PlanIntent>) =>
      compilePlan(intent({ continues: true, entity: 'person', ...change }), {
        output: null,
        earlier,
        table: null,
      });
    expect(follow({})).toMatchObject({ companies_max: 3, per_company: 2, limit: 6 });
    expect(follow({ count: { value: 8, ...ORIGIN } })).toMatchObject({ companies_max: 8, limit: 16 });
    expect(follow({ entity: 'company' }).companies_max).toBeUndefined();
  });

  it('are one of each company, with the role of the schema unless the prompt names one', () => {
    const byCompany = { companiesMax: 3, peopleMax: 1, contact: { role: 'ceo' } };
    const column = { name: null, kind: null, required: false, qualification: {} };
    const columns = [
      { ...column, key: 'name', spoken: 'company name' },
      { ...column, key: 'ceo_name', spoken: 'name' },
    ];
    const output = { ...contract({ entity: 'person' }), byCompany, columns };
    const plan = compile({ entity: 'person', output_table: 'out' }, output);
    expect(plan).toMatchObject({ companies_max: 3, per_company: 1, limit: 3 });
    expect(plan.people.roles).toEqual([expect.objectContaining({ name: 'CEO', seniorities: ['c_level'] })]);
    expect(plan.columns.map(({ key, source }) => [key, source])).toEqual([
      ['name', { from: 'directory', attribute: 'company_name' }],
      ['ceo_name', { from: 'directory', attribute: 'full_name' }],
    ]);
    const value = [{ name: 'Owner', seniorities: ['founder'], departments: [], title_words: [] }] as const;
    const role = { of: 'person', filter: 'roles', op: 'any_of', value, ...ORIGIN } as const;
    const named = compile({ entity: 'person', output_table: 'out', filters: [role] }, output);
    expect(named.people.roles).toEqual([expect.objectContaining({ name: 'Owner' })]);
  });

  it('of a table read has no more people than the output lists in its companies', () => {
    const limitWith = (companiesMax: number | null) =>
      overTable({}, { ...contract({ entity: 'person' }), byCompany: { companiesMax, peopleMax: 3 } }).limit;
    expect([2, 1_000, null].map(limitWith)).toEqual([6, 1_000, 1_000]);
  });

  it('have a lower limit with a paid column', () => {
    const source = { from: 'service', service: 'getEmail' } as const;
    expect(compile({ entity: 'person', columns: [{ source, required: false, ...ORIGIN }] }).limit).toBe(100);
  });

  it('come from the contract first, then from the prompt', () => {
    const name = { value: 'Spring', ...ORIGIN };
    expect(compile({ name }, contract({ name: 'Ours' })).table).toEqual({ key: 'out', name: 'Ours' });
    expect(compile({ name }, contract({})).table).toEqual({ key: 'out', name: 'Spring' });
    expect(compile({ name }).table).toEqual({ key: 'companies', name: 'Spring' });
    expect(overTable({}).table).toEqual({ key: 'rows', name: 'Accounts (selection)' });
  });

  it('keep the shape of the previous contract if a change has none of its own', () => {
    const earlier = contract({ name: 'Ours', max_rows: 7 });
    const compiled = (continues: boolean) =>
      compilePlan(intent({ continues }), { output: null, earlier, table: null });
    expect(compiled(true)).toMatchObject({
      limit: 7,
      table: { key: 'out', name: 'Ours' },
      columns: [{ key: 'name' }],
    });
    expect(compiled(false).table.key).toBe('companies');
  });
});

describe('an empty plan', () => {
  const source = { kind: 'nothing', reason: 'no_rows_described' } as const;

  it('makes no table, or one without rows for an output contract', () => {
    expect(compile({ source }).isEmpty).toBe(true);
    const wanted = compile({ source }, contract({}));
    expect([wanted.isEmpty, wanted.count, wanted.limit]).toEqual([undefined, 0, 0]);
    expect(wanted.notes.join()).toContain('nothing was searched');
    expect(compile({ source: { kind: 'nothing', reason: 'unknown_table' } })).toMatchObject({
      count: 0,
      limit: 0,
    });
  });
});

describe('criteria', () => {
  it('have a check if their conditions are known, and none if they remained words', () => {
    const filters = intentFilters('company', { headcount: [{ min: 50, max: 200 }] }, () => ORIGIN);
    const { criteria, notUnderstood } = compile(
      {
        criteria: [
          { effect: 'exclude', column: null, conditions: { filters: [], exclusions: [filters] }, ...ORIGIN },
          { effect: 'prefer', column: null, conditions: null, fragments: ['a blue logo'], from: 'prompt' },
          {
            effect: 'require',
            column: 'fits',
            conditions: { filters, exclusions: [] },
            fragments: [],
            from: 'output',
          },
        ],
      },
      contract({
        columns: [
          { key: 'fits', qualification: { criterion: 'Has 50 to 200 staff', effect: 'require' } },
          { key: 'nice', qualification: { criterion: 'Is nice', effect: 'prefer' } },
        ],
      }),
    );
    expect(
      criteria.map(({ column_key, criterion, test }) => [column_key, criterion, test?.negate ?? null]),
    ).toEqual([
      ['headcount', 'not headcount: 50 to 200', true],
      ['prompt', 'a blue logo', null],
      ['fits', 'Has 50 to 200 staff', false],
      ['nice', 'Is nice', null],
    ]);
    expect(notUnderstood).toEqual(['Is nice']);
  });
});

const rows = [
  { firm: 'Oak', seats: 5, mail: null },
  { firm: 'Fir Labs', seats: 4.2, mail: 'a@b.example' },
  { firm: null, seats: null, mail: '' },
];

describe('filters on the columns of a table', () => {
  const firms = (filters: PlanIntent['filters'], exclusions: PlanIntent['exclusions'] = []) => {
    const { predicates } = overTable({ filters, exclusions });
    return [
      predicates.map(({ text }) => text),
      rows.filter((row) => meetsFilters(row, predicates)).map(({ firm }) => firm),
    ];
  };

  it('match what their description says', () => {
    expect(firms([{ column: 'firm', op: 'one_of', value: ['oak', 'elm'], ...ORIGIN }])).toEqual([
      ['Company: oak or elm'],
      ['Oak'],
    ]);
    expect(
      firms([{ column: 'firm', op: 'has_words', value: ['lab', 'labs'], is_not: true, ...ORIGIN }]),
    ).toEqual([['Company: not lab'], ['Oak', null]]);
    expect(
      firms([{ column: 'seats', op: 'number', value: [{ min: 4, max: null, is_open: true }], ...ORIGIN }]),
    ).toEqual([['Seats: above 4'], ['Oak', 'Fir Labs']]);
    expect(firms([], [[{ column: 'mail', op: 'filled', is_not: true, ...ORIGIN }]])).toEqual([
      ['not mail: empty'],
      ['Fir Labs'],
    ]);
    const either = [
      { column: 'mail', op: 'filled' },
      { column: 'firm', op: 'starts_with', value: ['o'] },
    ] as const;
    expect(firms([{ either, ...ORIGIN }])).toEqual([
      ['mail: not empty or Company: starts with o'],
      ['Oak', 'Fir Labs'],
    ]);
  });
});

const filterValues = fc.record(
  {
    industries: fc.subarray(
      INDUSTRIES.map(({ id }) => id),
      { minLength: 1, maxLength: 4 },
    ),
    places: fc.subarray(COUNTRIES.map(countryPlace), { minLength: 1, maxLength: 4 }),
    headcount: fc
      .tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 500 }))
      .map(([min, more]) => [{ min, max: min + more }]),
    is_hiring: fc.boolean(),
  },
  { requiredKeys: [] },
);
const company = fc.record({
  industry: fc.constantFrom(...INDUSTRIES),
  country: fc.constantFrom(...COUNTRIES),
  headcount: fc.integer({ min: 1, max: 1000 }),
  is_hiring: fc.boolean(),
});

describe('every intent over the directory', () => {
  const intents = fc.tuple(
    filterValues,
    fc.array(
      filterValues.filter((one) => Object.keys(one).length > 0),
      { maxLength: 2 },
    ),
  );
  const intentOf = ([wanted, ruledOut]: readonly [object, readonly object[]]) =>
    intent({
      filters: intentFilters('company', wanted, () => ORIGIN),
      exclusions: ruledOut.map((group) => intentFilters('company', group, () => ORIGIN)),
    });

  it('is valid, survives JSON, and always gives the same plan', () => {
    fc.assert(
      fc.property(intents, (values) => {
        const made = intentOf(values);
        expect(intentFaults(made, { prompt: 'so', output: null, table: null })).toEqual([]);
        const read = PLAN_INTENT.parse(JSON.parse(JSON.stringify(made)));
        expect(compilePlan(read, { output: null, table: null })).toEqual(
          compilePlan(made, { output: null, table: null }),
        );
      }),
    );
  });

  it('filters the directory exactly as its checks filter rows', () => {
    fc.assert(
      fc.property(intents, company, (values, { industry, country, headcount, is_hiring }) => {
        const record = {
          ...Object.fromEntries(
            COMPANY_FILTERS.flatMap(({ attributes }) => attributes.map(({ key }) => [key, null])),
          ),
          industry_id: industry.id,
          industry: industry.name,
          country: country.name,
          headcount,
          is_hiring,
        } as unknown as CompanyRecord;
        const plan = compilePlan(intentOf(values), { output: null, table: null });
        expect(meetsFilters(recordValues(record), plan.predicates)).toBe(
          companyMatches(record, plan.companies),
        );
      }),
    );
  });

  it('does not depend on the order of its filters', () => {
    fc.assert(
      fc.property(filterValues, (values) => {
        const filters: readonly DirectoryFilter[] = intentFilters('company', values, () => ORIGIN);
        expect(compile({ filters: [...filters].reverse() })).toEqual(compile({ filters }));
      }),
    );
  });
});
