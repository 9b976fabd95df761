import { TABLES_RPC } from '@quarry/dto';
import { CursorSigner, systemCtx, type Database, type Logger, type RpcHandlerSet } from '@quarry/platform';
import { runExists } from '@quarry/runs';
import {
  deleteExpiredExports,
  ExclusionMatcher,
  TableFreezer,
  TableReader,
  tablesRpcHandlers,
  TableWriter,
} from '@quarry/tables';

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
    cursors: new CursorSigner([{ id: '1', secret: cursorSecret }]),
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

/** Exports live 30 days; an hour late is soon enough. */
const EXPIRY_INTERVAL_MS = 60 * 60 * 1000;

/** Deletes exports whose time is over, now and then. Any number of processes may do so. */
export function exportExpiryPart(options: { database: Database; logger: Logger }): { close(): void } {
  const expire = (): void => {
    deleteExpiredExports(options.database, systemCtx('export-expiry')).catch((error: unknown) =>
      options.logger.warn({ err: error }, 'expired exports could not be deleted'),
    );
  };
  const timer = setInterval(expire, EXPIRY_INTERVAL_MS);
  expire();
  return { close: () => clearInterval(timer) };
}
