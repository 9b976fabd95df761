import { Injectable } from '@nestjs/common';
import {
  Export,
  faultsError,
  jsonText,
  pathText,
  TABLES_RPC,
  type ColumnJson,
  type CreateTableExportRequest,
  type ExportColumnRequest,
  type ExportFormat,
  type ExportHead,
  type JsonText,
  type RequestOf,
} from '@quarry/dto';
import { AppError, excerpt } from '@quarry/error-codes';
import { isId, newId, notFound, type Ctx } from '@quarry/app';
import {
  Database,
  IdempotentRequests,
  type TxCtx,
  ofTenant,
  recordAudit,
  TENANT,
  TENANT_ORG,
  tenantOf,
} from '@quarry/postgres';
import { FrozenTablesStore } from '../frozen/frozen-tables.store.js';
import { CHUNK_BYTES, ExportContent } from './export-content.js';
import { exportFilename } from './export-filename.js';
import { CONTENT_TYPES, rowEncoder, type ExportShape } from './export-formats.js';
import { copyTableOut } from './table-copy-out.js';
import { statement } from '../statements.types.js';

// Source: docs/contract.md#4-tables.
const EXPORT_DAYS = 30;
/** Most bytes of one {@link ExportsStore.readExport}. Source: TABLES_RPC.readExport. */
const READ_BYTES_MAX = 1024 * 1024;
/** The time limit of the call plus half a minute, for what may still be running then. */
const LEASE_MS = TABLES_RPC.createExport.timeoutMs + 30_000;

/** The table of an export: a frozen table of a run, or a live one. */
type Source = { runId: string; tableKey: string } | { tableId: string; request: CreateTableExportRequest };

interface NewExport {
  id: string;
  format: ExportFormat;
  source: Source;
}

/** Facts about a table that are read before its rows. */
interface SourceHead {
  workspaceId: string;
  name: string;
  rowSet: string;
  erasures: number;
  shape: ExportShape;
  viewId: string | null;
}

interface WrittenContent {
  byteLength: number;
  sha256: Buffer;
}

/** Export files. A file is written once, in pieces, and can be read by range until it expires. */
@Injectable()
export class ExportsStore {
  constructor(
    private readonly database: Database,
    private readonly frozen: FrozenTablesStore,
    private readonly requests: IdempotentRequests,
  ) {}

  /**
   * Writes the file piece by piece while its rows are read; afterwards it can be downloaded.
   * @returns the id and the Export
   * @throws AppError run_not_found, table_not_found, idempotency_conflict
   */
  async createExport(
    ctx: Ctx,
    request: { runId: string; tableKey: string; format: ExportFormat; idempotencyKey?: string | null },
  ): Promise<{ id: string; json: JsonText<typeof Export> }> {
    const { runId, tableKey, format, idempotencyKey: key = null } = request;
    const keyed = { route: `${TABLES_RPC.createExport.pattern} ${runId}`, key, body: { tableKey, format } };
    return this.writeExport(ctx, keyed, { id: newId('exp'), format, source: { runId, tableKey } });
  }

  /**
   * Exports a live table, or the rows of a view of it, as they are now.
   * @returns the id and the Export
   * @throws AppError table_not_found, not_found for an unknown view, invalid_request for a column, idempotency_conflict
   */
  async createOfTable(
    ctx: Ctx,
    { tableId, body, idempotencyKey: key = null }: RequestOf<typeof TABLES_RPC.createTableExport>,
  ): Promise<{ id: string; json: JsonText<typeof Export> }> {
    const keyed = { route: `${TABLES_RPC.createTableExport.pattern} ${tableId}`, key, body };
    const source = { tableId, request: body };
    return this.writeExport(ctx, keyed, { id: newId('exp'), format: body.format, source });
  }

  private writeExport(
    ctx: Ctx,
    keyed: { route: string; key: string | null; body: unknown },
    made: NewExport,
  ): Promise<{ id: string; json: JsonText<typeof Export> }> {
    return this.requests.whileLeased(ctx, keyed, LEASE_MS, (keep) =>
      this.database.transaction(ctx, async (tx) => {
        const { table, content } = await this.writeContent(tx, made);
        await this.insertHead(tx, made, table, content);
        const answer = exportAnswer(made.id, content.byteLength);
        await keep(tx, answer);
        const { source, format } = made;
        const of: Record<string, string> =
          'runId' in source ? { run: source.runId } : { table: source.tableId };
        const facts = { ...of, format, bytes: content.byteLength };
        await recordAudit(this.database, tx, { action: 'export.created', object: made.id, facts });
        return answer;
      }),
    );
  }

  /**
   * Returns the head of an export before its bytes are read.
   * @throws AppError export_not_found, also when the export has expired or its workspace is archived
   */
  async readHead(ctx: Ctx, exportId: string): Promise<ExportHead> {
    const head = await this.findExport(ctx, exportId);
    await recordAudit(this.database, ctx, { action: 'export.read', object: exportId });
    return head;
  }

  /** Like {@link readHead}, for callers that do not read the bytes. */
  async findExport(ctx: Ctx, exportId: string): Promise<ExportHead> {
    if (!isId('exp', exportId)) throw notFound('exp');
    const row = await this.database.queryOne(ctx, HEAD, [tenantOf(ctx), exportId], 'read');
    if (!row) throw notFound('exp');
    return {
      id: exportId,
      contentType: CONTENT_TYPES[row.format],
      filename: row.filename,
      byteLength: Number(row.byteLength),
      etag: `"${row.sha256}"`,
    };
  }

  /**
   * @param range bytes `offset` to `offset + length`, limited to 1 MiB and to the end of the file
   * @throws AppError export_not_found
   */
  async readExport(
    ctx: Ctx,
    range: { exportId: string; offset: number; length: number },
  ): Promise<{ base64: string }> {
    if (!isId('exp', range.exportId)) throw notFound('exp');
    const length = Math.min(range.length, READ_BYTES_MAX);
    const first = Math.floor(range.offset / CHUNK_BYTES);
    const last = Math.floor((range.offset + Math.max(length, 1) - 1) / CHUNK_BYTES);
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), range.exportId, first, last], 'read');
    if (!row) throw notFound('exp');
    const from = range.offset - first * CHUNK_BYTES;
    const bytes = row.data?.subarray(from, from + length) ?? Buffer.alloc(0);
    return { base64: bytes.toString('base64') };
  }

  /** Writes the content, again if a person was erased from the table meanwhile, so that the file contains no erased person. */
  private async writeContent(
    tx: TxCtx,
    made: NewExport,
  ): Promise<{ table: SourceHead; content: WrittenContent }> {
    for (;;) {
      const table = await this.readSource(tx, made.source);
      const content = await this.writeRows(tx, made, table);
      if (await this.isAsRead(tx, made.source, table)) return { table, content };
      await this.database.query(tx, DELETE_CHUNKS, [tx.orgId, made.id]);
    }
  }

  /** Blocks erasures from the table until the transaction ends: an erasure that comes later finds the export and deletes it. */
  private async isAsRead(tx: TxCtx, source: Source, table: SourceHead): Promise<boolean> {
    const held = 'runId' in source ? HOLD_UNERASED : HOLD_LIVE_UNERASED;
    const params = [tenantOf(tx), table.rowSet, table.erasures] as const;
    return (await this.database.queryOne(tx, held, params)) !== null;
  }

  private async readSource(tx: TxCtx, source: Source): Promise<SourceHead> {
    if ('runId' in source) {
      const head = await this.frozen.headOrThrow(tx, source.runId, source.tableKey);
      return { ...head, shape: { columns: head.columns }, viewId: null };
    }
    const { tableId, request } = source;
    const viewId = request.view ?? null;
    const head = isId('tbl', tableId)
      ? await this.database.queryOne(tx, LIVE_HEAD, [tenantOf(tx), tableId, viewId])
      : null;
    if (!head) throw notFound('tbl');
    if (viewId !== null && !head.hasView)
      throw new AppError('not_found', 'View not found, or it has expired.');
    return { ...head, shape: shapeOf(head.columns, request), viewId };
  }

  private async writeRows(tx: TxCtx, made: NewExport, table: SourceHead): Promise<WrittenContent> {
    let chunkNo = 0;
    const content = new ExportContent((piece) => this.insertChunk(tx, made.id, chunkNo++, piece));
    const encoder = rowEncoder(made.format, table.shape);
    // Uses a second connection: rows are read from it while the transaction's own connection writes the pieces.
    await this.database.withOwnConnection(tx, async (client) => {
      const rows = { orgId: tx.orgId, rowSet: table.rowSet, viewId: table.viewId };
      for await (const bytes of copyTableOut(client, rows, encoder)) await content.write(bytes);
    });
    const sha256 = await content.finish();
    return { byteLength: content.byteLength, sha256 };
  }

  private async insertChunk(tx: TxCtx, exportId: string, chunkNo: number, data: Buffer): Promise<void> {
    await this.database.query(tx, INSERT_CHUNK, [tx.orgId, exportId, chunkNo, data]);
  }

  private async insertHead(
    tx: TxCtx,
    made: NewExport,
    table: SourceHead,
    content: WrittenContent,
  ): Promise<void> {
    const { source } = made;
    const frozen = 'runId' in source ? source : null;
    await this.database.query(tx, INSERT_HEAD, [
      tenantOf(tx),
      made.id,
      table.workspaceId,
      frozen?.runId ?? null,
      frozen?.tableKey ?? null,
      made.format,
      exportFilename(table.name, made.format),
      content.byteLength,
      content.sha256,
      'tableId' in source ? source.tableId : null,
    ]);
  }
}

/**
 * @returns the columns of the file with their headings
 * @throws AppError invalid_request naming every column that the table does not have, or whose heading is used twice
 */
function shapeOf(
  columns: readonly ColumnJson[],
  { columns: chosen, bom: hasBom = false }: CreateTableExportRequest,
): ExportShape {
  if (!chosen) return { columns, hasBom };
  const kinds = new Map(columns.map(({ key, kind }) => [key, kind]));
  const has = excerpt([...kinds.keys()].join(', '));
  const faults = chosen.flatMap(({ key }, i) => {
    if (kinds.has(key)) return [];
    const path = ['columns', i, 'key'];
    const wanted = JSON.stringify(excerpt(key));
    return {
      path,
      message: `${pathText(path)} is ${wanted}, which is not a column of the table; it has ${has}`,
    };
  });
  if (faults.length > 0) throw faultsError('resources', faults);
  requireOwnHeadings(chosen);
  return {
    columns: chosen.map(({ key, name: header = key }) => ({ key, kind: kinds.get(key)!, header })),
    isChosen: true,
    hasBom,
  };
}

/** Two columns with one heading would lose one of them. @throws AppError invalid_request naming each repeated heading */
function requireOwnHeadings(chosen: readonly ExportColumnRequest[]): void {
  const places = new Map<string, number>();
  const faults = chosen.flatMap(({ key, name }, i) => {
    const heading = name ?? key;
    const first = places.get(heading);
    if (first === undefined) {
      places.set(heading, i);
      return [];
    }
    const path = ['columns', i, name === undefined ? 'key' : 'name'];
    return { path, message: `${pathText(path)} is the heading of columns[${first}] already` };
  });
  if (faults.length > 0) throw faultsError('resources', faults);
}

function exportAnswer(id: string, byteLength: number): { id: string; json: JsonText<typeof Export> } {
  const links = { self: `/v1/exports/${id}` };
  return { id, json: jsonText(Export, { id, byte_length: byteLength, links }) };
}

const OPEN_EXPORT = `
  FROM tables.exports e
  JOIN tables.workspaces w ON w.org_id = e.org_id AND w.id = e.workspace_id AND w.archived_at IS NULL
  WHERE ${ofTenant('e')} AND e.id = $2 AND e.expires_at > clock_timestamp()`;

const HEAD = statement(
  'exports.head',
  `
  SELECT e.format, e.filename, e.byte_length AS "byteLength", encode(e.sha256, 'hex') AS sha256
  ${OPEN_EXPORT}`,
);

const READ = statement(
  'exports.read',
  `
  SELECT (SELECT string_agg(c.data, ''::bytea ORDER BY c.chunk_no) FROM tables.export_chunks c
          WHERE c.org_id = ${TENANT_ORG} AND c.export_id = $2 AND c.chunk_no BETWEEN $3::bigint AND $4::bigint) AS data
  ${OPEN_EXPORT}`,
);

const DELETE_CHUNKS = statement(
  'exports.deleteChunks',
  'DELETE FROM tables.export_chunks WHERE org_id = $1 AND export_id = $2',
);

const HOLD_UNERASED = statement(
  'exports.holdUnerased',
  `SELECT 1 FROM tables.frozen_tables WHERE ${ofTenant()} AND row_set = $2 AND erasures = $3 FOR SHARE`,
);

const HOLD_LIVE_UNERASED = statement(
  'exports.holdLiveUnerased',
  `SELECT 1 FROM tables.tables WHERE ${ofTenant()} AND row_set = $2 AND erasures = $3 FOR SHARE`,
);

const LIVE_HEAD = statement(
  'exports.liveHead',
  `
  SELECT t.workspace_id AS "workspaceId", t.name, t.columns, t.row_set AS "rowSet", t.erasures,
    EXISTS (SELECT 1 FROM tables.views v WHERE ${ofTenant('v')} AND v.id = $3 AND v.table_id = t.id
      AND v.expires_at > clock_timestamp()) AS "hasView"
  FROM tables.tables t
  JOIN tables.workspaces w ON w.org_id = t.org_id AND w.id = t.workspace_id AND w.archived_at IS NULL
  WHERE ${ofTenant('t')} AND t.id = $2`,
).rows<{ columns: ColumnJson[]; hasView: boolean }>();

const INSERT_CHUNK = statement(
  'exports.insertChunk',
  'INSERT INTO tables.export_chunks (org_id, export_id, chunk_no, data) VALUES ($1, $2, $3, $4)',
);

const INSERT_HEAD = statement(
  'exports.insertHead',
  `
  INSERT INTO tables.exports
    (org_id, mode, id, workspace_id, run_id, table_key, format, filename, byte_length, sha256, table_id, created_at, expires_at)
  SELECT ${TENANT}, $2, $3, $4, $5, $6, $7, $8, $9, $10, at, at + interval '${EXPORT_DAYS} days' FROM clock_timestamp() AS at`,
);
