import { describe, expect, it } from '@jest/globals';
import type { DirectoryFile } from './directory-file.js';
import { findMapping, guessMapping } from './find-mapping.js';
import type { DirectoryKind } from '../tables/target-fields.catalogue.js';

const fileOf = (header: string[], rows: string[][]): DirectoryFile => ({
  header,
  async *batches() {
    yield rows.map((fields, i) => ({ line: i + 2, fields }));
  },
});

/** Headers of common files, and the column of each field that they have. */
const FILES: ReadonlyArray<[what: string, DirectoryKind, header: string, mapping: string]> = [
  [
    'Kaggle, seven million companies',
    'companies',
    ',name,domain,year founded,industry,size range,locality,country,linkedin url,current employee estimate,total employee estimate',
    'name: name; domain: domain; founded_year: year founded; industry: industry; size: size range; ' +
      'city: locality; country: country; linkedin_url: linkedin url; ' +
      'headcount: current employee estimate',
  ],
  [
    'People Data Labs, free companies',
    'companies',
    'country,founded,id,industry,linkedin_url,locality,name,region,size,website',
    'country: country; founded_year: founded; id: id; industry: industry; ' +
      'linkedin_url: linkedin_url; city: locality; name: name; state: region; size: size; ' +
      'website: website',
  ],
  [
    'Crunchbase',
    'companies',
    'uuid,name,type,cb_url,legal_name,roles,domain,homepage_url,country_code,state_code,region,city,address,status,short_description,category_list,category_groups_list,total_funding_usd,founded_on,employee_count,phone,linkedin_url',
    'id: uuid; name: name; domain: domain; website: homepage_url; country: country_code; ' +
      'state: state_code; city: city; location: address; description: short_description; ' +
      'industry: category_list; keywords: category_groups_list; funding_amount_usd: total_funding_usd; ' +
      'founded_year: founded_on; headcount: employee_count; phone: phone; linkedin_url: linkedin_url',
  ],
  [
    'Companies House',
    'companies',
    'CompanyName, CompanyNumber,RegAddress.CareOf,RegAddress.PostTown,RegAddress.County,RegAddress.Country,CompanyCategory,CountryOfOrigin,IncorporationDate,SICCode.SicText_1,URI',
    'name: CompanyName; id:  CompanyNumber; city: RegAddress.PostTown; country: RegAddress.Country; ' +
      'founded_year: IncorporationDate; industry: SICCode.SicText_1',
  ],
  [
    'OpenCorporates',
    'companies',
    'company_number,jurisdiction_code,name,company_type,incorporation_date,current_status,registered_address.locality,registered_address.region,registered_address.country',
    'id: company_number; country: registered_address.country; name: name; ownership: company_type; ' +
      'founded_year: incorporation_date; city: registered_address.locality; ' +
      'state: registered_address.region',
  ],
  [
    'a list that says where its headquarters are',
    'companies',
    'Company,Website,Industry Sector,Head Office City,Head Office Country',
    'name: Company; website: Website; industry: Industry Sector; city: Head Office City; ' +
      'country: Head Office Country',
  ],
  [
    'people of a sales tool',
    'people',
    'First Name,Last Name,Title,Company,Email,Seniority,Departments,# Employees,Industry,Person Linkedin Url,Website,Company Linkedin Url,City,State,Country,Company City,Company Country',
    'first_name: First Name; last_name: Last Name; title: Title; company_name: Company; ' +
      'seniority: Seniority; department: Departments; company_headcount: # Employees; ' +
      'company_industry: Industry; linkedin_url: Person Linkedin Url; company_website: Website; ' +
      'company_linkedin_url: Company Linkedin Url; city: City; state: State; country: Country; ' +
      'company_city: Company City; company_country: Company Country',
  ],
];

describe('the column mapping of a file', () => {
  it.each(FILES)('is recognised for %s', (_what, kind, header, wanted) => {
    const columns = header.split(',');
    const mapping = findMapping(kind, columns);
    const found = [...mapping].map(([key, at]) => `${key}: ${columns[at]}`);
    expect(found.sort()).toEqual(wanted.split('; ').sort());
  });

  it('can be set by the caller, who can also exclude columns', () => {
    const header = ['name', 'alias', 'city'];
    const columnMap = new Map([
      ['alias', 'name'],
      ['city', ''],
    ]);
    expect([...findMapping('companies', header, columnMap)]).toEqual([['name', 1]]);
  });

  it.each<[string, DirectoryKind, string[], Array<[string, string]>, RegExp]>([
    [
      'a column that is not there',
      'companies',
      ['name'],
      [['nam', 'name']],
      /--map: there is no column nam; the columns are name/,
    ],
    [
      'a field that is none',
      'companies',
      ['name'],
      [['name', 'nam']],
      /--map: there is no field nam; the fields are id, name, /,
    ],
    ['no name', 'companies', ['domain'], [], /No column was recognised as name\. .*--map "<column>=name"/],
    ['no company', 'people', ['full_name'], [], /No column was recognised as company_name\./],
  ])('is refused with %s', (_what, kind, header, columnMap, message) => {
    expect(() => findMapping(kind, header, new Map(columnMap))).toThrow(message);
  });
});

describe('mapping suggestions from column values', () => {
  const guessed = async (
    kind: DirectoryKind,
    header: string,
    rows: string[][],
    columnMap: string[][] = [],
  ) => {
    const file = fileOf(header.split(','), rows);
    const words = new Map(columnMap.map(([heading, key]) => [heading!, key!]));
    return guessMapping(kind, file, findMapping(kind, file.header, words), words);
  };

  it('are made for unclear or foreign headings, with three sample values each', async () => {
    const rows = ['bank', 'brew', 'shop', 'mill'].map((name, i) => [
      name,
      `https://${name}.de`,
      `https://linkedin.com/company/${name}`,
      `${i}1-200`,
      `19${i}0`,
      'DE',
    ]);
    expect(
      await guessed('companies', 'Firma,Web-Adresse,Link,Mitarbeiter,,Land', rows, [['Firma', 'name']]),
    ).toEqual([
      {
        field: 'linkedin_url',
        column: 2,
        values: ['bank', 'brew', 'shop'].map((name) => `https://linkedin.com/company/${name}`),
      },
      { field: 'website', column: 1, values: ['https://bank.de', 'https://brew.de', 'https://shop.de'] },
      { field: 'size', column: 3, values: ['01-200', '11-200', '21-200'] },
      { field: 'country', column: 5, values: ['DE'] },
    ]);
  });

  it('are not made against a clear heading: Nobel laureates, lists of suppliers', async () => {
    const laureates = [
      ['Marie Curie', 'Russia', 'Warsaw', '1911', 'chemistry', 'Sorbonne University'],
      ['Simon Kuznets', 'Russia', 'Pinsk', '1971', 'economics', 'Harvard University'],
      ['Wassily Leontief', 'Russia', 'Saint Petersburg', '1973', 'economics', 'Harvard University'],
    ];
    const header = 'name,born_country,born_city,year,category,affiliation';
    const columnMap = [['affiliation', 'company_name']];
    expect(await guessed('people', header, laureates, columnMap)).toEqual([]);
    const mapping = findMapping('people', header.split(','), new Map([['affiliation', 'company_name']]));
    expect([...mapping.keys()]).toEqual(['company_name', 'full_name']);
    const suppliers = ['a.com', 'b.com', 'c.com'].map((site, i) => [
      site,
      `200${i}`,
      'Italy',
      `https://x-${site}`,
    ]);
    expect(
      await guessed('companies', 'name,Supplier since,Country of shipment,Invoice portal', suppliers),
    ).toEqual([]);
  });

  it('do not mistake URLs of a register for company websites', async () => {
    const rows = Array.from({ length: 5 }, (_, i) => ['A', `http://register.gov.uk/id/${i}`]);
    expect(await guessed('companies', 'name,Link', rows)).toEqual([]);
  });

  it('skip columns that the caller excludes', async () => {
    const rows = ['DE', 'FR', 'IT'].map((country) => ['x', country]);
    expect(await guessed('companies', 'name,Land', rows, [['Land', '']])).toEqual([]);
  });
});
