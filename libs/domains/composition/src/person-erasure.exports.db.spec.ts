import { beforeAll, describe, expect, it } from '@jest/globals';
import { IdempotentRequests } from '@quarry/postgres';
import { TABLES_RPC, type ColumnJson } from '@quarry/dto';
import { newId, type Ctx } from '@quarry/app';
import type { LocalRpcTransport } from '@quarry/rpc';
import { PersonErasure } from '@quarry/privacy';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { createOrganisation } from './organisation.js';
import { PRODUCT_ERASURE } from './product-erasure.js';
import { openTables } from './tables.fixture.js';

const column = (key: string): ColumnJson => ({ key, name: key, kind: 'text', qualification: {} });
const ANN = { email: 'ann@acme.example' };
const EXPORT = { tableKey: 'people', format: 'csv' } as const;

describe('an export that is being written while a person is erased', () => {
  const test = useTestDatabase();
  let tables: Awaited<ReturnType<typeof openTables>>;
  let rpc: LocalRpcTransport;
  let erasure: PersonErasure;

  beforeAll(async () => {
    tables = await openTables(test.database);
    rpc = tables.rpc;
    erasure = new PersonErasure(test.database, new IdempotentRequests(test.database), PRODUCT_ERASURE);
  });

  /** Creates a run that has published Ann and Bob, with a live table of the given name. */
  async function published(name = 'People'): Promise<{ ctx: Ctx; runId: string }> {
    const { orgId } = await createOrganisation(test.database, { name: 'Exporting', credits: 0 });
    const ctx = testCtx(orgId, { keyId: 'key_1' });
    const workspaceId = await tables.writer.createWorkspace(ctx, 'W');
    const [tableId, runId] = [newId('tbl'), newId('run')];
    await tables.writer.createTable(ctx, { id: tableId, workspaceId, name, columns: [column('email')] });
    const rows = ['ann@acme.example', 'bob@acme.example'];
    await tables.writer.appendRows(
      ctx,
      tableId,
      rows.map((email) => ({ id: newId('row'), values: { email } })),
    );
    await test.database.transaction(ctx, (tx) =>
      tables.freezer.freezeTable(tx, { runId, key: EXPORT.tableKey, tableId }),
    );
    return { ctx, runId };
  }

  /** Waits until this many statements wait for locks. */
  const waiting = (what: string, count: number) =>
    waitFor(what, () =>
      test.database.queryOne(
        testCtx(''),
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' HAVING count(*) = $1`,
        [count],
      ),
    );

  const everyExport = (ctx: Ctx) =>
    test.database.query<{ filename: string; text: string }>(
      ctx,
      `SELECT e.filename, (SELECT string_agg(convert_from(c.data, 'UTF8'), '' ORDER BY c.chunk_no)
         FROM tables.export_chunks c WHERE c.org_id = e.org_id AND c.export_id = e.id) AS text
       FROM tables.exports e WHERE e.org_id = $1`,
      [ctx.orgId],
    );

  it("is written again if it had already read the person's rows", async () => {
    const { ctx, runId } = await published();
    const { made, erased } = await test.database.transaction(ctx, async (tx) => {
      // The rows are read, and the first chunk of the file cannot be stored.
      await test.database.query(tx, 'LOCK TABLE tables.export_chunks IN SHARE MODE');
      const answer = rpc.call(ctx, TABLES_RPC.createExport, { runId, ...EXPORT });
      answer.catch(() => undefined);
      await waiting('the export to store what it has read', 1);
      return { made: answer, erased: await erasure.eraseEverywhere(ctx, ANN) };
    });
    await made;
    expect(erased.erased).toMatchObject({ rows: 1, frozen_rows: 1, exports: 0 });
    expect(await everyExport(ctx)).toEqual([
      { filename: 'People.csv', text: '"email"\r\n""\r\n"bob@acme.example"\r\n' },
    ]);
  });

  it('is deleted if it was almost complete: the erasure waits for it', async () => {
    const { ctx, runId } = await published();
    const { made, erased } = await test.database.transaction(ctx, async (tx) => {
      // The file is written, and the export is blocked at its audit entry, which is the last step.
      await test.database.query(
        tx,
        "SELECT pg_advisory_xact_lock(hashtextextended('identity.audit_events:' || $1, 0))",
        [ctx.orgId],
      );
      const answer = rpc.call(ctx, TABLES_RPC.createExport, { runId, ...EXPORT });
      answer.catch(() => undefined);
      await waiting('the export to be entered', 1);
      const erasing = erasure.eraseEverywhere(ctx, ANN);
      erasing.catch(() => undefined);
      await waiting('the erasure to get as far as it can', 2);
      return { made: answer, erased: erasing };
    });
    await made;
    expect((await erased).erased).toMatchObject({ rows: 1, frozen_rows: 1, exports: 1 });
    expect(await everyExport(ctx)).toEqual([]);
  });

  it('is deleted if its file name contains the person', async () => {
    const { ctx, runId } = await published('Firm of Jo Doe, Beta Ltd');
    await rpc.call(ctx, TABLES_RPC.createExport, { runId, ...EXPORT });
    const { erased } = await erasure.eraseEverywhere(ctx, { name: 'Jo Doe', company: 'Beta Ltd' });
    expect(erased).toMatchObject({ rows: 0, frozen_rows: 0, names: 2, exports: 1 });
    expect(await everyExport(ctx)).toEqual([]);
  });
});
