import { Controller } from '@nestjs/common';
import { TABLES_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { TableImporter } from './import-table.js';
import { TableChangesStore } from './table-changes.store.js';
import { TableViewsStore } from './tables/table-views.store.js';
import { TablesStore } from './tables/tables.store.js';

type Rpc = typeof TABLES_RPC;

/** Answers calls about live tables. */
@Controller()
export class TablesController {
  constructor(
    private readonly tables: TablesStore,
    private readonly importer: TableImporter,
    private readonly views: TableViewsStore,
    private readonly changes: TableChangesStore,
  ) {}

  @Answers(TABLES_RPC.listTables)
  listTables(ctx: Ctx, query: RequestOf<Rpc['listTables']>) {
    return this.tables.listTables(ctx, query);
  }

  @Answers(TABLES_RPC.findTables)
  findTables(ctx: Ctx, query: RequestOf<Rpc['findTables']>) {
    return this.tables.findTable(ctx, query);
  }

  @Answers(TABLES_RPC.importTable)
  importTable(ctx: Ctx, request: RequestOf<Rpc['importTable']>) {
    return this.importer.importTable(ctx, request);
  }

  @Answers(TABLES_RPC.getTable)
  getTable(ctx: Ctx, { tableId }: RequestOf<Rpc['getTable']>) {
    return this.tables.getTable(ctx, tableId);
  }

  /** @throws AppError table_not_found, invalid_request */
  @Answers(TABLES_RPC.renameTable)
  renameTable(ctx: Ctx, { tableId, name }: RequestOf<Rpc['renameTable']>) {
    return this.changes.renameTable(ctx, tableId, name);
  }

  /** @throws AppError table_not_found */
  @Answers(TABLES_RPC.deleteTable)
  async deleteTable(ctx: Ctx, { tableId }: RequestOf<Rpc['deleteTable']>) {
    await this.changes.deleteTable(ctx, tableId);
    return null;
  }

  /** @throws AppError table_not_found, not_found, invalid_request */
  @Answers(TABLES_RPC.renameColumn)
  renameColumn(ctx: Ctx, column: RequestOf<Rpc['renameColumn']>) {
    return this.changes.renameColumn(ctx, column);
  }

  /** @throws AppError table_not_found, not_found, invalid_request, table_busy */
  @Answers(TABLES_RPC.deleteColumn)
  deleteColumn(ctx: Ctx, column: RequestOf<Rpc['deleteColumn']>) {
    return this.changes.deleteColumn(ctx, column);
  }

  @Answers(TABLES_RPC.listRows)
  listRows(ctx: Ctx, query: RequestOf<Rpc['listRows']>) {
    return this.tables.listRows(ctx, query);
  }

  /** @throws AppError table_not_found, not_found */
  @Answers(TABLES_RPC.readWindow)
  readWindow(ctx: Ctx, window: RequestOf<Rpc['readWindow']>) {
    return this.views.readWindow(ctx, window);
  }

  /** @throws AppError table_not_found, invalid_request */
  @Answers(TABLES_RPC.createView)
  createView(ctx: Ctx, { tableId, view }: RequestOf<Rpc['createView']>) {
    return this.views.createView(ctx, tableId, view);
  }

  /** @throws AppError table_not_found, not_found */
  @Answers(TABLES_RPC.getRow)
  getRow(ctx: Ctx, { tableId, rowId }: RequestOf<Rpc['getRow']>) {
    return this.views.readRow(ctx, tableId, rowId);
  }

  /** @throws AppError table_not_found, not_found */
  @Answers(TABLES_RPC.getCell)
  getCell(ctx: Ctx, cell: RequestOf<Rpc['getCell']>) {
    return this.views.readCell(ctx, cell);
  }

  /** @throws AppError rate_limited, invalid_request, workspace_not_found, idempotency_conflict */
  @Answers(TABLES_RPC.importFile)
  importFile(ctx: Ctx, file: RequestOf<Rpc['importFile']>) {
    return this.importer.importFile(ctx, file);
  }

  /** @throws AppError rate_limited, invalid_request, workspace_not_found */
  @Answers(TABLES_RPC.previewFile)
  previewFile(ctx: Ctx, file: RequestOf<Rpc['previewFile']>) {
    return this.importer.previewFile(ctx, file);
  }
}
