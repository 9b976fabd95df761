import { describe, expect, it } from '@jest/globals';
import { readOutputContract } from '@quarry/plan';
import type { PublishedTable } from './listed-rows.js';
import { publishedOutput } from './published-output.js';

const STUDY = { field: 'Law', degree: 'MA', school: 'Oslo', end_year: 2004 };
const JOB = { title: 'CTO', company: 'Acme', end_year: null, start_year: 2019 };

describe('the published output', () => {
  const table: PublishedTable = {
    key: 'firms',
    name: 'Firms',
    tableId: 'tbl_1',
    columns: ['name', 'headcount'].map((key) => ({ key, name: key, kind: 'text', qualification: {} })),
    rowCount: 2,
    fitCounts: { qualified: 2, disqualified: 0, unknown: 0 },
  };
  const rows = [
    { name: 'A', headcount: 5 },
    { name: null, headcount: 7 },
  ];
  const publish = (schema: Record<string, unknown>) =>
    publishedOutput('run_1', readOutputContract({ schema }), [table], {
      messageOf: (leftOut) =>
        leftOut.length === 0 ? 'Two firms.' : `${leftOut[0]!.published} of ${leftOut[0]!.total} firms.`,
      rowsOf: () => Promise.resolve(rows),
    });
  const schemaOf = (item: Record<string, unknown>) => ({
    type: 'object',
    properties: { firms: { type: 'array', items: { type: 'object', ...item } } },
    required: ['firms'],
  });

  it('meets the schema with the types that it requires', async () => {
    const schema = schemaOf({
      properties: { name: { type: ['string', 'null'] }, headcount: { type: 'string' } },
    });
    expect(await publish(schema)).toMatchObject({
      kind: 'valid',
      value: {
        firms: [
          { name: 'A', headcount: '5' },
          { name: null, headcount: '7' },
        ],
      },
    });
  });

  it('keeps a value of one of several types as it is', async () => {
    const name = { type: ['string', 'number', 'array', 'null'] };
    const headcount = { type: ['string', 'integer', 'array'] };
    expect(await publish(schemaOf({ properties: { name, headcount } }))).toMatchObject({
      value: { firms: rows },
    });
  });

  it.each([
    [{ type: 'string' }, 'Two firms.'],
    [{ type: ['string', 'null'] }, 'Two firms.'],
    [{ type: 'integer' }, 2],
    [{ const: 'v1' }, 'v1'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, ['A', null]],
    [{ type: 'array' }, rows],
    [{ type: ['array', 'null'] }, rows],
    [
      { type: 'array', items: { properties: { headcount: { type: 'string' } } } },
      [{ headcount: '5' }, { headcount: '7' }],
    ],
    [{ type: 'object', properties: { firms: { type: ['array', 'null'] } } }, { firms: rows }],
  ])('of %j alone has a value', async (schema, value) => {
    expect(await publish(schema)).toEqual({ kind: 'valid', value, leftOut: [] });
  });

  it('has the constants of the schema in each row, and leaves out rows with other values', async () => {
    const schema = schemaOf({
      properties: { source: { const: 'quarry' }, headcount: { const: 5 } },
      required: ['source'],
    });
    expect(await publish(schema)).toMatchObject({
      kind: 'valid',
      value: { firms: [{ source: 'quarry', headcount: 5 }] },
      leftOut: [{ published: 1, total: 2, properties: ['headcount'] }],
    });
  });

  it('that is a list of texts has the first column, and leaves out rows without a value', async () => {
    expect(await publish({ type: 'array', items: { type: 'string' } })).toEqual({
      kind: 'valid',
      value: ['A'],
      leftOut: [{ key: 'firms', published: 1, total: 2, properties: [] }],
    });
  });

  it('has the values of a column in a list that is named by its plural', async () => {
    const texts = { type: 'array', items: { type: 'string' } };
    const schema = { type: 'object', properties: { names: texts, tags: texts, total: { type: 'integer' } } };
    expect(await publish(schema)).toEqual({
      kind: 'valid',
      value: { names: ['A'], tags: [], total: 1 },
      leftOut: [{ key: 'firms', published: 1, total: 2, properties: [] }],
    });
  });

  it('has in a list named “names” those of people, and in one named “urls” no address of a profile', async () => {
    const texts = { type: 'array', items: { type: 'string' } };
    const schema = { type: 'object', properties: { names: texts, urls: texts } };
    const columns = ['full_name', 'linkedin_url'].map((key) => ({ ...table.columns[0]!, key, name: key }));
    const rowsOf = () =>
      Promise.resolve([{ full_name: 'Ann Lee', linkedin_url: 'https://linkedin.com/in/ann' }]);
    const people = { ...table, columns, rowCount: 1 };
    expect(
      await publishedOutput('run_1', readOutputContract({ schema }), [people], {
        messageOf: () => '',
        rowsOf,
      }),
    ).toEqual({ kind: 'valid', value: { names: ['Ann Lee'], urls: [] }, leftOut: [] });
  });

  it('lists people in their companies, at most as many as the schema allows, and leaves out the others', async () => {
    const text = { type: 'string' };
    const people = { type: 'object', properties: { name: text, email: text }, required: ['name'] };
    const properties = {
      name: text,
      domain: { type: ['string', 'null'] },
      contacts: { type: 'array', items: people, minItems: 1, maxItems: 2 },
    };
    const item = { type: 'object', properties, required: ['name', 'contacts'] };
    const schema = {
      type: 'object',
      properties: { firms: { type: 'array', items: item }, total: { type: 'integer' } },
    };
    const of = (company: string | null, name: string | null, email: string | null = null) => ({
      name,
      email,
      company_name: company,
      company_domain: company && `${company.toLowerCase()}.example`,
    });
    const found = [
      of('A', 'Ann', 'ann@a.example'),
      of('B', 'Bob'),
      of('A', 'Al'),
      of('A', 'Abe'),
      of(null, 'Nobody'),
      of('C', null, 'info@c.example'),
      { ...of('A', 'Ada'), company_domain: 'other-a.example' },
    ];
    const sources = { messageOf: () => '', rowsOf: () => Promise.resolve(found) };
    expect(await publishedOutput('run_1', readOutputContract({ schema }), [table], sources)).toEqual({
      kind: 'valid',
      value: {
        firms: [
          {
            name: 'A',
            domain: 'a.example',
            contacts: [{ name: 'Ann', email: 'ann@a.example' }, { name: 'Al' }],
          },
          { name: 'B', domain: 'b.example', contacts: [{ name: 'Bob' }] },
          { name: 'A', domain: 'other-a.example', contacts: [{ name: 'Ada' }] },
        ],
        total: 3,
      },
      leftOut: [{ key: 'firms', published: 4, total: 7, properties: ['name'] }],
    });
  });

  it('has rows of companies as items where a plan of an earlier version has a column for the list of people', async () => {
    const text = { type: 'string' };
    const contacts = { type: 'array', items: { type: 'object', properties: { name: text } } };
    const columns = [...table.columns, { ...table.columns[0]!, key: 'contacts' }];
    const schema = schemaOf({ properties: { name: text, contacts }, required: ['name'] });
    const sources = { messageOf: () => '', rowsOf: () => Promise.resolve(rows) };
    expect(
      await publishedOutput('run_1', readOutputContract({ schema }), [{ ...table, columns }], sources),
    ).toMatchObject({ value: { firms: [{ name: 'A' }] } });
  });

  it('beside a list gives no count and no message to what is called otherwise and may be absent or null', async () => {
    const schema = schemaOf({ properties: { name: { type: ['string', 'null'] } } });
    const beside = {
      year: { type: 'integer' },
      country: { type: ['string', 'null'] },
      company_count: { type: 'integer' },
      rounds: { type: 'integer' },
    };
    const wanted = {
      ...schema,
      properties: { ...schema.properties, ...beside },
      required: ['firms', 'rounds'],
    };
    expect(await publish(wanted)).toMatchObject({ value: { country: null, company_count: 2, rounds: 2 } });
    const outcome = await publish(wanted);
    expect(outcome.kind === 'valid' && outcome.value).not.toHaveProperty('year');
  });

  it('has the constant of a list, whatever column the list is called by', async () => {
    const names = { type: 'array', items: { type: 'string' }, const: ['X'] };
    const wanted = { kind: 'valid', value: { names: ['X'] }, leftOut: [] };
    expect(await publish({ type: 'object', properties: { names } })).toEqual(wanted);
  });

  it('reads a table once for all lists of its columns', async () => {
    const texts = { type: 'array', items: { type: ['string', 'null'] } };
    const schema = { type: 'object', properties: { names: texts, headcounts: texts } };
    let reads = 0;
    const rowsOf = () => {
      reads += 1;
      return Promise.resolve(rows);
    };
    await publishedOutput('run_1', readOutputContract({ schema }), [table], { messageOf: () => '', rowsOf });
    expect(reads).toBe(1);
  });

  it('has as many values in a list as it may have, and each once if they are unique', async () => {
    const names = { type: 'array', items: { type: ['string', 'null'] } };
    expect(await publish({ ...names, maxItems: 1 })).toMatchObject({ kind: 'valid', value: ['A'] });
    const none = { type: 'array', items: { properties: { other: { type: 'null' } } }, uniqueItems: true };
    const schema = { type: 'object', properties: { firms: none }, required: ['firms'] };
    expect(await publish(schema)).toMatchObject({ kind: 'valid', value: { firms: [{ other: null }] } });
  });

  it('omits an optional object in a row, and not the row, where it lacks a value that it requires', async () => {
    const text = { type: 'string' };
    const ceo = { type: 'object', properties: { name: text, role: text }, required: ['name'] };
    const published = (ceoSchema: object, required: string[]) =>
      publish(schemaOf({ properties: { headcount: { type: 'integer' }, ceo: ceoSchema }, required }));
    expect(await published(ceo, [])).toMatchObject({
      value: { firms: [{ headcount: 5 }, { headcount: 7 }] },
    });
    expect(await published({ ...ceo, type: ['object', 'null'] }, ['ceo'])).toMatchObject({
      value: { firms: [{ ceo: null }, { ceo: null }] },
    });
    expect(await published(ceo, ['ceo'])).toMatchObject({
      value: { firms: [] },
      leftOut: [{ properties: ['ceo.name'] }],
    });
  });

  it('is published for a schema whose annotations and lists are unusual', async () => {
    const schema = schemaOf({
      properties: { headcount: { type: ['integer', 'integer'], description: 5 } },
      required: ['headcount', 'headcount'],
    });
    expect(await publish(schema)).toMatchObject({ kind: 'valid', leftOut: [] });
  });

  it('meets a schema with as many properties as a request has room for', async () => {
    const properties = Array.from({ length: 2_000 }, (_, n) => [`p${n}`, { type: 'null' }]);
    const { properties: lists } = schemaOf({});
    const schema = { type: 'object', properties: { ...lists, ...Object.fromEntries(properties) } };
    expect(await publish(schema)).toMatchObject({ kind: 'valid', leftOut: [] });
  });

  it('counts the rows of its longest list, in numbers as in the message', async () => {
    const listOf = (type: string) => ({ type: 'array', items: { type } });
    const properties = { names: listOf('string'), headcounts: listOf('integer'), total: { type: 'integer' } };
    expect(await publish({ type: 'object', properties })).toEqual({
      kind: 'valid',
      value: { names: ['A'], headcounts: [5, 7], total: 2 },
      leftOut: [],
    });
  });

  it('has objects in its rows, from the columns that are named after them', async () => {
    const place = { properties: { city: { type: ['string', 'null'] } } };
    const company = {
      type: 'object',
      properties: { name: { type: 'string' }, place: { type: ['object', 'null'], ...place } },
      required: ['name'],
    };
    const contract = readOutputContract({
      schema: {
        type: 'object',
        properties: { people: { type: 'array', items: { properties: { company }, required: ['company'] } } },
      },
    });
    const found = [
      { company_name: 'A', company_place_city: 'Rome' },
      { company_name: 'B', company_place_city: null },
      { company_name: null, company_place_city: 'Oslo' },
    ];
    const sources = { messageOf: () => '', rowsOf: () => Promise.resolve(found) };
    expect(await publishedOutput('run_1', contract, [{ ...table, key: 'people' }], sources)).toEqual({
      kind: 'valid',
      value: {
        people: [
          { company: { name: 'A', place: { city: 'Rome' } } },
          { company: { name: 'B', place: null } },
        ],
      },
      leftOut: [{ key: 'people', published: 2, total: 3, properties: ['company.name'] }],
    });
  });

  it('without a list has an object from the columns named after it, and null where the row has no value', async () => {
    const text = { type: ['string', 'null'] };
    const location = { type: 'object', properties: { city: text, zip: text } };
    const contract = readOutputContract({
      schema: {
        type: 'object',
        properties: { name: text, phone: text, location, summary: { type: 'string' } },
      },
    });
    const columns = ['name', 'phone', 'location_city', 'location_zip'].map((key) => ({
      ...table.columns[0]!,
      key,
    }));
    const rowsOf = () =>
      Promise.resolve([{ name: 'A', phone: null, location_city: 'Rome', location_zip: null }]);
    const shown = { ...table, key: 'row', columns };
    expect(
      await publishedOutput('run_1', contract, [shown], { messageOf: () => 'One.', rowsOf }),
    ).toMatchObject({
      kind: 'valid',
      value: { name: 'A', phone: null, location: { city: 'Rome', zip: null }, summary: 'One.' },
    });
  });

  it.each([
    [[{ name: 'A' }], { company: { name: 'A' }, total: 1 }],
    [[], null],
  ])('has one object with the name of a row, and needs it: of %j', async (found, value) => {
    const company = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const contract = readOutputContract({
      schema: { type: 'object', properties: { company, total: { type: 'integer' } }, required: ['company'] },
    });
    const sources = { messageOf: () => '', rowsOf: () => Promise.resolve(found) };
    const outcome = await publishedOutput('run_1', contract, [{ ...table, key: 'company' }], sources);
    expect(outcome).toMatchObject(value ? { kind: 'valid', value } : { kind: 'invalid' });
  });

  it('leaves out rows that cannot match it', async () => {
    const schema = schemaOf({ properties: { name: { type: 'string' } }, required: ['name'] });
    expect(await publish(schema)).toEqual({
      kind: 'valid',
      value: { firms: [{ name: 'A' }] },
      leftOut: [{ key: 'firms', published: 1, total: 2, properties: ['name'] }],
    });
  });

  it('counts only its own rows in every other field', async () => {
    const { properties } = schemaOf({
      properties: { name: { type: 'string' }, 'fax/no': { type: 'string' } },
      required: ['name', 'fax/no'],
    });
    const schema = {
      type: 'object',
      properties: { ...properties, total: { type: 'integer' }, summary: { type: 'string' } },
      required: ['firms', 'total', 'summary'],
    };
    expect(await publish(schema)).toEqual({
      kind: 'valid',
      value: { firms: [], total: 0, summary: '0 of 2 firms.' },
      leftOut: [{ key: 'firms', published: 0, total: 2, properties: ['fax/no', 'name'] }],
    });
  });

  it('is invalid if leaving out rows does not help', async () => {
    const schema = {
      ...schemaOf({}),
      properties: { firms: schemaOf({}).properties.firms, secret: { type: 'string', enum: ['x'] } },
      required: ['firms', 'secret'],
    };
    expect(await publish(schema)).toMatchObject({ kind: 'invalid' });
  });

  it('is null for a property that no row has, even if JavaScript objects inherit one of that name', async () => {
    const schema = schemaOf({
      properties: { name: { type: ['string', 'null'] }, constructor: { type: ['string', 'null'] } },
    });
    expect(await publish(schema)).toMatchObject({
      kind: 'valid',
      value: {
        firms: [
          { name: 'A', constructor: null },
          { name: null, constructor: null },
        ],
      },
    });
  });

  it.each([
    [{ type: 'string' }, 5, '5'],
    [{ type: 'string' }, true, 'true'],
    [{ type: 'string' }, ['a', 2], 'a; 2'],
    [{ type: ['string', 'array'] }, ['a'], ['a']],
    [{ type: 'string' }, [STUDY], 'MA, Law, Oslo (until 2004)'],
    [{ type: 'array', items: { type: 'string' } }, [JOB], ['CTO at Acme (2019 – present)']],
    [
      {
        type: 'array',
        items: { type: 'object', properties: { title: { type: 'string' } }, additionalProperties: false },
      },
      [JOB],
      [{ title: 'CTO' }],
    ],
    [{ type: 'array', items: { type: 'object' } }, [JOB], [JOB]],
    [{ type: 'number' }, ' 4.5 ', 4.5],
    [{ type: 'integer' }, '7', 7],
    [{ type: ['number', 'null'] }, null, null],
    [{ type: 'array' }, 'a', ['a']],
    [{}, { any: 1 }, { any: 1 }],
    [{ enum: ['vp', 'c_level'] }, 'C-Level', 'c_level'],
    [{ enum: ['1-50', '51–200', '201+'] }, 51, '51–200'],
    [{ enum: ['1 to 999', '1,000 - 5,000 employees', '5k+'] }, 4_200, '1,000 - 5,000 employees'],
    [{ enum: ['1-1k', '1k-5k', '5k+'] }, 7_000, '5k+'],
    [{ enum: [1, 2] }, 2, 2],
    [{ enum: ['small', '51-'] }, 51, undefined],
    [{ type: 'string', enum: ['US', 'DE'] }, 'Germany', 'DE'],
    [{ type: ['string', 'null'], enum: ['United States', null] }, 'US', 'United States'],
    // A row is omitted when one of its values cannot have the requested type.
    [{ type: 'integer' }, '7.5', undefined],
    [{ type: 'number' }, 'many', undefined],
    [{ type: 'number' }, ' ', undefined],
    [{ type: 'boolean' }, 'true', undefined],
    [{ type: 'string', format: 'email' }, 'nobody', undefined],
    [{ type: 'string', enum: ['a'] }, 'b', undefined],
    [{ enum: ['AT', null] }, 'Germany', undefined],
  ])('converts a value to the required type, and to no other: %j of %j', async (schema, value, wanted) => {
    const contract = readOutputContract({
      schema: { type: 'array', items: { type: 'object', properties: { v: schema }, required: ['v'] } },
    });
    const sources = { messageOf: () => '', rowsOf: () => Promise.resolve([{ v: value }]) };
    expect(await publishedOutput('run_1', contract, [table], sources)).toMatchObject({
      kind: 'valid',
      value: wanted === undefined ? [] : [{ v: wanted }],
    });
  });

  it('includes message and row count of the run, next to tables, if requested', async () => {
    const { properties } = schemaOf({});
    const schema = {
      type: 'object',
      properties: {
        ...properties,
        summary: { type: 'string' },
        total: { type: 'integer' },
        version: { const: 'v1' },
        others: { type: 'array', items: { type: 'object' } },
        note: { type: ['null', 'boolean'] },
        more: { type: 'object' },
      },
      required: ['firms', 'summary', 'total'],
      additionalProperties: false,
    };
    expect(await publish(schema)).toMatchObject({
      kind: 'valid',
      value: {
        firms: [{}, {}],
        summary: 'Two firms.',
        total: 2,
        version: 'v1',
        others: [],
        note: null,
        more: {},
      },
    });
  });

  it.each([
    ['its first row', rows, { name: 'A', headcount: 5, total: 2 }],
    ['nothing if there is no row', [], { name: null, total: 2 }],
  ])('without a list gives for the named columns %s', async (_, found, value) => {
    const contract = readOutputContract({
      schema: {
        type: 'object',
        properties: {
          name: { type: ['string', 'null'] },
          headcount: { type: 'integer' },
          total: { type: 'integer' },
        },
      },
    });
    const column = (key: string) => ({ key, name: key, kind: 'text' as const, qualification: {} });
    const shown = { ...table, columns: ['name', 'headcount'].map(column) };
    const sources = { messageOf: () => 'Two firms.', rowsOf: () => Promise.resolve(found) };
    expect(await publishedOutput('run_1', contract, [shown], sources)).toEqual({
      kind: 'valid',
      value,
      leftOut: [],
    });
  });

  it('names tables with their counts, and a URL that is valid for any key', async () => {
    const contract = readOutputContract({ tables: [{ key: 'a/b c', columns: [{ key: 'x' }] }] });
    const named = { ...table, key: 'a/b c' };
    const sources = { messageOf: () => '', rowsOf: () => Promise.reject(new Error('not read')) };
    expect(await publishedOutput('run_1', contract, [named], sources)).toMatchObject({
      kind: 'valid',
      value: {
        tables: [
          {
            key: 'a/b c',
            name: 'Firms',
            columns: table.columns,
            row_count: 2,
            fit_counts: table.fitCounts,
            links: { rows: '/v1/runs/run_1/output/tables/a%2Fb%20c/rows' },
          },
        ],
      },
    });
  });
});
