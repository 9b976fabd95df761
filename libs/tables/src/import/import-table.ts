import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonText } from '@quarry/dto';
import { newId, type Ctx, type Database } from '@quarry/platform';
import type { TablesStore } from '../tables/tables.store.js';
import { lockWorkspace } from '../workspaces/workspaces.store.js';
import { judgeImport } from './import-request.js';
import { copyRows, insertTable } from './table-copy.js';

/** Imports a table: one transaction, rows by COPY, in the order they were sent. */
export class TableImporter {
  constructor(
    private readonly database: Database,
    private readonly tables: TablesStore,
  ) {}

  /**
   * @param request.body one well-formed JSON value without duplicate keys
   * @returns the new table's id and its Table
   * @throws AppError invalid_request for the body, then workspace_not_found
   */
  async import(
    ctx: Ctx,
    request: { workspaceId: string; body: JsonText },
  ): Promise<{ id: string; json: JsonText }> {
    const table = await inTurns(judgeImport(request.body));
    const id = newId('tbl');
    return this.database.transaction(ctx, async (tx) => {
      await lockWorkspace(this.database, tx, request.workspaceId);
      const head = { id, workspaceId: request.workspaceId, rowCount: table.rows.count, ...table };
      const rowSet = await insertTable(this.database, tx, head);
      if (table.rows.count > 0) await copyRows(this.database, tx, rowSet, table.rows.texts());
      return { id, json: await this.tables.get(tx, id) };
    });
  }
}

/** Runs work step by step; between two steps the process answers others. */
async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}
