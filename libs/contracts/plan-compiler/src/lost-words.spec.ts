import { describe, expect, it } from '@jest/globals';
import { emptyIntent, type PlanIntent } from '@quarry/plan';
import { withLostWords, withoutWordsOfOthers } from './lost-words.js';

const SOURCE = { source: { kind: 'directory' }, output_table: null } as const;
const origin = (...fragments: string[]) => ({ fragments, from: 'prompt' }) as const;
const banks: PlanIntent['filters'] = [
  { of: 'company', filter: 'industries', op: 'any_of', value: ['banking'], ...origin('banks') },
];
const inSpain: PlanIntent['filters'] = [
  {
    of: 'company',
    filter: 'places',
    op: 'in',
    value: [{ kind: 'country', id: 'ES' }],
    ...origin('in Spain'),
  },
];

function lostOf(prompt: string, more: Partial<PlanIntent> = {}): readonly string[] {
  const intent = { ...emptyIntent('company', SOURCE), filters: [...banks, ...inSpain], ...more };
  return withLostWords(intent, prompt).not_understood;
}

describe('words of a prompt that its plan ignores', () => {
  it.each([
    ['banks in Spain', []],
    ['please find me all of the banks that are based in Spain, thanks', []],
    ['banks in Spain with glass facades', ['glass facades']],
    ['everyone at banks in Spain', ['everyone']],
    ['banks in Spain, the best in each province', ['in each province']],
    ['each company of the banks in Spain', []],
    ['banks in Spain, one per province', ['per province', 'one']],
    ['banks in Spain as per our talk', ['talk']],
  ])('are reported: %s', (prompt, lost) => {
    expect(lostOf(prompt)).toEqual(lost);
  });

  it('are added to those that the planner reported, each once', () => {
    expect(lostOf('banks in Spain with glass facades', { not_understood: ['glass facades'] })).toEqual([
      'glass facades',
    ]);
  });

  it('include a cap per company if the rows are companies', () => {
    const cap = { per_company: { value: 3, ...origin('3 banks each') } };
    const intent = { ...emptyIntent('company', SOURCE), filters: [...banks, ...inSpain], ...cap };
    const read = withLostWords(intent, '3 banks each in Spain');
    expect([read.per_company, read.not_understood[0]]).toEqual([null, '3 banks each']);
    expect(withLostWords({ ...intent, entity: 'person' }, '3 banks each, in Spain').not_understood).toEqual(
      [],
    );
  });

  it('are not those that the plan of another table uses', () => {
    const of = (...words: string[]) => ({ ...emptyIntent('company', SOURCE), not_understood: words });
    const nothing = { ...of(), source: { kind: 'nothing', reason: 'no_rows_described' } as const };
    const lostIn = (...intents: PlanIntent[]) =>
      withoutWordsOfOthers(intents).map((each) => each.not_understood);
    expect(lostIn(of('CFOs', 'glass facades'), of('with glass facades'))).toEqual([
      ['glass facades'],
      ['with glass facades'],
    ]);
    expect(lostIn(of('CFOs'), nothing)).toEqual([['CFOs'], []]);
    const people = { ...of('that sell skis'), entity: 'person' } as const;
    expect(lostIn(of('CFOs'), people)).toEqual([[], ['that sell skis']]);
    expect(lostIn(of('CFOs'))).toEqual([['CFOs']]);
  });

  it('are found in prompts over a table too, where its name and columns are known words', () => {
    const table = {
      name: 'Key accounts',
      columns: [{ key: 'arr', name: 'Yearly turnover', kind: 'number' }],
    } as const;
    const source = { kind: 'table', table_id: 'tbl_1' } as const;
    const over = (prompt: string, notes: string[] = []) =>
      withLostWords({ ...emptyIntent('company', { ...SOURCE, source }), notes }, prompt, table)
        .not_understood;
    expect(over('from my table "Key accounts": everyone, with their yearly turnovers')).toEqual([]);
    expect(over('from my table "Key accounts": those with glass facades')).toEqual(['glass facades']);
    expect(over('from my table "Key accounts": the largest in each province')).toEqual(['in each province']);
    const note = '“work email” is the table’s own column “E-mail”, so nothing is looked up for it.';
    expect(over('everyone of the key accounts with work email', [note])).toEqual([]);
  });

  it('are not looked for if web pages are read', () => {
    const wanted = 'banks with glass facades';
    const source = { kind: 'web', wanted, ...origin(wanted) } as const;
    expect(lostOf('banks with glass facades', { source })).toEqual([]);
  });
});
