import { describe, expect, it } from '@jest/globals';
import {
  emptyIntent,
  type IntentFilter,
  type PlanIntent,
  type PreviousPlan,
  type TableProfile,
} from '@quarry/plan';
import { nearestTerms, vocabularyText } from '../vocabulary.js';
import { negationFaults, notUnderstoodFaults, findUnmatched } from './coverage.js';
import { itemFaults } from './item-faults.js';
import type { CheckedIntent } from './checked-intent.js';
import { originFaults } from './origin-faults.js';
import { overlapFaults } from './overlap-faults.js';
import { findDisagreements } from './rules-agreement.js';
import { unnamedFaults } from './unnamed-faults.js';
import { valueFaults } from './value-faults.js';

const EMPTY = emptyIntent('company', { source: { kind: 'directory' }, output_table: null });
const LEADS: TableProfile = {
  id: 'tbl_1',
  name: 'Leads',
  rowCount: 1,
  columns: [
    { key: 'town', name: 'Town', kind: 'text' },
    { key: 'mail', name: 'E-mail address', kind: 'text' },
  ],
  values: { town: { values: ['Netherlands'], isComplete: true } },
};

const origin = (...fragments: string[]) => ({ fragments, from: 'prompt' as const });
const of = (filter: string, op: string, value: unknown, ...fragments: string[]) =>
  ({ of: 'company', filter, op, value, ...origin(...fragments) }) as unknown as IntentFilter;
const industry = (id: string, ...fragments: string[]) => of('industries', 'any_of', [id], ...fragments);
const country = (id: string, ...fragments: string[]) =>
  of('places', 'in', [{ kind: 'country', id }], ...fragments);
const staff = (min: number | null, max: number | null, ...fragments: string[]) =>
  of('headcount', 'between', [{ min, max }], ...fragments);
const check = (op: string, value: unknown, ...fragments: string[]) =>
  ({ column: 'town', op, value, ...origin(...fragments) }) as unknown as IntentFilter;
const mail = (...fragments: string[]) =>
  ({ column: 'mail', op: 'filled', ...origin(...fragments) }) as unknown as IntentFilter;

function checked(
  prompt: string,
  intent: Partial<PlanIntent>,
  change: Partial<Omit<CheckedIntent, 'rules'>> & { rules?: Partial<PlanIntent> } = {},
): CheckedIntent {
  const { rules = {}, ...more } = change;
  return {
    prompt,
    isEnglish: true,
    output: null,
    previous: null,
    table: null,
    referenceYear: 2025,
    canSource: false,
    ...more,
    intent: { ...EMPTY, ...intent },
    rules: { ...EMPTY, ...rules },
  };
}

describe('the origin of intent items', () => {
  const previous = {
    intent: { ...EMPTY, filters: [industry('fintech', 'fintech')] },
  } as unknown as PreviousPlan;
  const kept = { ...industry('fintech', 'fintech'), from: 'earlier' } as IntentFilter;

  it.each<[string, Partial<PlanIntent>, PreviousPlan | null, string | null]>([
    ['the prompt', { filters: [industry('fintech', 'fintech')] }, null, null],
    ['the previous plan', { filters: [kept], continues: true }, previous, null],
    ['no previous plan', { filters: [kept] }, null, 'filters.0.from: the previous request has no such item'],
    [
      'another previous plan',
      { count: { value: 3, fragments: ['3'], from: 'earlier' } },
      previous,
      'count.from',
    ],
    [
      'the user',
      { filters: [{ ...kept, from: 'user' } as IntentFilter] },
      previous,
      'filters.0.from: must be',
    ],
    ['nowhere', { continues: true }, null, 'continues: there is no previous request'],
  ])('may be %s', (_, intent, before, fault) => {
    const faults = originFaults(checked('fintech', intent, { previous: before }));
    expect(faults).toEqual(fault === null ? [] : [expect.stringContaining(fault)]);
  });
});

describe('words claimed by two filters', () => {
  it('are an error, unless they occur twice or mean the same', () => {
    const software = [industry('software', 'tech'), of('names', 'named', ['tech'], 'tech')];
    expect(overlapFaults(checked('tech in Berlin', { filters: software }))).toEqual([
      'filters.1.fragments: "tech" is claimed by filters.0 already',
    ]);
    expect(overlapFaults(checked('tech in tech', { filters: software }))).toEqual([]);
    expect(
      overlapFaults(
        checked('Berlin fintechs', { filters: [country('DE', 'Berlin'), industry('fintech', 'fintechs')] }),
      ),
    ).toEqual([]);
    expect(
      overlapFaults(
        checked('Berlin', { filters: [country('DE', 'Berlin')], exclusions: [[country('DE', 'Berlin')]] }),
      ),
    ).toHaveLength(1);
  });
});

describe('values derived from words', () => {
  it.each<[string, string, IntentFilter, string | null]>([
    ['a name of the vocabulary', 'SaaS', industry('software', 'SaaS'), null],
    ['another one', 'SaaS', industry('banking', 'SaaS'), '"SaaS" means'],
    ['words related to it', 'fintechy brands', industry('fintech', 'fintechy brands'), null],
    ['unknown words', 'cheese', industry('fintech', 'cheese'), 'says "fintech"'],
    [
      'a word for many industries',
      'nice services',
      industry('it_services', 'nice services'),
      'says "it_services"',
    ],
    [
      'a stage that is not in the prompt',
      'in its teens',
      of('funding_stages', 'any_of', ['series_a'], 'teens'),
      'says "series_a"',
    ],
    ['a flag', 'with open positions', of('is_hiring', 'is', true, 'open positions'), null],
    [
      'a flag that is not in the prompt',
      'in Berlin',
      of('is_hiring', 'is', true, 'Berlin'),
      'no word of their own',
    ],
    [
      'who hires',
      'hiring sales people',
      of('hiring_departments', 'any_of', ['sales'], 'hiring sales people'),
      null,
    ],
    [
      'who hires unsaid',
      'sales',
      of('hiring_departments', 'any_of', ['sales'], 'sales'),
      'no word of their own',
    ],
    [
      'others who hire',
      'hiring sales people',
      of('hiring_departments', 'any_of', ['legal'], 'hiring sales people'),
      'means "sales"',
    ],
    ['a country', 'Dutch', country('NL', 'Dutch'), null],
    ['another country', 'Dutch', country('DE', 'Dutch'), 'names another place'],
    ['an unknown place', 'Atlantis', country('DE', 'Atlantis'), 'nothing in "Atlantis" names "DE"'],
    ['a number above a bound', 'more than 50 staff', staff(51, null, 'more than 50 staff'), null],
    ['a number of its own', 'many staff', staff(500, null, 'many staff'), '500 does not stand'],
    ['min above max', '50 to 20', staff(50, 20, '50 to 20'), 'min is above max'],
    ['no bound', '50', staff(null, null, '50'), 'asks nothing'],
    [
      'years counted back',
      'last 5 years',
      of('founded', 'between', [{ min: 2020, max: null }], 'last 5 years'),
      null,
    ],
    ['a product', 'React', of('technologies', 'any_of', ['react'], 'React'), null],
    [
      'a product that is not in the prompt',
      'modern',
      of('technologies', 'any_of', ['react'], 'modern'),
      'says "react"',
    ],
    ['a name', 'Acme Corp', of('names', 'named', ['Acme'], 'Acme Corp'), null],
    [
      'a name that is not in the prompt',
      'Acme',
      of('names', 'named', ['Contoso'], 'Acme'),
      '"Contoso" does not stand',
    ],
    [
      'a domain that is not in the prompt',
      'Acme',
      of('domains', 'any_of', ['acme.com'], 'Acme'),
      '"acme.com" does not stand',
    ],
    ['a part of a word', 'fintech', industry('software', 'tech'), 'begins inside a word'],
    ['a word that says nothing', 'the firms', industry('software', 'firms'), 'says nothing by itself'],
    ['a cell of the column', 'Dutch', check('one_of', ['Netherlands'], 'Dutch'), null],
    ['no cell', 'Dutch', check('one_of', ['Peru'], 'Dutch'), '"Peru" stands neither'],
    ['a day', 'since May 2023', check('date', { from: '2023-05-01', to: null }, 'since May 2023'), null],
    [
      'another day',
      'since May',
      check('date', { from: '2021-05-01', to: null }, 'since May'),
      'the year 2021',
    ],
  ])('are checked: %s', (_, prompt, filter, fault) => {
    const faults = valueFaults(checked(prompt, { filters: [filter] }, { table: LEADS }));
    if (fault === null) expect(faults).toEqual([]);
    else expect(faults[0]).toContain(fault);
  });

  it('can be roles by level, department and title words', () => {
    const role = (change: object) =>
      valueFaults(
        checked('CTOs', {
          entity: 'person',
          filters: [
            {
              of: 'person',
              filter: 'roles',
              op: 'any_of',
              ...origin('CTOs'),
              value: [
                {
                  name: 'CTO',
                  seniorities: ['c_level'],
                  departments: ['engineering'],
                  title_words: [],
                  ...change,
                },
              ],
            } as unknown as IntentFilter,
          ],
        }),
      );
    expect(role({})).toEqual([]);
    expect(role({ departments: ['legal'] })).toEqual([expect.stringContaining('names another role')]);
    expect(role({ title_words: ['chief'] })).toEqual([expect.stringContaining('"chief" does not stand')]);
    expect(role({ seniorities: [], departments: [] })).toEqual([expect.stringContaining('a role must ask')]);
  });

  it('can be counts and names of the table', () => {
    const faults = (intent: Partial<PlanIntent>) =>
      valueFaults(checked('20 banks called "My banks"', intent));
    expect(
      faults({
        count: { value: 20, ...origin('20') },
        name: { value: 'My banks', ...origin('called "My banks"') },
      }),
    ).toEqual([]);
    expect(faults({ count: { value: 21, ...origin('banks') } })).toEqual([
      'count.value: 21 does not stand in "banks"',
    ]);
    expect(faults({ name: { value: 'Visit us', ...origin('called') } })).toEqual([
      'name.value: must stand in its fragments',
    ]);
  });
});

describe('a filter on an imported table', () => {
  it.each<[string, IntentFilter, string | null]>([
    ['those in the netherlands', check('one_of', ['Netherlands'], 'netherlands'), null],
    ['Show my table Leads', check('one_of', ['Netherlands'], 'Leads'), 'names "Netherlands"'],
    ['Show my table Leads', check('contains', ['Leads'], 'my table Leads'), 'names "Leads"'],
    ['In Leads: those called leads', check('contains', ['leads'], 'leads'), null],
    ['those with a mail address', mail('mail address'), null],
    ['Show my table Leads', mail('Leads'), 'names "mail"'],
  ])("needs words besides the table's name: %j", (prompt, filter, fault) => {
    const found = unnamedFaults(checked(prompt, { filters: [filter] }, { table: LEADS }));
    expect(found).toEqual(fault === null ? [] : [expect.stringContaining(fault)]);
  });
});

describe('items that cost credits, drop rows or sort them', () => {
  const column = (source: object, required: boolean, ...fragments: string[]) =>
    ({ columns: [{ source, required, ...origin(...fragments) }] }) as unknown as Partial<PlanIntent>;
  const phone = (...fragments: string[]) =>
    column({ from: 'service', service: 'getPhoneNumber' }, false, ...fragments);
  const must = (...fragments: string[]) =>
    column({ from: 'service', service: 'getEmail' }, true, ...fragments);
  const by = (service: string, inputs: object, ...fragments: string[]) =>
    column({ from: 'service', service, inputs }, false, ...fragments);
  const order = (by: string, direction: string, ...fragments: string[]) =>
    ({ order: { by, direction, ...origin(...fragments) } }) as unknown as Partial<PlanIntent>;
  const wish = (effect: string, ...fragments: string[]) =>
    ({
      criteria: [{ effect, column: null, conditions: null, ...origin(...fragments) }],
    }) as unknown as Partial<PlanIntent>;
  const UNSAID = 'no word of their own';

  it.each<[string, Partial<PlanIntent>, string | null]>([
    ['CTOs with mobile numbers', phone('mobile numbers'), null],
    ['CTOs of fintech startups in Berlin', phone('CTOs'), UNSAID],
    ['CTOs of fintech startups in Berlin', phone('startups'), UNSAID],
    ['CTOs with their company phone', phone('company phone'), null],
    ['CTOs with their switchboard', phone('switchboard'), UNSAID],
    ['CTOs with e-mail', phone('e-mail'), UNSAID],
    [
      'CTOs of mobile companies',
      { ...phone('mobile'), filters: [industry('telecom', 'mobile companies')] },
      UNSAID,
    ],
    [
      'CTOs called "Phone list"',
      { ...phone('Phone'), name: { value: 'Phone list', ...origin('Phone list') } },
      UNSAID,
    ],
    ['CTOs from Leads', phone('Leads'), UNSAID],
    ['banks with their job postings', by('getJobPostings', {}, 'job postings'), null],
    [
      'banks with their job postings',
      by('webResearch', { question: { value: 'jobs?' } }, 'job postings'),
      UNSAID,
    ],
    ['banks in Berlin', by('verifyEmail', { email: { value: 'info@{{domain}}' } }, 'Berlin'), UNSAID],
    ['Banken mit ihrem LinkedIn', by('findLinkedInUrl', {}, 'LinkedIn'), null],
    [
      'banks, and research who leads sales there',
      by('webResearch', { question: { value: 'Who leads sales at {{name}}?' } }, 'research who leads sales'),
      null,
    ],
    [
      'banks, and research who leads sales there',
      by('webResearch', { question: { value: 'Which password has the admin?' } }, 'research who leads sales'),
      'columns.0.source.inputs.question: ',
    ],
    [
      'banks, and research who leads sales there',
      by(
        'webResearch',
        { question: { value: 'Who leads sales?' }, effort: { value: 'high' } },
        'research who leads sales',
      ),
      'columns.0.source.inputs.effort: ',
    ],
    [
      'banks, classify the description as retail or private',
      by(
        'classifyText',
        { text: 'description', labels: { value: ['retail', 'private'] } },
        'classify',
        'retail or private',
      ),
      null,
    ],
    ['CTOs who must have an email', must('must have an email'), null],
    ['CTOs with email', must('email'), 'columns.0.required: no word of their own'],
    ['CTOs with email', column({ from: 'directory', attribute: 'title' }, true, 'CTOs'), UNSAID],
    ['CTOs with email', column({ from: 'directory', attribute: 'title' }, false, 'CTOs'), null],
    ['the most employees first', order('headcount', 'descending', 'most employees first'), null],
    ['ranked by revenue', order('revenue_usd', 'descending', 'ranked by revenue'), null],
    ['the largest banks', order('revenue_usd', 'descending', 'largest'), UNSAID],
    ['the largest banks', order('headcount', 'ascending', 'largest'), UNSAID],
    ['banks founded in 1990', order('founded_year', 'ascending', 'founded'), UNSAID],
    ['banks, ideally in Berlin', wish('prefer', 'ideally in Berlin'), null],
    ['banks in Berlin', wish('prefer', 'Berlin'), UNSAID],
    ['banks, ideally in Berlin', wish('require', 'ideally in Berlin'), UNSAID],
  ])('must be requested in the prompt: %j as %j', (prompt, intent, fault) => {
    const faults = itemFaults(checked(prompt, { entity: 'person', ...intent }, { table: LEADS }));
    expect(faults).toEqual(fault === null ? [] : [expect.stringContaining(fault)]);
  });

  it.each<[string, Partial<PlanIntent>, string | null]>([
    ['CTOs aus Berlin mit Handynummer', phone('Handynummer'), null],
    ['CTOs aus Berlin mit Handynummer', phone('CTOs'), UNSAID],
    ['CTOs von Startups aus Berlin', phone('Startups'), UNSAID],
    ['directeurs avec téléphone', phone('téléphone'), null],
    ['東京の企業の電話番号', phone('電話番号'), null],
    ['東京の企業', phone('企業'), UNSAID],
    ['correo de los directores', must('correo'), null],
    ['CTOs mit E-Mail und Telefonnummern', must('E-Mail'), null],
    ['CTOs mit E-Mail und Telefonnummern', phone('Telefonnummern'), null],
    ['CTOs mit E-Mail und Telefonnummern', phone('E-Mail'), UNSAID],
    ['directores con número de móvil', phone('número de móvil'), null],
    ['директора с телефоном', phone('телефоном'), null],
    ['CTOs für mobile Apps', phone('mobile'), UNSAID],
    ['CTOs der Automobilfirmen', phone('Automobilfirmen'), UNSAID],
    ['die größten Banken', order('headcount', 'descending', 'größten'), null],
    [
      'die Banken',
      { ...order('headcount', 'descending', 'Banken'), filters: [industry('banking', 'Banken')] },
      UNSAID,
    ],
    ['Banken, gern aus Berlin', wish('prefer', 'gern aus Berlin'), null],
    ['Banken aus Berlin', { ...wish('prefer', 'Berlin'), filters: [country('DE', 'Berlin')] }, UNSAID],
  ])('must have their own words in other languages: %j as %j', (prompt, intent, fault) => {
    const faults = itemFaults(checked(prompt, { entity: 'person', ...intent }, { isEnglish: false }));
    expect(faults).toEqual(fault === null ? [] : [expect.stringContaining(fault)]);
  });

  it('are accepted if the rules planner read them too', () => {
    const { columns = [] } = must('reachable');
    const { order: byAge } = order('founded_year', 'ascending', 'veterans');
    const read = { columns, order: byAge!, ...wish('prefer', 'with humour') };
    const prompt = 'reachable veterans with humour';
    expect(itemFaults(checked(prompt, read, { rules: read }))).toEqual([]);
    expect(itemFaults(checked(prompt, read))).toHaveLength(3);
    const optional = columns.map((each) => ({ ...each, required: false }));
    expect(itemFaults(checked(prompt, { columns }, { rules: { columns: optional } }))).toHaveLength(1);
  });
});

describe('words that the intent ignores', () => {
  const prompt = '20 fintech companies in Berlin with a blue logo';
  const rules = {
    filters: [industry('fintech', 'fintech'), country('DE', 'Berlin')],
    not_understood: ['with a blue logo'],
  };

  it('are numbers, and words that the rules know', () => {
    const fragments = (intent: Partial<PlanIntent>) =>
      findUnmatched(checked(prompt, intent, { rules })).map(({ fragment }) => fragment);
    expect(fragments({})).toEqual(['20', 'fintech', 'Berlin', 'with a blue logo']);
    expect(fragments({ ...rules, count: { value: 20, ...origin('20') } })).toEqual([]);
    expect(fragments({ not_understood: ['20 fintech companies', 'blue logo', 'Berlin'] })).toEqual([]);
  });

  it('are in other languages all but small words, of which only numbers are repaired', () => {
    const lost = findUnmatched(checked('20 Banken in Wien', {}, { isEnglish: false }));
    expect(lost.map(({ fragment, isRepairable }) => [fragment, isRepairable])).toEqual([
      ['20', true],
      ['Banken', false],
      ['Wien', false],
    ]);
  });

  it('must be in the prompt if they are reported', () => {
    expect(notUnderstoodFaults(checked(prompt, { not_understood: ['a red logo'] }))).toEqual([
      'not_understood: "a red logo" is not in the prompt',
    ]);
  });
});

describe('a negation', () => {
  const berlin = country('DE', 'Berlin');
  it.each<[string, Partial<PlanIntent>, boolean, string | null]>([
    ['banks not in Berlin', { exclusions: [[berlin]] }, true, null],
    ['banks not in Berlin', { filters: [berlin] }, true, 'filters.0: "not" before it denies it'],
    ['banks not in Berlin', {}, true, '"not" denies something that nothing here speaks of'],
    ['banks not in Berlin', { not_understood: ['not in Berlin'] }, true, null],
    ['without agencies, in Berlin', { filters: [berlin] }, true, '"without" denies something'],
    ['no more than 50 staff', { filters: [staff(null, 50, '50 staff')] }, true, null],
    ['that are not hiring', { filters: [of('is_hiring', 'is', false, 'hiring')] }, true, null],
    ['that are not hiring', { filters: [of('is_hiring', 'is', true, 'not hiring')] }, true, 'denies it'],
    ['Banken nicht in Berlin', { filters: [berlin] }, false, '"nicht" before it denies it'],
    ['empresas pero no en Berlin', { exclusions: [[berlin]] }, false, null],
  ])('%j read as %j', (prompt, intent, isEnglish, fault) => {
    const faults = negationFaults(checked(prompt, intent, { isEnglish }));
    expect(faults).toEqual(fault === null ? [] : [expect.stringContaining(fault)]);
  });
});

describe('facts that the rules planner has read', () => {
  const rules: Partial<PlanIntent> = {
    filters: [country('DE', 'Germany'), staff(50, 200, '50-200 staff')],
    exclusions: [[country('FR', 'France')]],
    count: { value: 20, ...origin('20') },
  };
  it.each<[string, Partial<PlanIntent>, string[]]>([
    ['the same', rules, []],
    ['no count', { ...rules, count: null }, ['count: the prompt says 20']],
    ['another count', { ...rules, count: { value: 2, ...origin('20') } }, ['count: the prompt says 20']],
    [
      'another range',
      { ...rules, filters: [country('DE', 'Germany'), staff(5, 200, '50-200 staff')] },
      ['says headcount'],
    ],
    [
      'another place',
      { ...rules, filters: [country('AT', 'Germany'), staff(50, 200, '50-200 staff')] },
      ['names the place'],
    ],
    [
      'a place with swapped words',
      {
        ...rules,
        exclusions: [],
        filters: [country('DE', 'Germany'), staff(50, 200, '50'), country('FR', 'France')],
      },
      ['exclusions: "France"'],
    ],
    [
      'a table that is not named',
      { ...rules, source: { kind: 'table', table_id: 'tbl_1' } },
      ['source: the prompt names no table'],
    ],
  ])('are compared with %s', (_, intent, faults) => {
    const found = findDisagreements(checked('', intent, { rules }));
    expect(found).toEqual(faults.map((fault) => expect.stringContaining(fault)));
    expect(findDisagreements(checked('', intent, { rules, isEnglish: false }))).toEqual([]);
  });

  it('include a table named in the prompt', () => {
    const source = { kind: 'table', table_id: 'tbl_1' } as const;
    expect(findDisagreements(checked('', { source }, { rules: { source } }))).toEqual([]);
    expect(findDisagreements(checked('', {}, { rules: { source } }))).toEqual([
      expect.stringContaining('tbl_1'),
    ]);
  });
});

describe('the vocabulary given to a model', () => {
  it('is complete, or limited to what a prompt names of the long lists', () => {
    const all = vocabularyText(null);
    for (const id of [
      'fintech',
      'DE-berlin',
      'headcount',
      'series_a',
      'getEmail',
      'salesforce',
      'c_level',
      'webResearch(question,effort?,urls?): answer',
    ])
      expect(all).toContain(id);
    const narrow = vocabularyText('banks in Berlin');
    expect(narrow).toContain('banking');
    expect(narrow).toContain('DE-berlin');
    expect(narrow).not.toContain('DE-munich');
    expect(narrow.length).toBeLessThan(all.length / 1.4);
  });

  it('suggests similar words for an unknown one', () => {
    expect(nearestTerms('fintec')[0]).toBe('fintech');
    expect(nearestTerms('DE-Berlin-city')[0]).toBe('DE-berlin');
    expect(nearestTerms('zzzz')).toEqual([]);
  });
});
