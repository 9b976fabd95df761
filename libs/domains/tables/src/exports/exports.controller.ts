import { Controller } from '@nestjs/common';
import { TABLES_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { FrozenTablesStore } from '../frozen/frozen-tables.store.js';
import { ExportLinks } from './export-links.js';
import { ExportsStore } from './exports.store.js';

type Rpc = typeof TABLES_RPC;

/** Answers calls about frozen tables and export files. */
@Controller()
export class ExportsController {
  constructor(
    private readonly frozen: FrozenTablesStore,
    private readonly exports: ExportsStore,
    private readonly links: ExportLinks,
  ) {}

  @Answers(TABLES_RPC.listFrozenRows)
  listFrozenRows(ctx: Ctx, query: RequestOf<Rpc['listFrozenRows']>) {
    return this.frozen.listRows(ctx, query);
  }

  @Answers(TABLES_RPC.createExport)
  createExport(ctx: Ctx, request: RequestOf<Rpc['createExport']>) {
    return this.exports.createExport(ctx, request);
  }

  @Answers(TABLES_RPC.createTableExport)
  createOfTable(ctx: Ctx, request: RequestOf<Rpc['createTableExport']>) {
    return this.exports.createOfTable(ctx, request);
  }

  @Answers(TABLES_RPC.getExport)
  getExport(ctx: Ctx, { exportId }: RequestOf<Rpc['getExport']>) {
    return this.exports.readHead(ctx, exportId);
  }

  @Answers(TABLES_RPC.createExportLink)
  createLink(ctx: Ctx, { exportId, hours }: RequestOf<Rpc['createExportLink']>) {
    return this.links.createLink(ctx, exportId, hours);
  }

  @Answers(TABLES_RPC.openExportLink)
  openLink(_ctx: Ctx, { token }: RequestOf<Rpc['openExportLink']>) {
    return Promise.resolve(this.links.openLink(token));
  }

  @Answers(TABLES_RPC.readExport)
  readExport(ctx: Ctx, range: RequestOf<Rpc['readExport']>) {
    return this.exports.readExport(ctx, range);
  }
}
