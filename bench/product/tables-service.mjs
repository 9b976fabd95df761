// The product's tables side in one process, called like by the transport.
import { migratedDatabase, RunReaderModule } from '@quarry/composition';
import { TABLES_RPC } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import { TablesModule } from '@quarry/tables';
import { serveCommands } from '../harness/child-process.mjs';
import { idleMemoryMb, withPeak } from '../harness/peak-memory.mjs';
import { importBody } from '../harness/table.fixture.mjs';

await serveCommands(async ({ url, orgId, workspaceId }) => {
  const database = await migratedDatabase(url, 'bench');
  const { rpc } = await openLocalCalls({
    database,
    cursorSecret: 'bench',
    modules: [RunReaderModule, TablesModule.forRoot({ appUrl: 'http://127.0.0.1' })],
    apis: [TABLES_RPC],
  });
  const ctx = systemCtx('bench', orgId);
  const idleMb = idleMemoryMb();

  const timed = async (operations, work) => {
    const startedAt = performance.now();
    await work();
    return { operations, seconds: (performance.now() - startedAt) / 1000 };
  };
  const answer = ({ importRows, exportRows, runId }) => {
    if (importRows) {
      const body = importBody(importRows);
      return withPeak(idleMemoryMb(), () =>
        timed(importRows, () => rpc.call(ctx, TABLES_RPC.importTable, { workspaceId, body })),
      );
    }
    const { rows, tableKey } = exportRows;
    return withPeak(idleMb, () =>
      timed(rows, () => rpc.call(ctx, TABLES_RPC.createExport, { runId, tableKey, format: 'csv' })),
    );
  };
  return { answer, close: () => database.close() };
});
