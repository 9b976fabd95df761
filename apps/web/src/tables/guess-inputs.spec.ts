import { describe, expect, it } from '@jest/globals';
import type { Column, Row, Service, Table } from '../api/resources';
import { guessInputs, leadsToPeople, outputFields } from './guess-inputs';

const tableOf = (...columns: Array<Partial<Column>>) =>
  ({ columns: columns.map((column) => ({ kind: 'text', name: column.key, ...column })) }) as unknown as Table;
const rowOf = (values: Record<string, unknown>) => ({ values }) as unknown as Row;
const LINKEDIN = { key: 'linkedin_url', kind: 'linkedin_url' } as const;

describe('a table is about people', () => {
  it('if a column names one', () => {
    expect(leadsToPeople(tableOf({ key: 'full_name' }, { key: 'domain' }), undefined)).toBe(true);
    expect(leadsToPeople(tableOf({ key: 'c1', name: 'First name' }), undefined)).toBe(true);
    expect(leadsToPeople(tableOf({ key: 'name' }, { key: 'title' }), undefined)).toBe(true);
  });

  it('if it has LinkedIn URLs, unless they are of companies', () => {
    const table = tableOf({ key: 'name' }, { key: 'last_funding_date' }, LINKEDIN);
    const of = (address: string) => rowOf({ linkedin_url: address });
    expect(leadsToPeople(table, of('https://www.linkedin.com/in/ada'))).toBe(true);
    expect(leadsToPeople(table, of('https://www.linkedin.com/company/dunera'))).toBe(false);
    expect(leadsToPeople(table, undefined)).toBe(true);
    expect(leadsToPeople(table, rowOf({}))).toBe(true);
  });

  it('but not if it has columns of companies', () => {
    expect(leadsToPeople(tableOf({ key: 'name' }, { key: 'domain' }), undefined)).toBe(false);
  });
});

describe('the default inputs of a service about a person', () => {
  const properties = { first_name: {}, last_name: {}, company: {}, domain: {} };
  const service = { input_schema: { properties } } as unknown as Service;

  it('use one column for both names if it has the full name', () => {
    const table = tableOf({ key: 'full_name' }, { key: 'company' }, { key: 'website' });
    expect(guessInputs(service, table)).toEqual({
      first_name: 'full_name',
      last_name: 'full_name',
      company: 'company',
      domain: 'website',
    });
  });

  it('use separate name columns if there are any', () => {
    const table = tableOf({ key: 'name' }, { key: 'first_name' }, { key: 'surname' });
    expect(guessInputs(service, table)).toEqual({ first_name: 'first_name', last_name: 'surname' });
  });

  it('are found under German and French headings, too', () => {
    const german = tableOf({ key: 'Vorname' }, { key: 'Nachname' }, { key: 'Firma' }, { key: 'Webseite' });
    expect(guessInputs(service, german)).toEqual({
      first_name: 'Vorname',
      last_name: 'Nachname',
      company: 'Firma',
      domain: 'Webseite',
    });
    const french = tableOf({ key: 'c1', name: 'Prénom' }, { key: 'c2', name: 'Nom' });
    expect(guessInputs(service, french)).toEqual({ first_name: 'c1', last_name: 'c2' });
    expect([german, french].map((table) => leadsToPeople(table, undefined))).toEqual([true, true]);
  });
});

describe('the default inputs of a service about a company', () => {
  const properties = { domain: {}, linkedin_url: {}, name: {} };
  const service = { input_schema: { properties } } as unknown as Service;

  it('are its own in a table of people, and not those of the person', () => {
    const table = tableOf({ key: 'full_name' }, { key: 'company' }, { key: 'domain' }, LINKEDIN);
    expect(guessInputs(service, table)).toEqual({ domain: 'domain', name: 'company' });
    expect(guessInputs(service, tableOf({ key: 'name' }, LINKEDIN))).toEqual({
      linkedin_url: 'linkedin_url',
      name: 'name',
    });
  });
});

/** First lines of the files that other products export, with the inputs that they have. */
const EXPORTS: ReadonlyArray<readonly [string, string, Readonly<Record<string, string>>]> = [
  [
    'HubSpot contacts',
    'Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Lead Status,Create Date,Associated Company,Job Title',
    {
      first_name: 'First Name',
      last_name: 'Last Name',
      company: 'Associated Company',
      email: 'Email',
      phone: 'Phone Number',
    },
  ],
  [
    'HubSpot companies',
    'Record ID,Company name,Company owner,Create Date,Phone Number,City,Country/Region,Industry,Company Domain Name,Website URL,LinkedIn Company Page',
    {
      domain: 'Company Domain Name',
      url: 'Website URL',
      name: 'Company name',
      phone: 'Phone Number',
      linkedin_url: 'LinkedIn Company Page',
    },
  ],
  [
    'Salesforce contacts',
    'Salutation,First Name,Last Name,Title,Account Name,Mailing City,Phone,Mobile,Fax,Email,Account Owner',
    {
      first_name: 'First Name',
      last_name: 'Last Name',
      company: 'Account Name',
      email: 'Email',
      phone: 'Phone',
    },
  ],
  [
    'Salesforce accounts',
    'Account Owner,Account Name,Billing State/Province,Type,Rating,Last Activity,Website,Phone,Employees',
    { domain: 'Website', url: 'Website', name: 'Account Name', phone: 'Phone' },
  ],
  [
    'Pipedrive people',
    'Person - ID,Person - Name,Person - First name,Person - Last name,Person - Organization,Person - Email - Work,Person - Phone - Work,Person - Owner',
    {
      first_name: 'Person - First name',
      last_name: 'Person - Last name',
      company: 'Person - Organization',
      email: 'Person - Email - Work',
      phone: 'Person - Phone - Work',
    },
  ],
  [
    'Pipedrive organizations',
    'Organization - ID,Organization - Name,Organization - Address,Organization - Website,Organization - LinkedIn profile,Organization - Owner',
    {
      domain: 'Organization - Website',
      name: 'Organization - Name',
      linkedin_url: 'Organization - LinkedIn profile',
    },
  ],
  [
    'Apollo contacts',
    'First Name,Last Name,Title,Company Name,Company Name for Emails,Email,Email Status,Seniority,Contact Owner,Work Direct Phone,Home Phone,Mobile Phone,Corporate Phone,Person Linkedin Url,Website,Company Linkedin Url,City',
    {
      first_name: 'First Name',
      last_name: 'Last Name',
      company: 'Company Name',
      domain: 'Website',
      email: 'Email',
      phone: 'Work Direct Phone',
      linkedin_url: 'Person Linkedin Url',
    },
  ],
  [
    'LinkedIn connections',
    'First Name,Last Name,URL,Email Address,Company,Position,Connected On',
    { first_name: 'First Name', last_name: 'Last Name', company: 'Company', email: 'Email Address' },
  ],
  [
    'LinkedIn Sales Navigator, by PhantomBuster',
    'profileUrl,fullName,firstName,lastName,companyName,title,companyId,regularCompanyUrl,summary,location,linkedInProfileUrl',
    {
      first_name: 'firstName',
      last_name: 'lastName',
      company: 'companyName',
      linkedin_url: 'linkedInProfileUrl',
    },
  ],
  [
    'LinkedIn Sales Navigator, by Evaboot',
    'First Name,Last Name,Full Name,Email,Email Status,Current Job,Company Name,Company Domain,Company Website,LinkedIn URL Public,Company LinkedIn URL',
    {
      first_name: 'First Name',
      last_name: 'Last Name',
      company: 'Company Name',
      domain: 'Company Domain',
      email: 'Email',
      linkedin_url: 'LinkedIn URL Public',
    },
  ],
  [
    'Clay people',
    'First Name,Last Name,Full Name,Job Title,Location,Company Domain,LinkedIn Profile,Work Email',
    {
      first_name: 'First Name',
      last_name: 'Last Name',
      domain: 'Company Domain',
      email: 'Work Email',
      linkedin_url: 'LinkedIn Profile',
    },
  ],
  [
    'Clay companies',
    'Name,Description,Primary Industry,Size,Type,Location,Country,Domain,LinkedIn URL',
    { domain: 'Domain', name: 'Name', linkedin_url: 'LinkedIn URL' },
  ],
  [
    'Cognism contacts',
    'First Name,Last Name,Full Name,Job Title,Email,Email Quality,Mobile,Direct,Office,Company Name,Company Website,LinkedIn URL,Company LinkedIn URL',
    {
      first_name: 'First Name',
      last_name: 'Last Name',
      company: 'Company Name',
      domain: 'Company Website',
      email: 'Email',
      phone: 'Direct',
      linkedin_url: 'LinkedIn URL',
    },
  ],
];

describe('the default inputs of a table from another product', () => {
  const PERSON = ['first_name', 'last_name', 'company', 'domain', 'email', 'phone', 'linkedin_url'];
  const COMPANY = ['domain', 'url', 'name', 'phone', 'linkedin_url'];
  const serviceOf = (inputs: string[]) =>
    ({
      input_schema: { properties: Object.fromEntries(inputs.map((name) => [name, {}])) },
    }) as unknown as Service;

  it.each(EXPORTS)('are found in an export of %s', (_product, header, expected) => {
    const table = tableOf(...header.split(',').map((key) => ({ key })));
    const inputs = 'name' in expected ? COMPANY : PERSON;
    expect(guessInputs(serviceOf(inputs), table)).toMatchObject(expected);
  });

  it('are not those of somebody else, or of the company instead of the person', () => {
    const table = tableOf(
      { key: 'Owner email', kind: 'email' },
      { key: 'Parent company domain', kind: 'domain' },
      { key: "Assistant's phone", kind: 'phone' },
      { key: 'LinkedIn Company Page', kind: 'linkedin_url' },
    );
    expect(guessInputs(serviceOf(PERSON), table)).toEqual({});
    expect(guessInputs(serviceOf(COMPANY), table)).toEqual({ linkedin_url: 'LinkedIn Company Page' });
  });

  it('are the company of the person for a service about companies', () => {
    const [, header] = EXPORTS.find(([product]) => product === 'Apollo contacts')!;
    const table = tableOf(...header.split(',').map((key) => ({ key })));
    expect(guessInputs(serviceOf(['domain', 'name', 'linkedin_url']), table)).toEqual({
      domain: 'Website',
      name: 'Company Name',
      linkedin_url: 'Company Linkedin Url',
    });
  });
});

describe('the output fields of a service', () => {
  const fieldsOf = (inputs: string[], outputs: Record<string, object>) =>
    outputFields({
      input_schema: { properties: Object.fromEntries(inputs.map((name) => [name, {}])) },
      output_schema: { properties: outputs },
    } as unknown as Service);

  it('start with fields that are no inputs', () => {
    expect(fieldsOf(['email'], { email: {}, status: {}, provider: {} })).toEqual(['status', 'email']);
  });

  it('are those of the items if it returns a list', () => {
    const items = { items: { properties: { name: {}, category: {} } } };
    expect(fieldsOf(['domain'], { items })).toEqual(['items.name', 'items.category']);
  });
});
