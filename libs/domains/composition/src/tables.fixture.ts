import { TABLES_RPC } from '@quarry/dto';
import { openLocalCalls } from '@quarry/platform';
import type { Database } from '@quarry/postgres';
import type { LocalRpcTransport } from '@quarry/rpc';
import { TableFreezer, TablesModule, TableWriter, TableWriterModule } from '@quarry/tables';
import { RunReaderModule } from './ports.module.js';

/** Creates the tables library on a database, with the runs in it. */
export async function openTables(
  database: Database,
): Promise<{ rpc: LocalRpcTransport; writer: TableWriter; freezer: TableFreezer }> {
  const { rpc, get } = await openLocalCalls({
    database,
    cursorSecret: 'x'.repeat(32),
    modules: [RunReaderModule, TablesModule.forRoot({ appUrl: '' }), TableWriterModule],
    apis: [TABLES_RPC],
  });
  return { rpc, writer: get(TableWriter), freezer: get(TableFreezer) };
}
