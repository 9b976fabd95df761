import type { RunPlan } from '@quarry/plan';
import { describePlan, directoryQueries, evaluateFit, recordValues } from '@quarry/plan-compiler';
import { describe, expect, it } from '@jest/globals';
import { foldText, SENIORITIES } from '@quarry/vocabulary';
import { SandboxDirectory } from '@quarry/prompt-fixtures';
import { planPrompt } from './plan-prompt.fixture.js';
import { profileOf } from './table/accounts.fixture.js';
import { planOver } from './table/plan-over.fixture.js';

const directory = new SandboxDirectory();
const plan = planPrompt;
const filtersOf = (made: RunPlan): string[] => made.predicates.map(({ text }) => text);

async function peopleOf(made: RunPlan, limit: number) {
  const wanted = directoryQueries(made);
  if (wanted.entity !== 'person') throw new Error('Rows are companies.');
  return (await directory.searchPeople(wanted.query, { limit })).items;
}

describe('filler words', () => {
  it.each([
    'Quickly find me some really cool fintech companies in Berlin asap, that would be awesome',
    'Hey there, could you kindly pull together a quick list of fintech companies in Berlin for me? Cheers!',
    'good morning, we urgently need fintech companies in Berlin for our next campaign',
    "I'd love to see fintech companies in Berlin, as soon as possible, thanks in advance",
    'So, um, could you maybe look up fintech companies in Berlin? It would be a huge help.',
    'Basically I just want fintech companies in Berlin, nothing fancy',
    'fintech companies in Berlin. No rush. Much appreciated!',
  ])('never make the fit unknown: %s', async (prompt) => {
    const made = await plan(prompt);
    expect(filtersOf(made)).toEqual(['industry: Fintech', 'place: Berlin']);
    const { items } = await directory.searchCompanies(made.companies, { limit: 1 });
    const fit = evaluateFit(recordValues(items[0]!), made.criteria, {
      filters: made.predicates,
      notUnderstood: made.notUnderstood,
    });
    expect(fit.status).toBe('qualified');
  });

  it('do not hide a meaningful word, which is reported', async () => {
    expect((await plan('fintech companies in Berlin that are profitable, asap')).notUnderstood).toEqual([
      'that are profitable',
    ]);
  });
});

describe('"its"', () => {
  it.each(['a hotel and its staff', 'hotels and its people', 'a hotel with its team'])(
    'is never the department IT: %s',
    async (prompt) => expect(filtersOf(await plan(prompt)).join()).not.toContain('Information Technology'),
  );

  it('leaves the department to "IT"', async () =>
    expect(filtersOf(await plan('IT staff of hotels')).join()).toContain('Information Technology'));
});

describe('a prompt that describes no rows', () => {
  it.each(['asdf qwer', 'hello', '20', 'their emails and phone numbers', '???', ''])(
    'makes no table, and is answered with three prompts that work: %j',
    async (prompt) => {
      const made = await plan(prompt);
      expect(made.isEmpty).toBe(true);
      const message = describePlan(made);
      expect(message).toContain('no table was made');
      const examples = [...message.slice(message.indexOf('Examples of prompts')).matchAll(/“([^”]+)”/g)];
      expect(examples).toHaveLength(3);
      for (const [, example] of examples)
        expect(await plan(example!)).toMatchObject({ notUnderstood: [], predicates: { length: 3 } });
    },
  );

  it('still changes the previous search, if it changes something', async () => {
    const previousPlan = await plan('fintech companies in Berlin');
    expect((await plan('and add revenue', { previousPlan })).isEmpty).toBeUndefined();
    expect((await plan('show 10 more', { previousPlan })).count).toBe(1010);
    const lost = await plan('asdf qwer', { previousPlan });
    expect(lost.isEmpty).toBe(true);
    expect(filtersOf(await plan('fintech in Paris', { previousPlan: lost }))).toContain('place: Paris');
  });

  it('makes the tables of an output contract without rows', async () => {
    const made = await plan('asdf', { output: { tables: [{ key: 'out', columns: [{ key: 'name' }] }] } });
    expect([made.isEmpty, made.count]).toEqual([undefined, 0]);
    expect(describePlan(made)).toContain('nothing was searched');
  });
});

describe('founders and owners', () => {
  it('are different people', async () => {
    const titles = async (prompt: string) =>
      new Set((await peopleOf(await plan(prompt), 2000)).map(({ title }) => title));
    expect(await titles('founders')).toEqual(new Set(['Founder', 'Co-Founder', 'Founder & CEO']));
    expect(await titles('owners')).toEqual(new Set(['Owner']));
    expect((await titles('founders and owners')).size).toBe(4);
  });
});

describe('a company name in a prompt', () => {
  const [company] = directory
    .companies()
    .filter(
      ({ name, id }) =>
        /^[A-Z][a-z]+$/.test(name) && directory.people().some((person) => person.company.id === id),
    );
  const { name, domain } = company!;

  it('finds the same people as its domain', async () => {
    const [byName, byDomain] = [await plan(`people at ${name}`), await plan(`people at ${domain}`)];
    const people = await peopleOf(byName, 100);
    expect(people.length).toBeGreaterThan(0);
    expect(people).toEqual(await peopleOf(byDomain, 100));
    expect(byName.notes.join()).toContain(`“${name}” was read as the name of a company.`);
  });

  it('is recognised for every company of the directory, unless its first word has its own meaning', async () => {
    const unread: string[] = [];
    for (const { name: known } of directory.companies()) {
      const { companies } = await plan(`CFO of ${known}`);
      if (JSON.stringify(companies.names?.map(foldText)) !== JSON.stringify([foldText(known)]))
        unread.push(known);
    }
    expect(unread.filter((one) => !/^(He|Vermont) /.test(one))).toEqual([]);
    expect(unread).toHaveLength(6);
  });

  it.each([
    ['CFO of Halbrook', ['company name: Halbrook', 'role: CFO']],
    [
      'CFO at Halbrook Logistics in Berlin',
      ['company name: Halbrook Logistics', 'place: Berlin', 'role: CFO'],
    ],
    ['the CTOs of Smith & Jones Legal', ['company name: Smith & Jones Legal', 'role: CTO']],
    ['people at Halbrook and Ormont', ['company name: Halbrook or Ormont']],
    ['CTOs in Berlin, not at Contoso', ['role: CTO', 'lives in: Berlin', 'not company name: Contoso']],
  ])('%s', async (prompt, filters) => {
    const made = await plan(prompt);
    expect(filtersOf(made)).toEqual(filters);
    expect(made.notUnderstood).toEqual([]);
  });

  it.each([
    ['CTOs At Profitable Companies', 'At Profitable'],
    ['people formerly at Contoso', 'formerly at Contoso'],
    ['companies that a fan of Elvis likes', 'fan of Elvis likes'],
  ])('is not recognised in %s', async (prompt, lost) => {
    const made = await plan(prompt);
    expect(filtersOf(made).join()).not.toContain('company name');
    expect(made.notUnderstood.join()).toContain(lost);
  });
});

describe('a number of people per company', () => {
  it.each([
    ['40 people at US banks, at most 2 engineers per company', ['engineers']],
    ['40 people at US banks, at most 2 sales people per company', ['sales people']],
    ['40 people at US banks, at most 2 people per company', []],
    ['40 people at US banks, at most two contacts each', []],
  ])('does not hide what people these are: %s', async (prompt, notUnderstood) => {
    expect(await plan(prompt)).toMatchObject({ per_company: 2, notUnderstood });
  });
});

describe('companies with their heads of marketing', () => {
  it('returns the most senior marketing person at each', async () => {
    const made = await plan('20 companies in Germany with their heads of marketing');
    expect(made).toMatchObject({ entity: 'person', count: 20, per_company: 1, notUnderstood: [] });
    expect(made.notes[0]).toBe(
      '“their heads of marketing” was read as the most senior person in Marketing at each company.',
    );
    const rank = (seniority: string | null) => SENIORITIES.findIndex(({ id }) => id === seniority);
    const rows = await peopleOf(made, 500);
    const marketers = directory
      .people()
      .filter(
        ({ department, company: { country_code } }) => [department, country_code].join() === 'marketing,DE',
      );
    expect(new Set(rows.map(({ company: { id } }) => id))).toEqual(
      new Set(marketers.map(({ company: { id } }) => id)),
    );
    for (const row of rows)
      for (const other of marketers.filter(({ company: { id } }) => id === row.company.id))
        expect(rank(row.seniority)).toBeLessThanOrEqual(rank(other.seniority));
    expect(rows.some(({ seniority }) => seniority !== 'head')).toBe(true);
  });

  it.each([
    ['heads of marketing at fintech companies', 'role: Head of Marketing', null],
    ['fintech companies with their CTO', 'role: CTO', null],
    [
      'fintech companies with their heads of marketing and VPs of Sales',
      'role: Head of Marketing or VP of Sales',
      null,
    ],
    ['fintech companies with their heads of marketing, 2 per company', 'role: most senior in Marketing', 2],
  ])('does not change other roles: %s', async (prompt, role, cap) => {
    const made = await plan(prompt);
    expect(filtersOf(made)).toContain(role);
    expect(made.per_company).toBe(cap);
  });
});

describe('a word that occurs only within longer table values', () => {
  const leads = profileOf(
    [
      { key: 'company', name: 'Company', kind: 'text' },
      { key: 'sector', name: 'Sector', kind: 'text' },
      { key: 'title', name: 'Title', kind: 'text' },
    ],
    [
      { company: 'Oak', sector: 'Software Services', title: 'CTO' },
      { company: 'Fir', sector: 'Software Services', title: 'CTO and founder' },
      { company: 'Yew', sector: 'Health Care REITs', title: 'CFO' },
      { company: 'Elm', sector: 'Retail REITs', title: 'CFO' },
    ],
  );

  it.each([
    ['those in software', 'Sector: Software Services', '“software” is only a part of values of “Sector”'],
    [
      'the REITs',
      'Sector: Health Care REITs or Retail REITs',
      '“REITs” is only a part of values of “Sector”',
    ],
    [
      'founders',
      'Title: founders',
      '“founders” is only a part of values of “Title”, and was read as “CTO and founder”',
    ],
  ])('is reported as an assumption: %s', async (prompt, filter, assumption) => {
    const made = await planOver(leads, prompt);
    expect(filtersOf(made)).toEqual([filter]);
    expect(describePlan(made)).toContain(assumption);
  });

  it('is reported if an output contract judges by it, too', async () => {
    const columns = [
      { key: 'company' },
      { key: 'fits', qualification: { criterion: 'sector is REITs', effect: 'require' } },
      { key: 'soft', qualification: { criterion: 'software', effect: 'require' } },
    ];
    const made = await planOver(leads, 'all rows', { tables: [{ key: 'out', columns }] });
    expect(describePlan(made)).toContain('“software” is only a part of values of “Sector”');
  });

  it('is no assumption if a cell contains exactly that', async () => {
    expect((await planOver(leads, 'those in Retail REITs')).notes).toEqual([]);
    expect((await planOver(leads, 'sector is Software Services')).notes).toEqual([]);
  });
});

describe('a domain with hyphens', () => {
  it.each([
    'the CEO of acme-group.com',
    'https://www.acme-group.com/about',
    'people at "Oak" or acme-group.com',
  ])('is one company, and not the one of its last part: %s', async (prompt) => {
    const filters = filtersOf(await plan(prompt)).join('; ');
    expect(filters).toMatch(/domain: acme-group\.com\b/);
    expect(filters).not.toMatch(/domain: group\.com/);
  });
});
