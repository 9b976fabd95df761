import { type TABLES_RPC, type RpcHandlersOf } from '@quarry/dto';
import { IdempotentRequests, type Ctx, type CursorSigner, type Database } from '@quarry/platform';
import { ExclusionsStore } from './exclusions/exclusions.store.js';
import { ExportsStore } from './exports/exports.store.js';
import { FrozenTablesStore, type RunReader } from './frozen/frozen-tables.store.js';
import { TableImporter } from './import/import-table.js';
import { TablesStore } from './tables/tables.store.js';
import { WorkspacesStore } from './workspaces/workspaces.store.js';

export interface TablesRpcDeps {
  database: Database;
  cursors: CursorSigner;
  runs: RunReader;
  /** Address of the web application, without a slash at its end. */
  appUrl: string;
}

/** @returns what answers the calls of {@link TABLES_RPC}: complete by type, so a forgotten call does not compile. */
export function tablesRpcHandlers(deps: TablesRpcDeps): RpcHandlersOf<typeof TABLES_RPC, Ctx> {
  const { database, cursors } = deps;
  const requests = new IdempotentRequests(database);
  const workspaces = new WorkspacesStore(database, requests, deps.appUrl);
  const tables = new TablesStore(database, cursors);
  const importer = new TableImporter(database, tables, requests);
  const frozen = new FrozenTablesStore(database, cursors, deps.runs);
  const exports = new ExportsStore(database, frozen, requests);
  const exclusions = new ExclusionsStore(database);
  return {
    listWorkspaces: (ctx, page) => workspaces.list(ctx, page),
    createWorkspace: (ctx, request) => workspaces.create(ctx, request),
    getWorkspace: (ctx, { workspaceId }) => workspaces.get(ctx, workspaceId),
    archiveWorkspace: async (ctx, { workspaceId }) => {
      await workspaces.archive(ctx, workspaceId);
      return null;
    },
    listTables: (ctx, query) => tables.list(ctx, query),
    importTable: (ctx, request) => importer.import(ctx, request),
    getTable: (ctx, { tableId }) => tables.get(ctx, tableId),
    listRows: (ctx, query) => tables.listRows(ctx, query),
    listFrozenRows: (ctx, query) => frozen.listRows(ctx, query),
    createExport: (ctx, request) => exports.create(ctx, request),
    getExport: (ctx, { exportId }) => exports.head(ctx, exportId),
    readExport: (ctx, range) => exports.read(ctx, range),
    listExclusions: (ctx, query) => exclusions.list(ctx, query),
    addExclusions: (ctx, request) => exclusions.add(ctx, request),
    deleteExclusions: (ctx, request) => exclusions.delete(ctx, request),
    syncExclusions: (ctx, request) => exclusions.sync(ctx, request),
  };
}
