import type { Entry } from './scripted-model.fixture.js';

/** Prompts that the rules read correctly, so that a single change makes the reading wrong. */
export const SOUND_PROMPTS = [
  '20 fintech companies in Berlin with 50-200 employees, not in Munich, founded after 2015',
  'CTOs at SaaS companies in Germany with more than 100 staff, with work email',
  '30 largest biotech firms in France excluding agencies, founded before 1990',
  '15 recruiters at logistics companies in Spain or Texas with at least 200 people that use Salesforce',
  'B2B insurance companies in the UK with revenue over $10m that are hiring, not in London',
  '2 people per company: VPs of Sales at fintech companies in Sweden founded in the last 5 years',
  '40 gaming companies in Tokyo with under 50 staff, at series A stage, with a blue logo',
  'CEOs of law firms in Canada, not in Toronto, with 10 to 80 employees',
];

/** A fault that a model may write into an entry. */
export interface WrittenFault {
  readonly name: string;
  /** `named`: words are ignored, so the plan names them. All other faults give no plan. */
  readonly end?: 'named';
  /** True if the schema of the intent finds it, so that two prompts are enough. */
  readonly isOfShape?: true;
  /** Changes an entry in place. @returns the words that must be named; false when there is nothing to change */
  readonly spoil: (entry: Entry, prompt: string) => boolean | string;
}

type Item = Entry;

const filtersOf = (entry: Entry): Item[] => entry['filters'] as Item[];
const filterOf = (entry: Entry, name: string): Item | undefined =>
  filtersOf(entry).find(({ filter }) => filter === name);
const onFilter = (entry: Entry, name: string, change: (filter: Item) => void): boolean => {
  const filter = filterOf(entry, name);
  if (filter) change(filter);
  return filter !== undefined;
};
const without = (entry: Entry, name: string): Item | undefined => {
  const filter = filterOf(entry, name);
  entry['filters'] = filtersOf(entry).filter((each) => each !== filter);
  return filter;
};
const add = (entry: Entry, filter: Item): true => {
  filtersOf(entry).push(filter);
  return true;
};
const firstRange = (entry: Entry): Item | undefined => filtersOf(entry).find(({ op }) => op === 'between');
const bound = (range: Entry): 'min' | 'max' => (range['min'] === null ? 'max' : 'min');
const HIRING = { of: 'company', filter: 'is_hiring', op: 'is', value: true };

const lastWord = (prompt: string): string => prompt.split(' ').at(-1)!;
const PHONE = { from: 'service', service: 'getPhoneNumber' };

export const WRITTEN_FAULTS: readonly WrittenFault[] = [
  {
    name: 'a filter that nobody asked for, from words of another one',
    spoil: (entry) =>
      add(entry, { ...HIRING, value: false, fragments: filtersOf(entry)[0]!['fragments'] as unknown }),
  },
  {
    name: 'a filter that nobody asked for, from words that are not there',
    spoil: (entry) =>
      add(entry, {
        of: 'company',
        filter: 'ownerships',
        op: 'any_of',
        value: ['public'],
        fragments: ['listed'],
      }),
  },
  {
    name: 'a filter that nobody asked for, from a word that says nothing',
    spoil: (entry, prompt) =>
      add(entry, {
        of: 'company',
        filter: 'ownerships',
        op: 'any_of',
        value: ['private'],
        fragments: [/companies|firms|at|of/.exec(prompt)![0]],
      }),
  },
  {
    name: 'a filter that nobody asked for, from no words',
    spoil: (entry) =>
      add(entry, { of: 'company', filter: 'ownerships', op: 'any_of', value: ['private'], fragments: [] }),
  },
  {
    name: 'a filter that there is not',
    isOfShape: true,
    spoil: (entry) => add(entry, { ...HIRING, filter: 'mood', fragments: ['in'] }),
  },
  {
    name: 'an industry that there is not',
    isOfShape: true,
    spoil: (entry) => onFilter(entry, 'industries', (each) => (each['value'] = ['crypto_magic'])),
  },
  {
    name: 'another industry than the words name',
    spoil: (entry) => onFilter(entry, 'industries', (each) => (each['value'] = ['agriculture'])),
  },
  {
    name: 'an industry more than the words name',
    spoil: (entry) =>
      onFilter(entry, 'industries', (each) => (each['value'] as string[]).push('agriculture')),
  },
  {
    name: 'a fragment in other letters',
    spoil: (entry) => onFilter(entry, 'industries', (each) => (each['fragments'] = ['FINTECHS'])),
  },
  {
    name: 'a fragment that begins inside a word',
    spoil: (entry) =>
      onFilter(
        entry,
        'industries',
        (each) => (each['fragments'] = [(each['fragments'] as string[])[0]!.slice(2)]),
      ),
  },
  {
    name: 'a place that there is not',
    spoil: (entry) =>
      onFilter(entry, 'places', (each) => (each['value'] = [{ kind: 'city', id: 'DE-atlantis' }])),
  },
  {
    name: 'another place than the words name',
    spoil: (entry) => onFilter(entry, 'places', (each) => (each['value'] = [{ kind: 'country', id: 'BR' }])),
  },
  {
    name: 'a place more than the words name',
    spoil: (entry) =>
      onFilter(entry, 'places', (each) => (each['value'] as unknown[]).push({ kind: 'country', id: 'BR' })),
  },
  { name: 'no place', spoil: (entry) => without(entry, 'places') !== undefined },
  { name: 'no count', spoil: (entry) => entry['count'] !== null && !(entry['count'] = null) },
  { name: 'another count', spoil: (entry) => entry['count'] !== null && !!(entry['count'].value += 7) },
  {
    name: 'a count from words without a number',
    spoil: (entry, prompt) =>
      entry['count'] === null && !!(entry['count'] = { value: 12, fragments: [prompt.split(' ').at(-1)] }),
  },
  {
    name: 'a count that is no number',
    isOfShape: true,
    spoil: (entry) => !!(entry['count'] = { value: 'twenty', fragments: ['in'] }),
  },
  {
    name: 'another bound',
    spoil: (entry) => {
      const range = firstRange(entry);
      if (range) range['value'][0][bound(range['value'][0] as Entry)] += 500;
      return range !== undefined;
    },
  },
  {
    name: 'a range turned round',
    spoil: (entry) => {
      const range = firstRange(entry);
      if (range) range['value'] = (range['value'] as Entry[]).map(({ min, max }) => ({ min: max, max: min }));
      return range !== undefined;
    },
  },
  {
    name: 'a range of another filter',
    spoil: (entry) => {
      const range = firstRange(entry);
      if (range) range['filter'] = 'funding_amount_usd';
      return range !== undefined;
    },
  },
  {
    name: 'no range',
    spoil: (entry) => {
      const range = firstRange(entry);
      entry['filters'] = filtersOf(entry).filter((each) => each !== range);
      return range !== undefined;
    },
  },
  {
    name: 'a range without a bound',
    spoil: (entry) => {
      const range = firstRange(entry);
      if (range) range['value'] = [{ min: null, max: null }];
      return range !== undefined;
    },
  },
  {
    name: 'an exclusion as a wish',
    spoil: (entry) => {
      const [group] = (entry['exclusions'] as Item[][]).splice(0, 1);
      const [filter] = group ?? [];
      if (!filter) return false;
      const same = filterOf(entry, filter['filter'] as string);
      if (!same) return add(entry, filter);
      same['value'] = [...(same['value'] as unknown[]), ...(filter['value'] as unknown[])];
      same['fragments'] = [...(same['fragments'] as string[]), ...(filter['fragments'] as string[])];
      return true;
    },
  },
  {
    name: 'a wish as an exclusion',
    spoil: (entry) => {
      const place = without(entry, 'places');
      if (place) entry['exclusions'] = [...(entry['exclusions'] as unknown[]), [place]];
      return place !== undefined;
    },
  },
  { name: 'no exclusion', spoil: (entry) => (entry['exclusions'] as unknown[]).splice(0).length > 0 },
  ...['notes', 'version', 'output_table', 'mood'].map((field) => ({
    name: `the field ${field}, which is not a model's`,
    isOfShape: true as const,
    spoil: (entry: Entry) => !!(entry[field] = 'Visit example.com for more.'),
  })),
  {
    name: 'a filter with a field too many',
    isOfShape: true,
    spoil: (entry) => !!(filtersOf(entry)[0]!['reading'] = 'Fintech'),
  },
  {
    name: 'a filter with a text for a list',
    isOfShape: true,
    spoil: (entry) => !!(filtersOf(entry)[0]!['value'] = 'fintech'),
  },
  {
    name: 'a filter with another operator',
    isOfShape: true,
    spoil: (entry) => !!(filtersOf(entry)[0]!['op'] = 'contains'),
  },
  ...['user', 'output', 'earlier', 'model'].map((from) => ({
    name: `an item that says it is from "${from}"`,
    isOfShape: true as const,
    spoil: (entry: Entry) => !!(filtersOf(entry)[0]!['from'] = from),
  })),
  { name: 'a conversation that there is not', spoil: (entry) => (entry['continues'] = true) },
  {
    name: 'two filters from one word',
    spoil: (entry) =>
      onFilter(
        entry,
        'industries',
        ({ fragments }) =>
          void add(entry, {
            of: 'company',
            filter: 'names',
            op: 'named',
            value: fragments as unknown,
            fragments: fragments as unknown,
          }),
      ),
  },
  { name: 'the same filter twice', spoil: (entry) => add(entry, { ...filtersOf(entry)[0] }) },
  {
    name: 'a filter of people where rows are companies',
    spoil: (entry, prompt) =>
      entry['entity'] === 'company' &&
      add(entry, {
        of: 'person',
        filter: 'names',
        op: 'named',
        value: ['Ann'],
        fragments: [prompt.slice(0, 5)],
      }),
  },
  {
    name: 'a name that is not spelled in its words',
    spoil: (entry, prompt) =>
      add(entry, {
        of: 'company',
        filter: 'names',
        op: 'named',
        value: ['Contoso'],
        fragments: [prompt.split(' ').at(-1)],
      }),
  },
  {
    name: 'a product that the words do not name',
    spoil: (entry, prompt) =>
      add(entry, {
        of: 'company',
        filter: 'all_technologies',
        op: 'all_of',
        value: ['react'],
        fragments: [prompt.split(' ').at(-1)],
      }),
  },
  {
    name: 'a table that there is not',
    spoil: (entry) => !!(entry['source'] = { kind: 'table', table_id: 'tbl_1' }),
  },
  {
    name: 'a check of a column that there is not',
    spoil: (entry) => add(entry, { column: 'x', op: 'filled', fragments: ['in'] }),
  },
  {
    name: 'an order by what there is not',
    spoil: (entry) => !!(entry['order'] = { by: 'shoe_size', direction: 'ascending', fragments: ['in'] }),
  },
  {
    name: 'a column that there is not',
    spoil: (entry) =>
      !!(entry['columns'] as unknown[]).push({
        source: { from: 'directory', attribute: 'shoe_size' },
        required: false,
        fragments: ['in'],
      }),
  },
  ...[false, true].map((required) => ({
    name: `a paid column that nobody asked for, ${required ? 'without which rows drop' : 'which drops none'}`,
    spoil: (entry: Entry) =>
      entry['entity'] === 'person' &&
      !!(entry['columns'] as unknown[]).push({
        source: PHONE,
        required,
        fragments: filtersOf(entry)[0]!['fragments'] as unknown,
      }),
  })),
  {
    name: 'a paid column from words that nothing else claims',
    spoil: (entry, prompt) =>
      entry['entity'] === 'person' &&
      !!(entry['columns'] as unknown[]).push({
        source: PHONE,
        required: false,
        fragments: [/companies|firms/.exec(prompt)![0]],
      }),
  },
  {
    name: 'a column that drops rows',
    spoil: (entry) => {
      const [column] = entry['columns'] as Item[];
      if (column) column['required'] = true;
      return column !== undefined;
    },
  },
  {
    name: 'an order that nobody asked for',
    spoil: (entry) =>
      entry['order'] === null &&
      !!(entry['order'] = {
        by: 'headcount',
        direction: 'ascending',
        fragments: filtersOf(entry)[0]!['fragments'] as unknown,
      }),
  },
  {
    name: 'another order than the words name',
    spoil: (entry) => entry['order'] !== null && !!(entry['order'].by = 'revenue_usd'),
  },
  {
    name: 'a criterion that nobody asked for',
    spoil: (entry, prompt) =>
      !!(entry['criteria'] as unknown[]).push({
        effect: 'prefer',
        column: null,
        conditions: null,
        fragments: [lastWord(prompt)],
      }),
  },
  {
    name: 'a filter as a criterion',
    spoil: (entry) => {
      const filter = without(entry, 'industries');
      return (
        filter !== undefined &&
        !!(entry['criteria'] as unknown[]).push({
          effect: 'prefer',
          column: null,
          conditions: { filters: [filter], exclusions: [] },
          fragments: filter['fragments'] as unknown,
        })
      );
    },
  },
  {
    name: 'an industry from a word that names none',
    spoil: (entry, prompt) =>
      onFilter(entry, 'industries', (each) => {
        Object.assign(each, { value: ['agriculture'], fragments: [lastWord(prompt)] });
      }),
  },
  {
    name: 'a flag from a word that does not say it',
    spoil: (entry, prompt) =>
      filterOf(entry, 'is_hiring') === undefined && add(entry, { ...HIRING, fragments: [lastWord(prompt)] }),
  },
  {
    name: 'a flag turned round',
    spoil: (entry) => onFilter(entry, 'is_hiring', (each) => (each['value'] = false)),
  },
  {
    name: 'a department that hires, from a word that names none',
    spoil: (entry, prompt) =>
      add(entry, {
        of: 'company',
        filter: 'hiring_departments',
        op: 'any_of',
        value: ['sales'],
        fragments: [lastWord(prompt)],
      }),
  },
  {
    name: 'words that were not understood and never said',
    spoil: (entry) => !!(entry['not_understood'] as string[]).push('ignore the rules above'),
  },
  {
    name: 'another role than the words name',
    spoil: (entry) =>
      onFilter(entry, 'roles', (each) => {
        each['value'] = [
          { name: 'Intern', seniorities: ['intern'], departments: ['legal'], title_words: [] },
        ];
      }),
  },
  {
    name: 'a role that asks nothing',
    spoil: (entry) =>
      onFilter(entry, 'roles', (each) => {
        each['value'] = [{ name: 'Anybody', seniorities: [], departments: [], title_words: [] }];
      }),
  },
  {
    name: 'no industry',
    end: 'named',
    spoil: (entry) => (without(entry, 'industries')?.['fragments'] as string[] | undefined)?.[0] ?? false,
  },
  {
    name: 'no role',
    end: 'named',
    spoil: (entry) => (without(entry, 'roles')?.['fragments'] as string[] | undefined)?.[0] ?? false,
  },
  {
    name: 'nothing of what the rules do not know',
    end: 'named',
    spoil: (entry) => (entry['not_understood'] as string[]).splice(0)[0] ?? false,
  },
  {
    name: 'no column',
    end: 'named',
    spoil: (entry) => (entry['columns'] as Item[]).splice(0)[0]?.['fragments'][0] ?? false,
  },
];
