// The same database functions and nothing else: claim and hold 50, settle 50, on one connection.
import { randomUUID } from 'node:crypto';
import { IdempotentRequests } from '@quarry/postgres';
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { CreditLedger } from '@quarry/credit-ledger';
import { newId, systemCtx } from '@quarry/app';
import { BatchStore } from '@quarry/service-jobs';
import pg from 'pg';
import { serveCommands } from '../harness/child-process.mjs';

const GROUP = 50;
const LEASE_MS = 30_000;
const RESULT = {
  found: true,
  email: 'ada@bench.example',
  status: 'verified',
  confidence: 'high',
  provider: 'none',
};

await serveCommands(async ({ url }) => {
  const database = await migratedDatabase(url, 'bench');
  const { orgId } = await createOrganisation(database, { name: 'Bench', credits: 10_000_000 });
  const ctx = systemCtx('bench', orgId);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let people = 0;
  let jobIds = [];
  const batches = new BatchStore(
    database,
    new IdempotentRequests(database),
    new CreditLedger(database),
    async (_, ids) => void jobIds.push(...ids),
  );

  const settleGroup = async (ids) => {
    const claims = ids.map((id) => ({ id, token: randomUUID(), hold: newId('hold') }));
    await client.query('SELECT * FROM jobs.claim_jobs($1::jsonb, $2, 2, 5)', [
      JSON.stringify(claims),
      LEASE_MS,
    ]);
    const start = `UPDATE jobs.jobs SET state = 'running', attempt = attempt + 1, started_at = clock_timestamp() WHERE id = ANY ($1)`;
    await client.query(start, [ids]);
    const ends = claims.map(({ id, token }) => ({
      id,
      token,
      state: 'completed',
      result: RESULT,
      provider: 'none',
      charge: 1000,
    }));
    await client.query('SELECT jobs.settle_jobs($1::jsonb)', [JSON.stringify(ends)]);
  };
  const answer = async ({ prepare: lines }) => {
    if (lines) {
      jobIds = [];
      for (let i = 0; i < lines; i += 100) {
        const inputs = Array.from({ length: 100 }, () => ({
          first_name: `Ada${(people += 1)}`,
          last_name: 'Bench',
          domain: 'bench.example',
        }));
        await batches.createBatch(ctx, { service: 'getEmail', inputs });
      }
      await client.query('ANALYZE');
      return null;
    }
    const startedAt = performance.now();
    for (let i = 0; i < jobIds.length; i += GROUP) await settleGroup(jobIds.slice(i, i + GROUP));
    return { seconds: (performance.now() - startedAt) / 1000 };
  };
  return { answer };
});
