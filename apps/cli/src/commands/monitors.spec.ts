import { expect, it } from '@jest/globals';
import { Quarry } from '@quarry/sdk';
import { columnsOfItems } from './monitors.js';

it('items of a monitor have the columns of their table, even if the row of the first one was deleted', async () => {
  const items = [null, { id: 'row_1', values: { domain: 'a.example' } }].map((row) => ({
    table_id: 'tbl_1',
    row,
  }));
  const table = { columns: [{ key: 'name' }, { key: 'domain' }] };
  const answer: typeof fetch = async (input) =>
    Response.json(String(input).includes('/tables/tbl_1') ? table : { items, next_cursor: null });
  const quarry = new Quarry({ apiKey: 'key', baseUrl: 'http://quarry.example', fetch: answer });
  const columns = await columnsOfItems({ quarry }, 'mon_1');
  expect(columns).toEqual(['first_seen', 'updated_at', 'run_id', 'name', 'domain']);
});
