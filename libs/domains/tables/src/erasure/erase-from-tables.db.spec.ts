import { beforeAll, describe, expect, it } from '@jest/globals';
import { Person } from '@quarry/dto';
import { newId, systemCtx } from '@quarry/app';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { column, newTable, openScene, type Scene } from '../spec-kit.js';
import { eraseFromTables } from './erase-from-tables.js';

const ctx = testCtx('org_erase_tables');
const EMAIL = 'wq@quist.example';

describe('a person in many tables', () => {
  const test = useTestDatabase();
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(test.database);
  });

  /** Makes a table that names the person in its first row. @returns its id */
  async function tableOfPerson(): Promise<string> {
    const { tableId } = await newTable(scene, ctx, [column('email')]);
    await scene.writer.appendRows(ctx, tableId, [{ id: newId('row'), values: { email: EMAIL } }]);
    return tableId;
  }

  it('is found in small tables, which are read together, and at every place of a large one', async () => {
    const [, large] = [await tableOfPerson(), await tableOfPerson(), await tableOfPerson()];
    const repeat = `
      INSERT INTO tables.rows (org_id, row_set, id, position, cell_values)
      SELECT r.org_id, r.row_set, 'row_' || lpad(at::text, 26, '0'), at,
        CASE WHEN at IN (19999, 20000, 40001) THEN r.cell_values ELSE '{"email": "ann@other.example"}' END
      FROM tables.rows AS r, generate_series(1, 40001) AS at
      WHERE r.row_set = (SELECT row_set FROM tables.tables WHERE id = $1)`;
    await test.database.query(systemCtx('spec'), repeat, [large]);
    expect(await eraseFromTables(test.database, ctx, Person.of({ email: EMAIL }))).toMatchObject({ rows: 6 });
    const named = `SELECT count(*)::int AS left FROM tables.rows WHERE cell_values::text LIKE '%quist%'`;
    expect(await test.database.query(systemCtx('spec'), named, [])).toEqual([{ left: 0 }]);
    expect(await eraseFromTables(test.database, ctx, Person.of({ email: EMAIL }))).toMatchObject({ rows: 0 });
  });
});
