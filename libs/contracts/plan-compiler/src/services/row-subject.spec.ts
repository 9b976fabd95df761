import { describe, expect, it } from '@jest/globals';
import type { ColumnJson, ColumnKind } from '@quarry/dto';
import { subjectOfRow } from './row-subject.js';

type Named = [key: string, kind?: ColumnKind, name?: string];
const columnsOf = (...columns: Named[]): ColumnJson[] =>
  columns.map(([key, kind = 'text', name = key]) => ({ key, name, kind, qualification: {} }));

describe('the person or company of an imported row', () => {
  it.each<[string, Named[], Record<string, unknown>, object | null]>([
    ['unknown if no column names one', [['city'], ['score', 'number']], { city: 'Oslo', score: 1 }, null],
    [
      'read from columns with the standard names',
      [['First Name'], ['Last Name'], ['Company'], ['Website']],
      { 'First Name': 'Ada', 'Last Name': 'Lovelace', Company: 'Engines', Website: 'engines.example' },
      { first_name: 'Ada', last_name: 'Lovelace', company: 'Engines', domain: 'engines.example' },
    ],
    [
      'read from columns with synonyms of those names',
      [['given_name'], ['SURNAME'], ['employer'], ['company-domain']],
      { given_name: 'Ada', SURNAME: 'Lovelace', employer: 'Engines', 'company-domain': 'engines.example' },
      { first_name: 'Ada', last_name: 'Lovelace', company: 'Engines', domain: 'engines.example' },
    ],
    [
      'read from column titles if the keys say nothing',
      [
        ['c1', 'text', 'Forename'],
        ['c2', 'text', 'Family name'],
        ['c3', 'text', 'Organisation name'],
      ],
      { c1: 'Ada', c2: 'Lovelace', c3: 'Engines' },
      { first_name: 'Ada', last_name: 'Lovelace', company: 'Engines' },
    ],
    [
      'read from headings without spaces',
      [['FirstName'], ['LastName'], ['LinkedIn'], ['CompanyName']],
      { FirstName: 'Ada', LastName: 'Lovelace', LinkedIn: 'linkedin.com/in/ada', CompanyName: 'Engines' },
      { first_name: 'Ada', last_name: 'Lovelace', company: 'Engines', linkedin_url: 'linkedin.com/in/ada' },
    ],
    [
      'the first and last word of a full name',
      [['Full name']],
      { 'Full name': '  Ada  King Lovelace ' },
      { first_name: 'Ada', last_name: 'Lovelace' },
    ],
    ['unknown if the name is a single word', [['name']], { name: 'Ada' }, null],
    [
      'read from first and last name columns before a full name',
      [['contact'], ['first name']],
      { contact: 'A. Lovelace', 'first name': 'Ada' },
      { first_name: 'Ada', last_name: 'Lovelace' },
    ],
    [
      'read from a column of a known kind, whatever its name',
      [
        ['a', 'linkedin_url'],
        ['b', 'domain'],
      ],
      { a: 'https://linkedin.com/in/ada', b: 'engines.example' },
      { linkedin_url: 'https://linkedin.com/in/ada', domain: 'engines.example' },
    ],
    [
      'at its homepage, not at other columns that mention websites or domains',
      [
        ['Monthly website visits', 'number'],
        ['Has website', 'boolean'],
        ['Domain expertise'],
        ['Homepage', 'url'],
      ],
      {
        'Monthly website visits': 9,
        'Has website': true,
        'Domain expertise': 'Machine learning',
        Homepage: 'https://engines.example',
      },
      { domain: 'https://engines.example' },
    ],
    [
      'at the URL in the website column, not at another URL of the row',
      [
        ['Photo', 'url'],
        ['LinkedIn', 'url'],
        ['Website', 'url'],
      ],
      {
        Photo: 'https://img.example/1.png',
        LinkedIn: 'https://linkedin.com/in/ada',
        Website: 'https://engines.example',
      },
      { linkedin_url: 'https://linkedin.com/in/ada', domain: 'https://engines.example' },
    ],
    [
      'at the value of a domain column, before that of a URL column',
      [
        ['Homepage', 'url'],
        ['Site', 'domain'],
      ],
      { Homepage: 'https://a.example/ada', Site: 'engines.example' },
      { domain: 'engines.example' },
    ],
    [
      'without a website if the only URL is the profile',
      [['LinkedIn', 'url']],
      { LinkedIn: 'https://linkedin.com/in/ada' },
      { linkedin_url: 'https://linkedin.com/in/ada' },
    ],
    [
      'at the only URL of the row if no column is called website',
      [['Homepage', 'url']],
      { Homepage: 'https://engines.example' },
      { domain: 'https://engines.example' },
    ],
    [
      'unknown if values are missing or are not text',
      [['first name'], ['last name'], ['company'], ['name']],
      { 'first name': 5, 'last name': ' ', company: null, name: ['Ada', 'Lovelace'] },
      null,
    ],
    ['unknown if the row lacks the columns', [['first name'], ['constructor', 'domain']], {}, null],
    [
      'unknown if the only name is that of something else',
      [['company name'], ['file name']],
      { 'file name': 'a b' },
      null,
    ],
  ])('is %s', (_, columns, values, subject) => {
    expect(subjectOfRow(columnsOf(...columns), values)).toEqual(subject);
  });
});
