// The product's line worker with a provider that responds at once, or after a fixed time: claim, hold, start, settle, validation
// and the queue remain.
import { setTimeout as delay } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { QUEUES } from '@quarry/dto';
import { createLogger, systemCtx } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import { QueueBus } from '@quarry/queue';
import { Providers } from '@quarry/engine';
import { BatchStore, JobWorkerModule, ServiceJobsModule } from '@quarry/service-jobs';
import { serveCommands } from '../harness/child-process.mjs';

const QUEUE = 'service-get-email';
const BATCH = 100;
const OUTPUT = {
  found: true,
  email: 'ada@bench.example',
  status: 'verified',
  confidence: 'high',
  provider: 'none',
};
const ANSWER = { found: true, deep: false, provider: 'none', output: OUTPUT };

await serveCommands(async ({ url, queueUrl, messagesInFlight, providerMs = 0 }) => {
  const search = {
    searcherFor: () => ({
      answerCall: () => (providerMs === 0 ? Promise.resolve(ANSWER) : delay(providerMs, ANSWER)),
    }),
    providersOf: () => ['none'],
    directoriesFor: () => Promise.resolve({ companies: null, people: null }),
  };
  class SearchModule {}
  Module({})(SearchModule);
  const bound = { provide: Providers, useValue: search };
  const searchModule = { module: SearchModule, global: true, providers: [bound], exports: [Providers] };
  const logger = createLogger('bench', 'error');
  const database = await migratedDatabase(url, 'bench');
  const { orgId } = await createOrganisation(database, { name: 'Bench', credits: 10_000_000 });
  const ctx = systemCtx('bench', orgId);
  // A message carries up to 25 lines, so two of them are 50 concurrent lines.
  const catalogue = { ...QUEUES, [QUEUE]: { ...QUEUES[QUEUE], concurrency: messagesInFlight } };
  let people = 0;

  const prepare = async (batches, lines) => {
    for (let i = 0; i < lines; i += BATCH) {
      const inputs = Array.from({ length: BATCH }, () => ({
        first_name: `Ada${(people += 1)}`,
        last_name: 'Bench',
        domain: 'bench.example',
      }));
      await batches.createBatch(ctx, { service: 'getEmail', inputs });
    }
    // As autovacuum would have done on a database of some age.
    await database.query(ctx, 'ANALYZE');
  };
  const untilEnded = async () => {
    const open = 'SELECT 1 FROM jobs.batches WHERE completed_at IS NULL LIMIT 1';
    // Includes all organisations, because each worker has created its own.
    while ((await database.query(systemCtx('bench'), open)).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
  };

  let queues;
  const answer = async ({ prepare: lines }) => {
    queues ??= await QueueBus.open(catalogue, { url: queueUrl });
    const open = (modules) =>
      openLocalCalls({ database, queues, logger, modules: [searchModule, ...modules] });
    if (lines) {
      const accepting = await open([ServiceJobsModule]);
      await prepare(accepting.get(BatchStore), lines);
      return accepting.close();
    }
    const startedAt = performance.now();
    const worker = await open([JobWorkerModule.forRoot({ queueNames: [QUEUE], drainMs: 1_000 })]);
    await untilEnded();
    const seconds = (performance.now() - startedAt) / 1000;
    await worker.close();
    await queues.close(1_000);
    queues = undefined;
    return { seconds };
  };
  return { answer };
});
