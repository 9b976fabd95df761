import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Optional } from '@nestjs/common';
import { TABLES_RPC, type FilePreview, type JsonText, type Table } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { ByteBudget, collectGarbage, newId, WorkMetrics, notFound, type Ctx } from '@quarry/app';
import { Database, IdempotentRequests } from '@quarry/postgres';
import { TablesStore } from './tables/tables.store.js';
import { isWorkspaceOpen, lockWorkspace } from './workspaces/workspaces.store.js';
import { FileImporter } from './files/file-importer.js';
import { digestOf } from './import/import-digest.js';
import { validateImport } from './import/import-request.js';
import { copyRows, insertTable } from './import/table-copy.js';

/** The time limit of the call plus half a minute, for what may still be running then. */
const LEASE_MS = TABLES_RPC.importTable.timeoutMs + 30_000;

/** Characters: one import of the largest size (a file has a third more in base64), and some small ones beside it. */
const BUDGET_CHARACTERS = 96 * 1024 * 1024;
const LARGE_CHARACTERS = 8 * 1024 * 1024;
/** A workbook takes this multiple of its length while it is read. */
const WORKBOOK_WEIGHT = 8;
/** An import of the largest size takes a few seconds. */
const RETRY_AFTER_SECONDS = 5;

interface ImportRequest {
  workspaceId: string;
  body: string;
  idempotencyKey?: string | null;
}

interface FileRequest {
  workspaceId: string;
  base64: string;
  name: string;
  /** True when the first row names the columns; detected when left out. */
  hasHeader?: boolean;
  idempotencyKey?: string | null;
}

/** Imports a table in one transaction, with rows by COPY, in the order they were sent. */
@Injectable()
export class TableImporter {
  /** Memory for the imports of this process, from all gateways. */
  private readonly budget = new ByteBudget(BUDGET_CHARACTERS);
  private readonly files: FileImporter;

  constructor(
    private readonly database: Database,
    private readonly tables: TablesStore,
    private readonly requests: IdempotentRequests,
    @Optional() metrics?: WorkMetrics,
  ) {
    this.files = new FileImporter(database);
    metrics?.watchBudget('imports', this.budget);
  }

  /**
   * @param request.body one well-formed JSON value without duplicate keys
   * @returns the new table's id and its Table
   * @throws AppError rate_limited when other imports occupy the memory, invalid_request for the body, then workspace_not_found;
   * idempotency_conflict
   */
  async importTable(ctx: Ctx, request: ImportRequest): Promise<{ id: string; json: JsonText<typeof Table> }> {
    return this.withinBudget(request.body.length, () => this.importWithin(ctx, request));
  }

  /**
   * Imports a file from a request.
   * @param request.base64 its bytes;
   * @param request.name name of the table
   * @throws AppError rate_limited, invalid_request, workspace_not_found, idempotency_conflict
   */
  async importFile(ctx: Ctx, request: FileRequest): Promise<{ id: string; json: JsonText<typeof Table> }> {
    return this.withinBudget(weightOf(request.base64), () => this.importFileWithin(ctx, request));
  }

  /**
   * Returns the columns and rows that an import of a file would create; nothing is written.
   * @throws AppError rate_limited, invalid_request, workspace_not_found
   */
  async previewFile(
    ctx: Ctx,
    { workspaceId, base64, hasHeader }: Pick<FileRequest, 'workspaceId' | 'base64' | 'hasHeader'>,
  ): Promise<JsonText<typeof FilePreview>> {
    if (!(await isWorkspaceOpen(this.database, ctx, workspaceId))) throw notFound('ws');
    return this.withinBudget(weightOf(base64), async () => {
      const bytes = Buffer.from(base64, 'base64');
      const { columns, rows, rowCount, ...found } = await this.files.previewFile(ctx, bytes, hasHeader);
      const shown = columns.map(({ key, name, kind }) => ({ key, name, kind }));
      // Rows are JSON texts already.
      return `{"columns":${JSON.stringify(shown)},"items":[${rows.join(',')}],"row_count":${rowCount},"header":${found.hasHeader}}` as JsonText<
        typeof FilePreview
      >;
    });
  }

  private async withinBudget<T>(length: number, work: () => Promise<T>): Promise<T> {
    const giveBack = this.budget.takeBytes(length);
    if (giveBack === null) {
      throw new AppError(
        'rate_limited',
        'Other imports use the memory that it needs. Try again in a moment.',
        { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } },
      );
    }
    return work().finally(() => {
      giveBack();
      // Later, because the caller of this function still refers to the body now.
      if (length >= LARGE_CHARACTERS) setImmediate(collectGarbage);
    });
  }

  private async importFileWithin(
    ctx: Ctx,
    { workspaceId, base64, name, hasHeader, idempotencyKey: key = null }: FileRequest,
  ): Promise<{ id: string; json: JsonText<typeof Table> }> {
    const route = `${TABLES_RPC.importFile.pattern} ${workspaceId}`;
    const body = { name, base64, ...(hasHeader === undefined ? {} : { hasHeader }) };
    return this.requests.whileLeased(ctx, { route, key, body }, LEASE_MS, async (keep) => {
      const write = await this.files.prepareImport(ctx, Buffer.from(base64, 'base64'), hasHeader);
      const id = newId('tbl');
      return this.database.transaction(ctx, async (tx) => {
        await write(tx, { id, workspaceId, name });
        const answer = { id, json: await this.tables.getTable(tx, id) };
        await keep(tx, answer);
        return answer;
      });
    });
  }

  private async importWithin(
    ctx: Ctx,
    { workspaceId, body, idempotencyKey: key = null }: ImportRequest,
  ): Promise<{ id: string; json: JsonText<typeof Table> }> {
    const route = `${TABLES_RPC.importTable.pattern} ${workspaceId}`;
    const compared = key === null ? null : await inTurns(digestOf(body));
    return this.requests.whileLeased(ctx, { route, key, body: compared }, LEASE_MS, async (keep) => {
      const table = await inTurns(validateImport(body));
      const id = newId('tbl');
      return this.database.transaction(ctx, async (tx) => {
        await lockWorkspace(this.database, tx, workspaceId);
        const head = { id, workspaceId, rowCount: table.rows.count, ...table };
        const rowSet = await insertTable(this.database, tx, head);
        if (table.rows.count > 0) await copyRows(this.database, tx, rowSet, table.rows.readTexts());
        const answer = { id, json: await this.tables.getTable(tx, id) };
        await keep(tx, answer);
        return answer;
      });
    });
  }
}

/** Runs a generator step by step; between two steps the process can do other work. */
async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}

/** Returns a file's share of the memory for imports. In base64 the first bytes of an archive are "UEsD". */
function weightOf(base64: string): number {
  const isWorkbook = base64.startsWith('UEsD');
  return isWorkbook ? Math.min(BUDGET_CHARACTERS, base64.length * WORKBOOK_WEIGHT) : base64.length;
}
