import { TABLES_RPC } from '@quarry/dto';
import { CursorSigner, type Database, type RpcHandlerSet } from '@quarry/platform';
import { runExists } from '@quarry/runs';
import { ExclusionMatcher, TableFreezer, TableReader, tablesRpcHandlers, TableWriter } from '@quarry/tables';

export interface TablesPart {
  handlers: RpcHandlerSet;
  writer: TableWriter;
  reader: TableReader;
  freezer: TableFreezer;
  exclusions: ExclusionMatcher;
}

/**
 * Workspaces, tables, rows, exclusions and exports.
 * @param options.cursorSecret signs cursors; the same in every process that serves tables
 */
export function tablesPart(options: {
  database: Database;
  appUrl: string;
  cursorSecret: string;
}): TablesPart {
  const { database, appUrl, cursorSecret } = options;
  const handlers = tablesRpcHandlers({
    database,
    appUrl,
    cursors: cursorSigner(cursorSecret),
    runs: { exists: (ctx, runId) => runExists(database, ctx, runId) },
  });
  return {
    handlers: { api: TABLES_RPC, handlers },
    writer: new TableWriter(database),
    reader: new TableReader(database),
    freezer: new TableFreezer(database),
    exclusions: new ExclusionMatcher(database),
  };
}

/** @param secret the same in every process that makes or reads page cursors */
export function cursorSigner(secret: string): CursorSigner {
  return new CursorSigner([{ id: '1', secret }]);
}
