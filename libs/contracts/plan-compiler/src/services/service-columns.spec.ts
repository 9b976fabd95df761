import { describe, expect, it } from '@jest/globals';
import {
  emptyIntent,
  readOutputContract,
  type IntentColumn,
  type PlanIntent,
  type TableProfile,
} from '@quarry/plan';
import { compilePlan } from '../compile/compile-plan.js';
import { intentFaults } from '../intent/intent-faults.js';
import { priceOf, serviceCalls } from './service-calls.js';

const ORIGIN = { required: false, fragments: [], from: 'user' } as const;
const by = (service: string, more: object = {}, key?: string): IntentColumn => ({
  source: { from: 'service', service, ...more },
  ...(key === undefined ? {} : { key }),
  ...ORIGIN,
});
const TABLE: TableProfile = {
  id: 'tbl_1',
  name: 'Firms',
  rowCount: 1,
  values: {},
  columns: [
    { key: 'site', name: 'Site', kind: 'domain' },
    { key: 'note', name: 'Note', kind: 'text' },
  ],
};
const CONTRACT = readOutputContract({
  tables: [
    {
      key: 'out',
      columns: [{ key: 'name' }, { key: 'verdict', kind: 'text' }, { key: 'mail', kind: 'email' }],
    },
  ],
}).tables[0]!;

interface Beside {
  entity?: PlanIntent['entity'];
  table?: TableProfile | null;
  output?: typeof CONTRACT | null;
}
const intentOf = (
  columns: readonly IntentColumn[],
  { entity = 'company', table, output }: Beside = {},
): PlanIntent => ({
  ...emptyIntent(entity, {
    source: table ? { kind: 'table', table_id: table.id } : { kind: 'directory' },
    output_table: output?.key ?? null,
  }),
  columns,
});
const faultsOf = (columns: readonly IntentColumn[], beside: Beside = {}) =>
  intentFaults(intentOf(columns, beside), {
    prompt: '',
    output: beside.output ?? null,
    table: beside.table ?? null,
  });
function planOf(columns: readonly IntentColumn[], beside: Beside = {}) {
  expect(faultsOf(columns, beside)).toEqual([]);
  const { table = null, output = null } = beside;
  return compilePlan(intentOf(columns, beside), { output, table });
}
const levelsOf = (columns: readonly IntentColumn[], beside: Beside = {}) =>
  serviceCalls(planOf(columns, beside).columns).map((level) => level.map(({ key }) => key));

describe('columns filled by services', () => {
  it('are ordered by their dependencies, whatever order they are requested in', () => {
    const columns = [
      by('verifyEmail', { inputs: { email: 'mail' } }, 'verdict'),
      by('findEmailPattern', { inputs: { domain: 'found' }, field: 'examples.0' }, 'mail'),
      by('detectTech', { inputs: { domain: 'site' } }, 'tech'),
      by('findDomain', { inputs: { company: 'note' } }, 'found'),
    ];
    expect(levelsOf(columns, { table: TABLE })).toEqual([['tech', 'found'], ['mail'], ['verdict']]);
    expect(planOf(columns, { table: TABLE })).toMatchObject({ limit: 100 });
  });

  it('share one call, and its price, if service and inputs are the same', () => {
    const inputs = { inputs: { domain: 'domain' } };
    const { columns } = planOf([
      by('enrichCompany', inputs),
      by('enrichCompany', { ...inputs, field: 'headcount' }),
      by('enrichCompany', { inputs: { name: 'name' } }, 'by_name'),
    ]);
    const [level, ...more] = serviceCalls(columns);
    expect(more).toEqual([]);
    expect(level!.map(({ columns: filled }) => filled.map(({ key, field }) => [key, field]))).toEqual([
      [
        ['enrich_company_name', 'name'],
        ['enrich_company_headcount', 'headcount'],
      ],
      [['by_name', 'name']],
    ]);
    expect(level!.map(priceOf)).toEqual([1000, 1000]);
  });

  it.each<[string, object, number]>([
    [
      'webResearch',
      { inputs: { question: { value: 'Who leads {{name}}?' }, effort: { value: 'high' } } },
      12_000,
    ],
    ['webResearch', { inputs: { question: { value: 'Who leads {{name}}?' } } }, 6000],
    ['searchPeople', { inputs: { company_domains: { value: ['{{domain}}'] }, limit: { value: 2 } } }, 500],
    ['verifyEmail', { inputs: { email: { value: 'info@{{domain}}' } } }, 200],
    // A value from the row is unknown.
    ['webResearch', { inputs: { question: { value: 'Who?' }, effort: 'name' } }, 12_000],
    ['webResearch', { inputs: { question: { value: 'Who?' }, effort: { value: '{{name}}' } } }, 12_000],
    ['searchPeople', { inputs: { company_domains: { value: ['a.example'] }, limit: 'headcount' } }, 25_000],
  ])('cost what %s costs with the given constants', (service, source, price) => {
    expect(serviceCalls(planOf([by(service, source)]).columns)[0]!.map(priceOf)).toEqual([price]);
  });

  it('read default input columns if the intent names none', () => {
    const inputsOf = (service: string, beside: Beside, ...others: IntentColumn[]) =>
      planOf([by(service), ...others], beside).columns.find(
        ({ source }) => source.from === 'service' && source.service === service,
      )!.source;
    expect(inputsOf('enrichCompany', {})).toMatchObject({
      inputs: { domain: 'domain', linkedin_url: 'linkedin_url', name: 'name' },
    });
    expect(inputsOf('enrichCompany', { entity: 'person' })).toMatchObject({
      inputs: { domain: 'company_domain', linkedin_url: 'company_linkedin_url', name: 'company_name' },
    });
    expect(inputsOf('domainInfo', { table: TABLE })).toMatchObject({ inputs: { domain: 'site' } });
    expect(inputsOf('verifyEmail', { entity: 'person' }, by('getEmail'))).toMatchObject({
      inputs: { email: 'email' },
    });
    // A lookup of people uses the known data of the person.
    expect(inputsOf('getEmail', { entity: 'person' })).toEqual({ from: 'service', service: 'getEmail' });
  });

  it('recognise input columns of text by their names', () => {
    const columns = ['Company', 'Website', 'Full name', 'Notes'].map((name) => ({
      key: name.toLowerCase().replace(' ', '_'),
      name,
      kind: 'text' as const,
    }));
    const table = { ...TABLE, columns };
    const inputsOf = (service: string) => planOf([by(service)], { table }).columns.at(-1)!.source;
    expect(inputsOf('detectTech')).toMatchObject({ inputs: { domain: 'website' } });
    expect(inputsOf('findLinkedInUrl')).toMatchObject({ inputs: { name: 'full_name', company: 'company' } });
    expect(inputsOf('enrichCompany')).toMatchObject({ inputs: { domain: 'website', name: 'company' } });
    const profile = { key: 'linkedin_url', name: 'LinkedIn', kind: 'linkedin_url' as const };
    const page = { key: 'page', name: 'Company LinkedIn', kind: 'text' as const };
    const companyOf = (...more: Array<typeof profile | typeof page>) =>
      planOf([by('enrichCompany')], { table: { ...table, columns: [...columns, ...more] } }).columns.at(-1)!
        .source;
    expect(companyOf(profile)).toEqual(inputsOf('enrichCompany'));
    expect(companyOf(profile, page)).toMatchObject({ inputs: { linkedin_url: 'page' } });
    const people = { ...TABLE, columns: [page] };
    expect(planOf([by('getLinkedInUserComments')], { table: people }).columns.at(-1)!.source).toMatchObject({
      inputs: { linkedin_url: 'page' },
    });
    const firms = { ...TABLE, columns: [{ key: 'company_name', name: '', kind: 'text' as const }] };
    expect(planOf([by('findDomain')], { table: firms }).columns.at(-1)!.source).toMatchObject({
      inputs: { company: 'company_name' },
    });
    expect(planOf([by('findLinkedInUrl')], { table: firms }).columns.at(-1)!.source).toMatchObject({
      inputs: { name: 'company_name' },
    });
  });

  it('have key, name and kind of their content, or a given key', () => {
    const { columns } = planOf([
      by('domainInfo', { field: 'mx.0.host' }),
      by('domainInfo', { field: 'nameservers' }),
      by('domainInfo', { field: 'has_website' }),
      by('webResearch', { inputs: { question: { value: 'A?' } } }),
      by('webResearch', { inputs: { question: { value: 'B?' } } }),
      by('findSocials', {}, 'domain'),
    ]);
    const shown = columns.map(({ key, name, kind }) => [key, name, kind]);
    expect(shown).toEqual(
      expect.arrayContaining([
        ['domain_info_mx_0_host', 'Domain info mx 0 host', 'text'],
        ['domain_info_nameservers', 'Domain info nameservers', 'list'],
        ['domain_info_has_website', 'Domain info has website', 'boolean'],
        ['web_research_answer', 'Web research answer', 'text'],
        ['web_research_answer_2', 'Web research answer 2', 'text'],
        ['domain', 'Domain', 'linkedin_url'],
      ]),
    );
    // It replaces the default column with that key.
    expect(columns.filter(({ key }) => key === 'domain')).toHaveLength(1);
  });

  it('fill columns of the output contract, and read each other by its keys', () => {
    const columns = [by('verifyEmail', { inputs: { email: 'mail' } }, 'verdict')];
    const plan = planOf(columns, { entity: 'person', output: CONTRACT });
    // Only the contract requests the e-mail column, and its kind determines the source.
    expect(plan.columns.map(({ key, source }) => [key, source.from])).toEqual([
      ['name', 'directory'],
      ['verdict', 'service'],
      ['mail', 'service'],
    ]);
    expect(serviceCalls(plan.columns).map((level) => level.map(({ key }) => key))).toEqual([
      ['mail'],
      ['verdict'],
    ]);
  });
});

describe('an error in a service column', () => {
  it.each<[string, IntentColumn[], Beside, string]>([
    ['an unknown service', [by('tellFortune')], {}, 'columns.0.source.service: '],
    [
      'an unknown input',
      [by('verifyEmail', { inputs: { mail: 'x' } })],
      {},
      'columns.0.source.inputs.mail: verifyEmail takes email',
    ],
    ['a missing input', [by('verifyEmail')], {}, 'columns.0.source.inputs.email: verifyEmail needs it'],
    [
      'no input at all',
      [by('enrichCompany', { inputs: {} })],
      {},
      'columns.0.source.inputs: must name one or more of domain',
    ],
    [
      'an unknown field',
      [by('domainInfo', { field: 'mx.0.mood' })],
      {},
      'columns.0.source.field: the answer of domainInfo has no "mx.0.mood"',
    ],
    [
      'an unknown key',
      [by('domainInfo', { inputs: { domain: 'shoe' } })],
      {},
      'columns.0.source.inputs.domain: rows have no "shoe"',
    ],
    [
      'an unknown key in a text',
      [by('verifyEmail', { inputs: { email: { value: 'a@{{shoe}}' } } })],
      {},
      'columns.0.source.inputs.email: rows have no "shoe"',
    ],
    [
      'a constant that the service does not accept',
      [by('webResearch', { inputs: { question: { value: 'x' }, effort: { value: 'vast' } } })],
      {},
      'columns.0.source.inputs.effort.value: ',
    ],
    [
      'a circle',
      [
        by('verifyEmail', { inputs: { email: 'b' } }, 'a'),
        by('findDomain', { inputs: { company: 'a' } }, 'b'),
      ],
      {},
      'columns.0.source.inputs: columns read each other in a circle: a → b → a',
    ],
    [
      'a key used by two columns',
      [by('domainInfo', {}, 'a'), by('detectTech', {}, 'a')],
      {},
      'columns.1.key: another column has the key "a"',
    ],
    [
      'a key that is not in the contract',
      [by('domainInfo', {}, 'a')],
      { output: CONTRACT },
      'columns.0.key: the output contract has no column "a"',
    ],
    [
      'a lookup of a person on rows of companies',
      [by('getEmail')],
      {},
      'columns.0.source: rows of a company have no email',
    ],
  ])('reports its path: %s', (_, columns, beside, fault) => {
    expect(faultsOf(columns, beside)).toEqual([expect.stringContaining(fault)]);
  });
});
