// The product's tables side in one process, called as the transport would call it.
import { migratedDatabase, tablesPart } from '@quarry/composition';
import { systemCtx } from '@quarry/platform';
import { serveCommands } from '../harness/child-process.mjs';
import { idleMemoryMb, withPeak } from '../harness/peak-memory.mjs';
import { importBody } from '../harness/table.fixture.mjs';

await serveCommands(async ({ url, orgId, workspaceId }) => {
  const database = await migratedDatabase(url, 'bench');
  const { handlers } = tablesPart({ database, appUrl: 'http://127.0.0.1', cursorSecret: 'bench' });
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
        timed(importRows, () => handlers.handlers.importTable(ctx, { workspaceId, body })),
      );
    }
    const { rows, tableKey } = exportRows;
    return withPeak(idleMb, () =>
      timed(rows, () => handlers.handlers.createExport(ctx, { runId, tableKey, format: 'csv' })),
    );
  };
  return { answer, close: () => database.close() };
});
