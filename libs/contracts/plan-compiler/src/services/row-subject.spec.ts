import { describe, expect, it } from '@jest/globals';
import type { ColumnJson, ColumnKind } from '@quarry/dto';
import { subjectOfRow } from './row-subject.js';

type Named = [key: string, kind?: ColumnKind, name?: string];
const columnsOf = (...columns: Named[]): ColumnJson[] =>
  columns.map(([key, kind = 'text', name = key]) => ({ key, name, kind, qualification: {} }));

describe('whom an imported row is about', () => {
  it.each<[string, Named[], Record<string, unknown>, object | null]>([
    ['nobody where no column says so', [['city'], ['score', 'number']], { city: 'Oslo', score: 1 }, null],
    [
      'who has the names of its columns',
      [['First Name'], ['Last Name'], ['Company'], ['Website']],
      { 'First Name': 'Ada', 'Last Name': 'Lovelace', Company: 'Engines', Website: 'engines.example' },
      { first_name: 'Ada', last_name: 'Lovelace', company: 'Engines', domain: 'engines.example' },
    ],
    [
      'who is named by other words for them',
      [['given_name'], ['SURNAME'], ['employer'], ['company-domain']],
      { given_name: 'Ada', SURNAME: 'Lovelace', employer: 'Engines', 'company-domain': 'engines.example' },
      { first_name: 'Ada', last_name: 'Lovelace', company: 'Engines', domain: 'engines.example' },
    ],
    [
      'who is named by the titles of columns whose keys say nothing',
      [
        ['c1', 'text', 'Forename'],
        ['c2', 'text', 'Family name'],
        ['c3', 'text', 'Organisation name'],
      ],
      { c1: 'Ada', c2: 'Lovelace', c3: 'Engines' },
      { first_name: 'Ada', last_name: 'Lovelace', company: 'Engines' },
    ],
    [
      'who is named by headings without spaces',
      [['FirstName'], ['LastName'], ['LinkedIn'], ['CompanyName']],
      { FirstName: 'Ada', LastName: 'Lovelace', LinkedIn: 'linkedin.com/in/ada', CompanyName: 'Engines' },
      { first_name: 'Ada', last_name: 'Lovelace', company: 'Engines', linkedin_url: 'linkedin.com/in/ada' },
    ],
    [
      'the first and the last word of a whole name',
      [['Full name']],
      { 'Full name': '  Ada  King Lovelace ' },
      { first_name: 'Ada', last_name: 'Lovelace' },
    ],
    ['nobody by one word alone', [['name']], { name: 'Ada' }, null],
    [
      'whom the columns of the parts say, before the whole name',
      [['contact'], ['first name']],
      { contact: 'A. Lovelace', 'first name': 'Ada' },
      { first_name: 'Ada', last_name: 'Lovelace' },
    ],
    [
      'who is known by a kind, whatever the column is called',
      [
        ['a', 'linkedin_url'],
        ['b', 'domain'],
      ],
      { a: 'https://linkedin.com/in/ada', b: 'engines.example' },
      { linkedin_url: 'https://linkedin.com/in/ada', domain: 'engines.example' },
    ],
    [
      'at its homepage, whatever is counted or said of domains and websites beside it',
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
      'at the site that is called one, not at any other address of the row',
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
      'at the site whose column is of that kind, before one that is an address only',
      [
        ['Homepage', 'url'],
        ['Site', 'domain'],
      ],
      { Homepage: 'https://a.example/ada', Site: 'engines.example' },
      { domain: 'engines.example' },
    ],
    [
      'at no site where the only address is the profile',
      [['LinkedIn', 'url']],
      { LinkedIn: 'https://linkedin.com/in/ada' },
      { linkedin_url: 'https://linkedin.com/in/ada' },
    ],
    [
      'at the only address of the row where none is called a site',
      [['Homepage', 'url']],
      { Homepage: 'https://engines.example' },
      { domain: 'https://engines.example' },
    ],
    [
      'nobody by values that are no text, or none',
      [['first name'], ['last name'], ['company'], ['name']],
      { 'first name': 5, 'last name': ' ', company: null, name: ['Ada', 'Lovelace'] },
      null,
    ],
    ['nobody by columns that the row lacks', [['first name'], ['constructor', 'domain']], {}, null],
    ['nobody by a name of something else', [['company name'], ['file name']], { 'file name': 'a b' }, null],
  ])('is %s', (_, columns, values, subject) => {
    expect(subjectOfRow(columnsOf(...columns), values)).toEqual(subject);
  });
});
