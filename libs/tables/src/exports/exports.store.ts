import type { ExportFormat, ExportHead, JsonText } from '@quarry/dto';
import { isId, newId, type Ctx, type Database, type TxCtx } from '@quarry/platform';
import type { FrozenHead } from '../frozen/frozen-head.js';
import type { FrozenTablesStore } from '../frozen/frozen-tables.store.js';
import { notFound } from '../sql/not-found.js';
import { CHUNK_BYTES, ExportContent } from './export-content.js';
import { exportFilename } from './export-filename.js';
import { CONTENT_TYPES, rowEncoder } from './export-formats.js';
import { copyTableOut } from './table-copy-out.js';

// Source: contract decisions, section 4.
const EXPORT_DAYS = 30;
/** Largest read of {@link ExportsStore.read}. Source: TABLES_RPC.readExport. */
const READ_BYTES_MAX = 1024 * 1024;
interface NewExport {
  id: string;
  runId: string;
  tableKey: string;
  format: ExportFormat;
}

/** Files made of frozen tables. They are written once, in pieces, and read by range until they expire. */
export class ExportsStore {
  constructor(
    private readonly database: Database,
    private readonly frozen: FrozenTablesStore,
  ) {}

  /**
   * Writes the file while its rows are read, a piece at a time; it can be read as soon as this returns.
   * @returns the id and the Export
   * @throws AppError run_not_found, table_not_found
   */
  async create(
    ctx: Ctx,
    request: { runId: string; tableKey: string; format: ExportFormat },
  ): Promise<{ id: string; json: JsonText }> {
    const made: NewExport = { id: newId('exp'), ...request };
    const byteLength = await this.database.transaction(ctx, async (tx) => {
      const table = await this.frozen.headOrThrow(tx, request.runId, request.tableKey);
      const content = await this.writeContent(tx, made, table);
      await this.insertHead(tx, made, table, content);
      return content.byteLength;
    });
    const links = { self: `/v1/exports/${made.id}` };
    return { id: made.id, json: JSON.stringify({ id: made.id, byte_length: byteLength, links }) };
  }

  /** @throws AppError export_not_found, also when the export has expired or its workspace is archived */
  async head(ctx: Ctx, exportId: string): Promise<ExportHead> {
    if (!isId('exp', exportId)) throw notFound.export();
    const row = await this.database.queryOne<{
      format: ExportFormat;
      filename: string;
      byteLength: string;
      sha256: string;
    }>(
      ctx,
      `SELECT e.format, e.filename, e.byte_length AS "byteLength", encode(e.sha256, 'hex') AS sha256
       ${OPEN_EXPORT}`,
      [ctx.orgId, exportId],
    );
    if (!row) throw notFound.export();
    return {
      id: exportId,
      contentType: CONTENT_TYPES[row.format],
      filename: row.filename,
      byteLength: Number(row.byteLength),
      etag: `"${row.sha256}"`,
    };
  }

  /**
   * @param range bytes `offset` to `offset + length`; cut to 1 MiB and to the end of the file
   * @throws AppError export_not_found
   */
  async read(
    ctx: Ctx,
    range: { exportId: string; offset: number; length: number },
  ): Promise<{ base64: string }> {
    if (!isId('exp', range.exportId)) throw notFound.export();
    const length = Math.min(range.length, READ_BYTES_MAX);
    const first = Math.floor(range.offset / CHUNK_BYTES);
    const last = Math.floor((range.offset + Math.max(length, 1) - 1) / CHUNK_BYTES);
    const row = await this.database.queryOne<{ data: Buffer | null }>(
      ctx,
      `SELECT (SELECT string_agg(c.data, ''::bytea ORDER BY c.chunk_no) FROM tables.export_chunks c
               WHERE c.org_id = $1 AND c.export_id = $2 AND c.chunk_no BETWEEN $3::bigint AND $4::bigint) AS data
       ${OPEN_EXPORT}`,
      [ctx.orgId, range.exportId, first, last],
    );
    if (!row) throw notFound.export();
    const from = range.offset - first * CHUNK_BYTES;
    const bytes = row.data?.subarray(from, from + length) ?? Buffer.alloc(0);
    return { base64: bytes.toString('base64') };
  }

  private async writeContent(
    tx: TxCtx,
    made: NewExport,
    table: FrozenHead,
  ): Promise<{ byteLength: number; sha256: Buffer }> {
    let chunkNo = 0;
    const content = new ExportContent((piece) => this.insertChunk(tx, made.id, chunkNo++, piece));
    const encoder = rowEncoder(made.format, table.columns);
    // A connection of its own: the rows are read while the one of the transaction takes the pieces.
    await this.database.withOwnConnection(async (client) => {
      const rowSet = { orgId: tx.orgId, number: table.rowSet };
      for await (const bytes of copyTableOut(client, rowSet, encoder)) await content.write(bytes);
    });
    const sha256 = await content.finish();
    return { byteLength: content.byteLength, sha256 };
  }

  private async insertChunk(tx: TxCtx, exportId: string, chunkNo: number, data: Buffer): Promise<void> {
    await this.database.query(
      tx,
      'INSERT INTO tables.export_chunks (org_id, export_id, chunk_no, data) VALUES ($1, $2, $3, $4)',
      [tx.orgId, exportId, chunkNo, data],
    );
  }

  private async insertHead(
    tx: TxCtx,
    made: NewExport,
    table: FrozenHead,
    content: { byteLength: number; sha256: Buffer },
  ): Promise<void> {
    await this.database.query(
      tx,
      `INSERT INTO tables.exports
         (org_id, id, workspace_id, run_id, table_key, format, filename, byte_length, sha256, created_at, expires_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, at, at + interval '${EXPORT_DAYS} days' FROM clock_timestamp() AS at`,
      [
        tx.orgId,
        made.id,
        table.workspaceId,
        made.runId,
        made.tableKey,
        made.format,
        exportFilename(table.name, made.format),
        content.byteLength,
        content.sha256,
      ],
    );
  }
}

const OPEN_EXPORT = `
  FROM tables.exports e
  JOIN tables.workspaces w ON w.org_id = e.org_id AND w.id = e.workspace_id AND w.archived_at IS NULL
  WHERE e.org_id = $1 AND e.id = $2 AND e.expires_at > clock_timestamp()`;
