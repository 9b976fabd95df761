import { describe, expect, it } from '@jest/globals';
import { emptyIntent, readOutputContract } from '@quarry/plan';
import { compilePlan } from '@quarry/plan-compiler';
import type { Database } from '@quarry/postgres';
import type { LeasedRun } from '../execution/run-lease.store.js';
import type { TableReaderPort } from '../ports/table-writer.port.js';
import { EarlierTables } from './earlier-tables.js';

const person = { type: 'object', properties: { name: { type: 'string' } } };
const company = { type: 'object', properties: { people: { type: 'array', items: person } } };
const [output] = readOutputContract({
  schema: { type: 'object', properties: { companies: { type: 'array', items: company } } },
}).tables;

function storedFor(companies: number | null) {
  const count = companies && ({ value: companies, fragments: [`${companies}`], from: 'prompt' } as const);
  const source = { kind: 'directory' } as const;
  const intent = { ...emptyIntent('person', { source, output_table: output!.key }), count: count || null };
  return { intent, plan: compilePlan(intent, { output: output!, table: null }), shape: output! };
}

describe('the table of an earlier run', () => {
  it.each([
    [3, 3, true],
    [3, 5, true],
    [5, 3, false],
    [5, null, false],
    [null, 500, false],
  ])('with the people of %p companies is continued for %p: %p', async (before, wanted, isContinued) => {
    const made = { run_id: 'run_1', plans: [storedFor(before)], made: { tableId: 'tbl_1' } };
    const { plan } = storedFor(wanted);
    const tables = new EarlierTables(
      { query: () => Promise.resolve([made]) } as unknown as Database,
      {
        getTable: () => Promise.resolve({ rowCount: 2, columns: plan.columns }),
      } as unknown as TableReaderPort,
    );
    const run = { id: 'run_2', ctx: { orgId: 'org_1', mode: 'live' } } as unknown as LeasedRun;
    const found = await tables.findOfSamePlan(run, 0, plan);
    expect(found?.tableId).toBe(isContinued ? 'tbl_1' : undefined);
  });
});
