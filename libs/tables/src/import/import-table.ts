import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { ColumnJson, JsonText } from '@quarry/dto';
import { newId, type Ctx, type Database, type TxCtx } from '@quarry/platform';
import type { TablesStore } from '../tables/tables.store.js';
import { lockWorkspace } from '../workspaces/workspaces.store.js';
import { parseImportRequest, type ImportRequest } from './import-request.js';

// Large enough that a hundred thousand rows are a few hundred writes, small enough that memory does not notice.
const COPY_CHUNK_CHARACTERS = 256 * 1024;

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
    const table = parseImportRequest(request.body);
    const id = newId('tbl');
    return this.database.transaction(ctx, async (tx) => {
      await lockWorkspace(this.database, tx, request.workspaceId);
      const rowSet = await this.insertHead(tx, id, request.workspaceId, table);
      await this.copyRows(tx, rowSet, table);
      return { id, json: await this.tables.get(tx, id) };
    });
  }

  private async insertHead(
    tx: TxCtx,
    id: string,
    workspaceId: string,
    table: ImportRequest,
  ): Promise<string> {
    const head = await this.database.queryOne<{ row_set: string }>(
      tx,
      `INSERT INTO tables.tables (org_id, id, workspace_id, name, columns, row_count, next_position)
       VALUES ($1, $2, $3, $4, $5, $6::int, $6::int) RETURNING row_set`,
      [tx.orgId, id, workspaceId, table.name, JSON.stringify(table.columns), table.rows.length],
    );
    return head!.row_set;
  }

  private async copyRows(tx: TxCtx, rowSet: string, table: ImportRequest): Promise<void> {
    if (table.rows.length === 0) return;
    const client = await this.database.rawClient(tx);
    const copy = client.query(
      copyFrom('COPY tables.rows (org_id, row_set, position, id, cell_values) FROM STDIN'),
    );
    await pipeline(Readable.from(copyChunks(`${tx.orgId}\t${rowSet}`, table)), copy);
  }
}

/** Rows in COPY's text format, gathered into chunks. */
function* copyChunks(prefix: string, table: ImportRequest): Generator<Buffer> {
  const toJson = rowWriter(table.columns);
  let chunk = '';
  for (const [position, row] of table.rows.entries()) {
    // JSON has no raw tab or newline, so the backslash is the only character that COPY would misread.
    chunk += `${prefix}\t${position}\t${newId('row')}\t${toJson(row).replaceAll('\\', '\\\\')}\n`;
    if (chunk.length < COPY_CHUNK_CHARACTERS) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
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
