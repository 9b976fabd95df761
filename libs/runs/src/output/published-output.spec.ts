import { describe, expect, it } from '@jest/globals';
import { readOutputContract } from '@quarry/plan';
import { publishedOutput, type PublishedTable } from './published-output.js';

describe('the published output', () => {
  const table: PublishedTable = {
    key: 'firms',
    name: 'Firms',
    tableId: 'tbl_1',
    columns: [],
    rowCount: 2,
    fitCounts: { qualified: 2, disqualified: 0, unknown: 0 },
  };
  const rows = [
    { name: 'A', headcount: 5 },
    { name: null, headcount: 7 },
  ];
  const publish = (schema: Record<string, unknown>) =>
    publishedOutput('run_1', readOutputContract({ schema }), [table], {
      message: 'Two firms.',
      rowsOf: () => Promise.resolve(rows),
    });
  const schemaOf = (item: Record<string, unknown>) => ({
    type: 'object',
    properties: { firms: { type: 'array', items: { type: 'object', ...item } } },
    required: ['firms'],
  });

  it('meets the schema with the types that it asks for', async () => {
    const schema = schemaOf({
      properties: { name: { type: ['string', 'null'] }, headcount: { type: 'string' } },
    });
    expect(await publish(schema)).toEqual({
      kind: 'valid',
      value: {
        firms: [
          { name: 'A', headcount: '5' },
          { name: null, headcount: '7' },
        ],
      },
    });
  });

  it('leaves out rows that cannot meet it', async () => {
    const schema = schemaOf({ properties: { name: { type: 'string' } }, required: ['name'] });
    expect(await publish(schema)).toEqual({ kind: 'valid', value: { firms: [{ name: 'A' }] } });
  });

  it('is invalid when even that does not help', async () => {
    const schema = {
      ...schemaOf({}),
      properties: { firms: schemaOf({}).properties.firms, secret: { type: 'string', enum: ['x'] } },
      required: ['firms', 'secret'],
    };
    expect(await publish(schema)).toMatchObject({ kind: 'invalid' });
  });
});
