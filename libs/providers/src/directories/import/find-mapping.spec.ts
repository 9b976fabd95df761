import { describe, expect, it } from '@jest/globals';
import type { DirectoryFile } from '../directory-file.js';
import { findMapping } from './find-mapping.js';
import type { DirectoryKind } from './target-fields.catalogue.js';

const fileOf = (header: string[], rows: string[][] = []): DirectoryFile => ({
  header,
  async *batches() {
    yield rows.map((fields, i) => ({ line: i + 2, fields }));
  },
});

/** Headers of files that people have; `rows` only where the values have to say what a column is. */
const FILES: ReadonlyArray<[string, DirectoryKind, string, Record<string, string>, string[][]?]> = [
  [
    'Kaggle, seven million companies',
    'companies',
    ',name,domain,year founded,industry,size range,locality,country,linkedin url,current employee estimate,total employee estimate',
    {
      name: 'name',
      domain: 'domain',
      founded_year: 'year founded',
      industry: 'industry',
      size: 'size range',
      city: 'locality',
      country: 'country',
      linkedin_url: 'linkedin url',
      headcount: 'current employee estimate',
    },
  ],
  [
    'People Data Labs, free companies',
    'companies',
    'country,founded,id,industry,linkedin_url,locality,name,region,size,website',
    {
      country: 'country',
      founded_year: 'founded',
      id: 'id',
      industry: 'industry',
      linkedin_url: 'linkedin_url',
      city: 'locality',
      name: 'name',
      state: 'region',
      size: 'size',
      website: 'website',
    },
  ],
  [
    'Crunchbase',
    'companies',
    'uuid,name,type,cb_url,legal_name,roles,domain,homepage_url,country_code,state_code,region,city,address,status,short_description,category_list,category_groups_list,total_funding_usd,founded_on,employee_count,phone,linkedin_url',
    {
      id: 'uuid',
      name: 'name',
      domain: 'domain',
      website: 'homepage_url',
      country: 'country_code',
      state: 'state_code',
      city: 'city',
      location: 'address',
      description: 'short_description',
      industry: 'category_list',
      keywords: 'category_groups_list',
      funding_amount_usd: 'total_funding_usd',
      founded_year: 'founded_on',
      headcount: 'employee_count',
      phone: 'phone',
      linkedin_url: 'linkedin_url',
    },
  ],
  [
    'Companies House',
    'companies',
    'CompanyName, CompanyNumber,RegAddress.CareOf,RegAddress.PostTown,RegAddress.County,RegAddress.Country,CompanyCategory,CountryOfOrigin,IncorporationDate,SICCode.SicText_1,URI',
    {
      name: 'CompanyName',
      id: ' CompanyNumber',
      city: 'RegAddress.PostTown',
      country: 'RegAddress.Country',
      founded_year: 'IncorporationDate',
      industry: 'SICCode.SicText_1',
    },
    // Addresses of a register are all at one domain, and no company's own.
    Array.from({ length: 5 }, (_, i) => [
      'A',
      `${i}`,
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      `http://register.gov.uk/id/${i}`,
    ]),
  ],
  [
    'OpenCorporates',
    'companies',
    'company_number,jurisdiction_code,name,company_type,incorporation_date,current_status,registered_address.locality,registered_address.region,registered_address.country',
    {
      id: 'company_number',
      country: 'registered_address.country',
      name: 'name',
      ownership: 'company_type',
      founded_year: 'incorporation_date',
      city: 'registered_address.locality',
      state: 'registered_address.region',
    },
  ],
  [
    'a list whose headings say little',
    'companies',
    'Firma,Web,Link,Mitarbeiter,Jahr,Land',
    {
      name: 'Firma',
      website: 'Web',
      linkedin_url: 'Link',
      size: 'Mitarbeiter',
      founded_year: 'Jahr',
      country: 'Land',
    },
    ['bank', 'brew', 'shop', 'mill'].map((name, i) => [
      name,
      `https://${name}.de`,
      `https://linkedin.com/company/${name}`,
      `${i}1-200`,
      `19${i}0`,
      'DE',
    ]),
  ],
  [
    'people of a sales tool',
    'people',
    'First Name,Last Name,Title,Company,Email,Seniority,Departments,# Employees,Industry,Person Linkedin Url,Website,Company Linkedin Url,City,State,Country,Company City,Company Country',
    {
      first_name: 'First Name',
      last_name: 'Last Name',
      title: 'Title',
      company_name: 'Company',
      seniority: 'Seniority',
      department: 'Departments',
      company_headcount: '# Employees',
      company_industry: 'Industry',
      linkedin_url: 'Person Linkedin Url',
      company_website: 'Website',
      company_linkedin_url: 'Company Linkedin Url',
      city: 'City',
      state: 'State',
      country: 'Country',
      company_city: 'Company City',
      company_country: 'Company Country',
    },
  ],
];

describe('the mapping of a file', () => {
  it.each(FILES)('is found out for %s', async (what, kind, header, wanted, rows = []) => {
    const columns = header.split(',');
    const said = new Map(what.startsWith('a list') ? [['Firma', 'name']] : []);
    const mapping = await findMapping(kind, fileOf(columns, rows), said);
    expect(Object.fromEntries([...mapping].map(([key, at]) => [key, columns[at]]))).toEqual(wanted);
  });

  it('is as the caller says, which also leaves columns out', async () => {
    const file = fileOf(['name', 'alias', 'city']);
    const said = new Map([
      ['alias', 'name'],
      ['city', ''],
    ]);
    expect([...(await findMapping('companies', file, said))]).toEqual([['name', 1]]);
  });

  it.each<[string, DirectoryKind, string[], Array<[string, string]>, RegExp]>([
    [
      'a column that is not there',
      'companies',
      ['name'],
      [['nam', 'name']],
      /--map names no column of: name: nam/,
    ],
    ['a field that is none', 'companies', ['name'], [['name', 'nam']], /--map names no field of: id, name, /],
    ['no name', 'companies', ['domain'], [], /No column is known as name\. .*--map "<column>=name"/],
    ['no company', 'people', ['full_name'], [], /No column is known as company_name\./],
  ])('is refused with %s', async (_what, kind, header, said, message) => {
    await expect(findMapping(kind, fileOf(header), new Map(said))).rejects.toThrow(message);
  });
});
