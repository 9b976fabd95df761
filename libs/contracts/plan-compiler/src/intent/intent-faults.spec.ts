import { describe, expect, it } from '@jest/globals';
import {
  emptyIntent,
  PLAN_INTENT,
  readIntentSchema,
  type ContractTable,
  type TableProfile,
} from '@quarry/plan';
import { z } from 'zod';
import { intentFaults } from './intent-faults.js';

const PROMPT = 'fintech companies in Berlin';
const EMPTY = emptyIntent('company', { source: { kind: 'directory' }, output_table: null });
const INDUSTRY = {
  of: 'company',
  filter: 'industries',
  op: 'any_of',
  value: ['fintech'],
  fragments: ['fintech'],
};

function faults(
  change: Record<string, unknown>,
  beside: { output?: ContractTable; table?: TableProfile } = {},
): string[] {
  const { output = null, table = null } = beside;
  return intentFaults({ ...EMPTY, ...change }, { prompt: PROMPT, output, table });
}

describe("the validation of a planner's intent", () => {
  it('accepts one whose words are known and whose fragments are in the prompt', () => {
    expect(faults({ filters: [INDUSTRY] })).toEqual([]);
  });

  it.each([
    [
      { ...INDUSTRY, value: ['crypto'] },
      'filters.0.value.0: company filter "industries": Invalid option: expected one of "software"',
    ],
    [{ ...INDUSTRY, value: undefined }, 'filters.0.value: company filter "industries": is required'],
    [
      { ...INDUSTRY, op: 'between' },
      'filters.0.op: company filter "industries": Invalid input: expected "any_of"',
    ],
    [
      { ...INDUSTRY, filter: 'mood' },
      'filters.0.filter: company filter "mood": must be one of "names", "domains", "industries"',
    ],
    [
      { ...INDUSTRY, of: 'ship' },
      'filters.0.of: ship filter "industries": must be one of "company", "person"',
    ],
    [
      { ...INDUSTRY, reading: 'Fintech' },
      'filters.0: company filter "industries": Unrecognized key: "reading"',
    ],
    [
      { column: 'x', op: 'number', value: [{ min: 'one', max: null }], fragments: ['in'] },
      'filters.0.value.0.min: column check "number": Invalid input: expected number, received string',
    ],
    [
      { column: 'x', op: 'near', fragments: ['in'] },
      'filters.0.op: column check "near": must be one of "one_of", "contains"',
    ],
    [
      {
        either: [
          { column: 'x', op: 'filled' },
          { column: 'y', op: 'is', value: 'yes' },
        ],
        fragments: ['in'],
      },
      'filters.0.either.1.value: column check "is": Invalid input: expected boolean, received string',
    ],
    [{ ...INDUSTRY, fragments: ['insurtech'] }, 'filters.0.fragments: "insurtech" is not in the prompt'],
    [{ ...INDUSTRY, fragments: [] }, 'filters.0.fragments: must name'],
    [
      {
        of: 'company',
        filter: 'places',
        op: 'in',
        value: [{ kind: 'city', id: 'DE-atlantis' }],
        fragments: ['Berlin'],
      },
      'filters.0.value: there is no city "DE-atlantis"',
    ],
    [
      { of: 'person', filter: 'names', op: 'named', value: ['Ann'], fragments: ['in'] },
      'filters.0: rows are companies',
    ],
    [{ column: 'x', op: 'filled', fragments: ['in'] }, 'filters.0: only rows of a table'],
  ])('reports the filter %j', (filter, fault) => {
    expect(faults({ filters: [filter] })[0]).toContain(fault);
  });

  it('accepts words of an earlier prompt and of the output contract', () => {
    expect(faults({ filters: [{ ...INDUSTRY, fragments: ['fintechs'], from: 'earlier' }] })).toEqual([]);
  });

  it('reports a duplicate filter, an unknown order and unknown columns', () => {
    const origin = { fragments: ['in'], from: 'prompt' };
    expect(faults({ filters: [INDUSTRY, INDUSTRY] })[0]).toContain(
      'filters.1: company industries is said before',
    );
    expect(faults({ order: { by: 'shoe', direction: 'ascending', ...origin } })[0]).toContain('order.by');
    const column = (source: object) => ({ columns: [{ source, required: false, ...origin }] });
    expect(faults(column({ from: 'service', service: 'getEmail' }))[0]).toContain(
      'rows of a company have no email',
    );
    expect(faults(column({ from: 'table', column: 'x' }))[0]).toContain('there is no column "x"');
    expect(faults(column({ from: 'directory', attribute: 'headcount' }))).toEqual([]);
  });

  it('requires the output contract and the table to be respected', () => {
    const output: ContractTable = { key: 'out', name: null, entity: 'person', maxRows: null, columns: [] };
    expect(faults({}, { output })).toEqual([
      'output_table: must be "out"',
      'entity: the output contract wants person',
    ]);
    const table: TableProfile = {
      id: 'tbl_1',
      name: 'T',
      rowCount: 0,
      columns: [{ key: 'x', name: 'X', kind: 'text' }],
      values: {},
    };
    const source = { kind: 'table', table_id: 'tbl_1' };
    expect(
      faults({ source, filters: [{ column: 'x', op: 'filled', fragments: ['in'] }] }, { table }),
    ).toEqual([]);
    expect(faults({ source, filters: [INDUSTRY] }, { table })[0]).toContain('checked by its columns');
    expect(faults({ source: { kind: 'table', table_id: 'tbl_2' } }, { table })[0]).toContain(
      'names no table',
    );
  });

  it('reports one error per mistake, and not those of every union member', () => {
    expect(faults({ filters: [{ ...INDUSTRY, filter: 'mood' }] })).toHaveLength(1);
    expect(faults({ filters: [{ ...INDUSTRY, value: ['crypto'] }] })).toHaveLength(1);
    expect(faults({ source: { kind: 'sea' } })).toEqual([
      'source.kind: source "sea": must be one of "directory", "table", "web", "nothing"',
    ]);
    const column = { from: 'service', service: 'enrichCompany', inputs: { domain: { valeu: 1 } } };
    const origin = { fragments: ['in'], from: 'prompt' };
    expect(faults({ columns: [{ source: column, required: false, ...origin }] })).toEqual([
      expect.stringMatching(/^columns\.0\.source\.inputs\.domain(\.value)?: source "service": /),
      'columns.0.source.inputs.domain: source "service": Unrecognized key: "valeu"',
    ]);
  });

  it('publishes a JSON Schema of at most 40 KB, with named parts and each vocabulary once', () => {
    const schema = JSON.stringify(readIntentSchema());
    expect(schema.length).toBeLessThanOrEqual(40_000);
    const parts = Object.keys(readIntentSchema().$defs as object);
    expect(parts).toEqual(
      expect.arrayContaining(['intent', 'filter', 'place', 'role', 'industry', 'service']),
    );
    expect(parts.filter((name) => name.startsWith('__'))).toEqual([]);
    for (const word of ['"fintech"', '"series_a"', '"getEmail"', '"vp"', '"dach"'])
      expect(schema.split(word).length).toBeLessThanOrEqual(2);
  });

  it('publishes a JSON Schema with the closed vocabulary', () => {
    const schema = JSON.stringify(z.toJSONSchema(PLAN_INTENT, { io: 'input' }));
    for (const word of ['fintech', 'series_a', 'getEmail', 'headcount', 'starts_with', 'no_rows_described'])
      expect(schema).toContain(`"${word}"`);
  });
});
