import { describe, expect, it } from '@jest/globals';
import type { AppError } from '@quarry/error-codes';
import { readOutputContract } from './output-contract.js';

function faultsOf(output: Record<string, unknown>): string[] {
  try {
    readOutputContract(output);
    return [];
  } catch (error) {
    const { details = [] } = error as AppError;
    // The message contains the path as well.
    for (const { path, message } of details) expect(message).toContain(String(path));
    return details.map(({ message }) => message);
  }
}

const nested = (depth: number): Record<string, unknown> =>
  depth === 1 ? { type: 'string' } : { type: 'array', items: nested(depth - 1) };

describe('an output contract', () => {
  it('accepts exactly one of its two forms', () => {
    expect(faultsOf({})).toEqual(['output must have exactly one of schema and tables']);
    expect(faultsOf({ schema: { type: 'object' }, tables: [] })).toHaveLength(1);
    expect(faultsOf({ schema: { type: 'object' }, extra: 1 })).toEqual(['Unrecognized key: "output.extra"']);
  });

  it.each([['x'], [{}], [null], [5]])('refuses tables that are not a list: %j', (tables) => {
    expect(faultsOf({ tables })).toEqual([expect.stringContaining('must be an array of 1 to')]);
  });

  it.each([[undefined], ['x'], [null], [{}]])('refuses columns that are not a list: %j', (columns) => {
    expect(faultsOf({ tables: [{ key: 'a', columns }] })).toEqual([
      expect.stringContaining('output.tables[0].columns must be an array of 1 to'),
    ]);
  });

  it.each([
    [{ enum: ['a', 'b'] }, 'output.schema.enum'],
    [{ type: 'string', enum: ['a', 'b'] }, 'output.schema.enum'],
    [{ type: 'boolean' }, 'output.schema.type'],
    [{ type: ['boolean', 'null'] }, 'output.schema.type'],
  ])('refuses %j, which nothing can fill', (schema, place) => {
    expect(faultsOf({ schema })).toEqual([expect.stringMatching(`^${place} `)]);
  });

  it.each([[''], ['.'], ['..'], ['__proto__'], ['x'.repeat(65)]])('refuses the key %j', (key) => {
    const [table, column] = [
      { key, columns: [{ key: 'x' }] },
      { key: 'a', columns: [{ key }] },
    ];
    expect(faultsOf({ tables: [table, column] }).map((fault) => fault.split(' ')[0])).toEqual([
      'output.tables[0].key',
      'output.tables[1].columns[0].key',
    ]);
  });

  it.each([[''], ['.'], ['..']])('refuses the property %j of a schema as a table or a column', (name) => {
    const list = (column: string) => ({ type: 'array', items: { properties: { [column]: {} } } });
    const fault = [
      expect.stringMatching(/^output\.schema must not have "\.?\.?" as the key of a table or a column: /),
    ];
    expect(faultsOf({ schema: { properties: { [name]: list('x') } } })).toEqual(fault);
    expect(faultsOf({ schema: { properties: { rows: list(name) } } })).toEqual(fault);
    expect(faultsOf({ schema: { properties: { [name]: { type: 'string' } } } })).toEqual([]);
  });

  it('reports every invalid field of its tables', () => {
    const tables = [
      { key: 'a', columns: [{ key: 'x' }, { key: 'x' }] },
      {
        key: 'a',
        max_rows: 0,
        entity: 'robot',
        columns: [{ key: 'y', qualification: { criterion: '', effect: 'maybe' } }],
      },
    ];
    expect(faultsOf({ tables }).map((fault) => fault.split(' ')[0])).toEqual([
      'output.tables[0].columns[1].key',
      'output.tables[1].entity',
      'output.tables[1].max_rows',
      'output.tables[1].columns[0].qualification.criterion',
      'output.tables[1].columns[0].qualification.effect',
      'output.tables[1].key',
    ]);
  });

  it('reports the first hundred errors in message and details alike, and counts the others', () => {
    const unknown = Object.fromEntries(Array.from({ length: 103 }, (_, n) => [`more_${n}`, n]));
    const outcome = (() => {
      try {
        return readOutputContract({ tables: [{ key: 'a', columns: [{ key: 'x' }], ...unknown }] });
      } catch (error) {
        return error;
      }
    })() as AppError;
    expect(outcome.details).toHaveLength(100);
    for (const { message } of outcome.details ?? []) expect(outcome.message).toContain(message);
    expect(outcome.message).toMatch(/; and 3 more$/);
  });

  it('accepts a subset of JSON Schema, eight levels deep and 64 KiB long', () => {
    expect(faultsOf({ schema: nested(8) })).toEqual([]);
    expect(faultsOf({ schema: nested(9) })).toHaveLength(1);
    expect(faultsOf({ schema: { type: 'object', patternProperties: {} } })).toEqual([
      'output.schema.patternProperties is not a supported schema keyword',
    ]);
    expect(faultsOf({ schema: { type: 'string', description: 'x'.repeat(70_000) } })).toEqual([
      'output must be at most 64 KiB',
    ]);
  });

  it('accepts at most 200 values in a row of a schema', () => {
    const rowOf = (count: number) => {
      const names = Array.from({ length: count }, (_, i) => [`v${i}`, {}]);
      return { type: 'array', items: { type: 'object', properties: Object.fromEntries(names) as object } };
    };
    expect(faultsOf({ schema: rowOf(200) })).toEqual([]);
    expect(faultsOf({ schema: rowOf(201) })).toEqual(['output.schema must have at most 200 values in a row']);
  });

  it('defines a table for each top-level array of objects', () => {
    const schema = {
      type: 'object',
      properties: {
        firms: { type: 'array', items: { type: 'object' } },
        tags: { type: 'array', items: { type: 'string' } },
        people: { type: ['array', 'null'], items: { type: ['object', 'null'] } },
        sites: { type: 'array', items: { properties: { url: {} } } },
        rest: { type: 'array', items: {} },
      },
    };
    expect(readOutputContract({ schema }).tables.map(({ key }) => key)).toEqual(['firms', 'people', 'sites']);
  });

  it('defines columns for the properties of an object in a row, and names those of the row itself', () => {
    const texts = (...names: string[]) => ({
      type: 'object',
      properties: Object.fromEntries(names.map((each) => [each, { type: 'string' }])),
      required: names,
    });
    const row = {
      type: 'object',
      properties: {
        employer: texts('name', 'domain'),
        hq: { type: ['object', 'null'], properties: { address: texts('city', 'name') } },
        organization: { properties: { location: texts('country') } },
        ceo: texts('name'),
        employer_name: { type: 'string' },
      },
      required: ['employer'],
    };
    const schema = {
      type: 'object',
      properties: {
        people: { type: 'array', maxItems: 7, items: row },
        company: texts('domain'),
        meta: texts('a'),
      },
    };
    const { tables } = readOutputContract({ schema });
    expect(tables.map((each) => [each.key, each.maxRows])).toEqual([
      ['people', 7],
      ['company', 1],
    ]);
    expect(tables[0]!.columns.map((each) => [each.key, each.name, each.required])).toEqual([
      ['employer_name', 'company name', true],
      ['employer_domain', 'company domain', true],
      ['hq_address_city', 'city', false],
      ['hq_address_name', null, false],
      ['organization_location_country', 'company country', false],
      ['ceo_name', null, false],
    ]);
  });

  it('defines a table of people for companies that list their people, with the columns of both', () => {
    const text = { type: 'string' };
    const person = { type: 'object', properties: { name: text, title: text }, required: ['name'] };
    const company = (list: string, item: object = person) => ({
      type: 'object',
      properties: {
        [list]: { type: 'array', items: item, maxItems: 3 },
        name: text,
        companyDomain: text,
        email: { type: 'string', format: 'email' },
        location: { type: 'object', properties: { city: text } },
      },
      required: [list, 'name'],
    });
    const tableOf = (name: string, items: object) => {
      const properties = { [name]: { type: 'array', items, maxItems: 20 } };
      return readOutputContract({ schema: { type: 'object', properties } }).tables[0]!;
    };
    const { columns, ...table } = tableOf('accounts', company('keyContacts'));
    const byCompany = { companiesMax: 20, peopleMax: 3 };
    expect(table).toEqual({ key: 'accounts', name: null, entity: 'person', maxRows: null, byCompany });
    // An address of the company is not that of its person.
    expect(columns.map(({ kind }) => kind)).not.toContain('email');
    expect(columns.map((each) => [each.key, each.name, each.required])).toEqual([
      ['name', null, true],
      ['title', null, false],
      ['company_name', 'company name', true],
      ['company_companyDomain', 'company Domain', false],
      ['company_email', 'company email', false],
      ['company_location_city', 'company city', false],
    ]);
    // A list of founders says more about people than that they work there; a list of texts is a column.
    expect(tableOf('companies', company('founders')).byCompany).toBeUndefined();
    expect(tableOf('companies', company('contacts', text)).byCompany).toBeUndefined();
    expect(tableOf('people', company('contacts')).byCompany).toBeUndefined();
  });

  it.each<[string, string, object, object | null]>([
    ['an office', 'clinics', { owner: ['name', 'email'] }, { role: 'owner' }],
    ['values of an office', 'companies', { ceoName: null, ceoEmail: null }, { role: 'ceo' }],
    ['a head of a department', 'firms', { marketing_head: ['name'] }, { role: 'marketing head' }],
    ['a contact', 'companies', { contact: ['first_name', 'title'] }, { role: null }],
    ['a text that is not required', 'companies', { ceo: null }, null],
    ['a contact without a name', 'companies', { contact: ['email', 'phone'] }, null],
    ['two offices', 'companies', { ceo_name: null, cto_name: null }, null],
    ['an office in the row of a person', 'leads', { owner_name: null }, null],
    [
      'a contact beside a company, which may be the row',
      'results',
      { company: null, contact: ['name'] },
      null,
    ],
    ['a name and a company, whose row is a person', 'results', { company: null, ceo_name: null }, null],
  ])('defines a table of one person of each company for the columns of %s', (_, name, more, contact) => {
    const text = { type: 'string' };
    const own = Object.entries({ name: null, website: null, ...more }).map(([key, names]) => [
      key,
      names === null
        ? text
        : { type: 'object', properties: Object.fromEntries((names as string[]).map((each) => [each, text])) },
    ]);
    const items = { type: 'object', properties: Object.fromEntries(own) };
    const properties = { [name]: { type: 'array', items, maxItems: 20 } };
    const table = readOutputContract({ schema: { type: 'object', properties } }).tables[0]!;
    expect(table.byCompany).toEqual(
      contact === null ? undefined : { companiesMax: 20, peopleMax: 1, contact },
    );
    if (contact === null) return;
    expect(table).toMatchObject({ entity: 'person', maxRows: null });
    expect(table.columns.slice(0, 3).map(({ key, spoken }) => [key, spoken])).toEqual([
      ['name', 'company name'],
      ['website', 'company website'],
      [
        expect.stringMatching(/^(?:owner|ceo|contact|marketing_head)/),
        expect.stringMatching(/^(?:first_)?name$/),
      ],
    ]);
  });

  it('takes a required text that is called after an office for the name of that person', () => {
    const text = { type: 'string' };
    const items = { properties: { name: text, ceo: text, ceo_email: text }, required: ['ceo'] };
    const schema = { type: 'object', properties: { companies: { type: 'array', items } } };
    const [companies] = readOutputContract({ schema }).tables;
    expect(companies!.byCompany?.contact).toEqual({ role: 'ceo' });
    expect(companies!.columns.map(({ key, spoken }) => [key, spoken])).toEqual([
      ['ceo', 'name'],
      ['name', 'company name'],
      ['ceo_email', 'email'],
    ]);
  });

  it('takes a contact without another name in the row of a person for that person', () => {
    const row = {
      properties: {
        company: {},
        contact_name: {},
        contact_title: {},
        contact_info: { properties: { x: {} } },
      },
    };
    const [leads] = readOutputContract({
      schema: { type: 'object', properties: { leads: { type: 'array', items: row } } },
    }).tables;
    expect(leads!.columns.map(({ key, spoken }) => [key, spoken])).toEqual([
      ['company', undefined],
      ['contact_name', 'name'],
      ['contact_title', 'title'],
      ['contact_info_x', 'x'],
    ]);
  });

  it('refuses an object beside its tables that nothing fills, if it requires properties', () => {
    const row = { type: 'object', properties: { name: { type: 'string' } } };
    const companies = { type: 'array', items: row };
    const faultsFor = (data: object, required = ['data']) =>
      faultsOf({ schema: { type: 'object', properties: { companies, data }, required } });
    expect(faultsFor({ ...row, required: ['name'] })).toEqual([
      expect.stringMatching(/^output\.schema\.properties\.data must not require properties: /),
    ]);
    expect(faultsFor(row)).toEqual([]);
    expect(faultsFor({ ...row, required: ['name'] }, [])).toEqual([]);
    expect(faultsFor({ ...row, type: ['object', 'null'], required: ['name'] })).toEqual([]);
  });

  it('defines the table “row” of one row for an object that has the values of a row', () => {
    const text = { type: 'string' };
    const place = { type: 'object', properties: { city: text } };
    const of = (properties: object) => readOutputContract({ schema: { type: 'object', properties } }).tables;
    const [row, ...others] = of({
      name: text,
      location: place,
      tags: { type: 'array', items: text },
      summary: text,
    });
    expect(others).toEqual([]);
    expect(row).toMatchObject({ key: 'row', entity: null, maxRows: 1 });
    expect(row!.columns.map((each) => each.key)).toEqual(['name', 'location_city', 'tags']);
    expect(of({ name: text, total: { type: 'integer' } })[0]!.maxRows).toBe(1);
    const [firm] = of({ name: text, num_employees: {}, number_of_employees: {}, result: text });
    expect(firm!.columns.map((each) => each.key)).toEqual(['name', 'num_employees', 'number_of_employees']);
    expect(firm!.maxRows).toBe(1);
    const contact = { type: 'object', properties: { name: text } };
    const [ofContact] = of({ contact, company: text });
    expect(ofContact!.columns[0]).toMatchObject({ key: 'contact_name', name: 'person name' });
    expect(of({ total: { type: 'integer' }, summary: text, v: { const: 1 } })).toEqual([]);
    expect(of({ domains: { type: 'array', items: text } })).toEqual([]);
    expect(of({ company: place, note: text }).map((each) => each.key)).toEqual(['company']);
    expect(of({ company: place, title: text }).map((each) => each.key)).toEqual(['row']);
  });

  it('refuses a list of rows within an object, which nothing fills', () => {
    const data = { type: 'object', properties: { companies: { type: 'array', items: { type: 'object' } } } };
    expect(faultsOf({ schema: { type: 'object', properties: { data } } })).toEqual([
      'output.schema.properties.data must not contain a list of objects: lists of rows are at the top',
    ]);
  });

  it('has columns in the order of the required ones, as a stored schema keeps it', () => {
    const properties = Object.fromEntries(
      ['ceo', 'name', 'note', 'domain'].map((each) => [each, { type: 'string' }]),
    );
    const schema = {
      type: 'array',
      items: { type: 'object', properties, required: ['name', 'domain', 'ceo'] },
    };
    const [table] = readOutputContract({ schema }).tables;
    expect(table!.columns.map((each) => each.key)).toEqual(['name', 'domain', 'ceo', 'note']);
  });

  it('defines the table “items” for an array of objects alone, with the kinds of its columns', () => {
    const properties = { site: { type: 'string', format: 'uri' }, staff: { type: ['null', 'integer'] } };
    const schema = { type: 'array', items: { type: 'object', properties, required: ['site'] } };
    const columns = [
      { key: 'site', name: null, kind: 'url', required: true, qualification: {} },
      { key: 'staff', name: null, kind: 'number', required: false, qualification: {} },
    ];
    expect(readOutputContract({ schema }).tables).toEqual([
      { key: 'items', name: null, entity: null, maxRows: null, columns },
    ]);
  });
});
