// The minimum that one line must write, on one connection: accept, claim with hold, start, settle. Each is a separate commit,
// because each must survive a crash before the next one may start.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { newId } from '@quarry/app';
import pg from 'pg';
import { serveCommands } from '../harness/child-process.mjs';

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
  const { orgId } = await createOrganisation(database, { name: 'Bench', credits: 1_000_000 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();

  const accept = async (batchId, jobId) => {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, input, share_key, reuse_key, state, price)
       VALUES ($1, $2, 'live', 'getEmail', $3, 0, '{"first_name":"Ada"}', $1, $1, 'queued', 1000)`,
      [jobId, orgId, batchId],
    );
    await client.query(
      `WITH b AS (INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines) VALUES ($1, $2, 'live', 'getEmail', 1, 1))
       SELECT 1`,
      [batchId, orgId],
    );
    await client.query(
      `INSERT INTO jobs.lines (batch_id, input_index, org_id, job_id, reused) VALUES ($1, 0, $2, $3, false)`,
      [batchId, orgId, jobId],
    );
    await client.query('COMMIT');
  };
  const once = async () => {
    const [batchId, jobId, token] = [newId('svcbatch'), newId('svcjob'), randomUUID()];
    const startedAt = performance.now();
    await accept(batchId, jobId);
    await client.query('SELECT * FROM jobs.claim_jobs($1::jsonb, $2, 2, 5)', [
      JSON.stringify([{ id: jobId, token, hold: newId('hold') }]),
      LEASE_MS,
    ]);
    await client.query(
      `UPDATE jobs.jobs SET state = 'running', attempt = attempt + 1, started_at = clock_timestamp() WHERE id = $1`,
      [jobId],
    );
    const end = { id: jobId, token, state: 'completed', result: RESULT, provider: 'none', charge: 1000 };
    await client.query('SELECT jobs.settle_jobs($1::jsonb)', [JSON.stringify([end])]);
    return performance.now() - startedAt;
  };
  const answer = async ({ count, pauseMs }) => {
    const latenciesMs = [];
    for (let i = 0; i < count; i += 1) {
      latenciesMs.push(await once());
      await delay(pauseMs);
    }
    return latenciesMs;
  };
  return { answer };
});
