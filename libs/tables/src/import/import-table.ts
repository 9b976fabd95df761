import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ColumnJson, JsonText } from '@quarry/dto';
import { newId, type Ctx, type Database } from '@quarry/platform';
import type { TablesStore } from '../tables/tables.store.js';
import { lockWorkspace } from '../workspaces/workspaces.store.js';
import { judgeImport, type ImportRequest } from './import-request.js';
import { copyRows, insertTable } from './table-copy.js';

// Texts of a row live until COPY has taken them; this many weigh little, and a batch costs one turn only.
const BATCH_ROWS = 500;

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
      const head = { id, workspaceId: request.workspaceId, rowCount: table.rows.length, ...table };
      const rowSet = await insertTable(this.database, tx, head);
      if (table.rows.length > 0) await copyRows(this.database, tx, rowSet, rowTexts(table));
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

/** The rows as JSON texts, made a batch at a time. */
function* rowTexts(table: ImportRequest): Generator<string[]> {
  const toJson = rowWriter(table.columns);
  for (let at = 0; at < table.rows.length; at += BATCH_ROWS)
    yield table.rows.slice(at, at + BATCH_ROWS).map(toJson);
}

/** @returns a function that writes a row with every column present, a missing one as null. */
function rowWriter(columns: readonly ColumnJson[]): (row: Record<string, unknown>) => string {
  const members = columns.map(({ key }) => ({ key, prefix: `${JSON.stringify(key)}:` }));
  return (row) => {
    const parts = members.map(({ key, prefix }) =>
      // A column may be called "constructor": only what the row itself has counts.
      Object.hasOwn(row, key) ? prefix + JSON.stringify(row[key]) : `${prefix}null`,
    );
    return `{${parts.join(',')}}`;
  };
}
