import { Controller } from '@nestjs/common';
import { TABLES_RPC, type RequestOf, type ResponseOf } from '@quarry/dto';
import { Answers, type Ctx } from '@quarry/platform';
import { TableImporter } from './import/import-table.js';
import { TablesStore } from './tables/tables.store.js';

type Rpc = typeof TABLES_RPC;

/** Live tables. */
@Controller()
export class TablesController {
  constructor(
    private readonly tables: TablesStore,
    private readonly importer: TableImporter,
  ) {}

  @Answers(TABLES_RPC.listTables)
  list(ctx: Ctx, query: RequestOf<Rpc['listTables']>): Promise<ResponseOf<Rpc['listTables']>> {
    return this.tables.list(ctx, query);
  }

  @Answers(TABLES_RPC.findTables)
  find(ctx: Ctx, query: RequestOf<Rpc['findTables']>): Promise<ResponseOf<Rpc['findTables']>> {
    return this.tables.find(ctx, query);
  }

  @Answers(TABLES_RPC.importTable)
  import(ctx: Ctx, request: RequestOf<Rpc['importTable']>): Promise<ResponseOf<Rpc['importTable']>> {
    return this.importer.import(ctx, request);
  }

  @Answers(TABLES_RPC.getTable)
  get(ctx: Ctx, { tableId }: RequestOf<Rpc['getTable']>): Promise<ResponseOf<Rpc['getTable']>> {
    return this.tables.get(ctx, tableId);
  }

  @Answers(TABLES_RPC.listRows)
  listRows(ctx: Ctx, query: RequestOf<Rpc['listRows']>): Promise<ResponseOf<Rpc['listRows']>> {
    return this.tables.listRows(ctx, query);
  }
}
