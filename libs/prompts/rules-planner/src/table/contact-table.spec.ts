import type { TableProfile } from '@quarry/plan';
import { describePlan, meetsFilters } from '@quarry/plan-compiler';
import { describe, expect, it } from '@jest/globals';
import { planBeside, planOver } from './plan-over.fixture.js';

const ROWS = [
  { name: 'Ann Lee', mail: 'ann@a.example', tel: '+49 30 1', town: 'Berlin', seats: 45 },
  { name: 'Bo Ek', mail: null, tel: '+46 8 1', town: 'Oslo', seats: 12 },
  { name: 'Cy Oh', mail: '', tel: null, town: 'Berlin', seats: 300 },
  { name: 'Di Fox', mail: 'di@d.example', tel: null, town: null, seats: null },
] as const;
type Row = (typeof ROWS)[number];

const table: TableProfile = {
  id: 'tbl_1',
  name: 'Contacts',
  rowCount: ROWS.length,
  columns: [
    { key: 'name', name: 'Full name', kind: 'text' },
    { key: 'mail', name: 'E-mail', kind: 'email' },
    { key: 'tel', name: 'Phone', kind: 'text' },
    { key: 'town', name: 'City', kind: 'text' },
    { key: 'seats', name: 'Seats', kind: 'number' },
  ],
  values: {
    seats: { values: ['45', '12', '300'], isComplete: true },
    town: { values: ['Berlin', 'Oslo'], isComplete: true },
  },
};

const plan = (prompt: string) => planOver(table, prompt);

/** Prompts with an equivalent hand-written filter. */
const CASES: ReadonlyArray<readonly [prompt: string, wanted: (row: Row) => boolean]> = [
  ['who has no e-mail', ({ mail }) => !mail],
  ['those without e-mail or phone', ({ mail, tel }) => !mail && !tel],
  ['everybody without a phone in Berlin', ({ tel, town }) => !tel && town === 'Berlin'],
  ['missing phone', ({ tel }) => !tel],
  ['all whose phone is missing', ({ tel }) => !tel],
  ['those whose e-mail is not empty', ({ mail }) => Boolean(mail)],
  ['people who have a phone', ({ tel }) => Boolean(tel)],
  ['exclude those without e-mail', ({ mail }) => Boolean(mail)],
  ['phone starts with +49', ({ tel }) => Boolean(tel?.startsWith('+49'))],
  ['with more than 20 seats', ({ seats }) => Number(seats) > 20],
  ['between 10 and 50 seats, in Berlin', ({ seats, town }) => seats === 45 && town === 'Berlin'],
  ['everyone in Berlin with at least 100 seats', ({ seats, town }) => seats === 300 && town === 'Berlin'],
];

describe('prompts over a table of contacts', () => {
  for (const [prompt, wanted] of CASES)
    it(prompt, async () => {
      const { predicates, notUnderstood } = await plan(prompt);
      const selected = ROWS.filter((row) => meetsFilters(row, predicates));
      expect(notUnderstood).toEqual([]);
      expect(selected.map(({ name }) => name)).toEqual(ROWS.filter(wanted).map(({ name }) => name));
    });

  it('note that an existing column is not looked up, and report one that nothing can fill', async () => {
    const own = await plan('everybody with work email');
    expect(own.notes.join()).toContain('“work email” is the table’s own column “E-mail”');
    expect(own.columns.filter(({ source }) => source.from === 'service')).toEqual([]);
    expect((await plan('everybody with revenue')).notUnderstood).toEqual(['revenue']);
  });

  it.each([
    ['the 2 with the most seats', 'descending', 2],
    ['3 contacts with the fewest seats', 'ascending', 3],
    ['everybody, sorted by seats descending', 'descending', null],
  ])('sort: %s', async (prompt, direction, count) => {
    const made = await plan(prompt);
    expect(made).toMatchObject({ count, notUnderstood: [], table_sort: { column_key: 'seats', direction } });
  });

  it('show only the listed columns', async () => {
    const { columns } = await plan('only full name and phone, everyone in Berlin');
    expect(columns.map(({ key }) => key)).toEqual(['name', 'tel']);
  });

  it('add a paid column that the table lacks', async () => {
    const { columns } = await plan('everybody with phone number');
    expect(columns.filter(({ source }) => source.from === 'service').map(({ key }) => key)).toEqual([
      'phone',
    ]);
  });

  it('only report a table that does not exist', async () => {
    const made = await planBeside(table, 'From my table "Nobody": CTOs');
    expect(describePlan(made)).toMatch(
      /^There is no table of that name: From my table "Nobody"\. Nothing was searched\./,
    );
  });
});
