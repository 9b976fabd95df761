// The minimum that accepting a batch must write: its rows in one transaction, then a message for each line.
import { createHash } from 'node:crypto';
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { newId } from '@quarry/app';
import pg from 'pg';
import { openBareQueue } from '../harness/bare-queue.mjs';
import { serveCommands } from '../harness/child-process.mjs';

const INSERT_BATCH = `INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines)
  VALUES ($1, $2, 'live', 'getEmail', $3, $3)`;
const INSERT_JOBS = `INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, input, share_key, reuse_key, state, price)
  SELECT n.id, $1, 'live', 'getEmail', $2, n.i, n.input, n.key, n.key, 'queued', 1000
  FROM jsonb_to_recordset($3::jsonb) AS n (id text, i integer, input jsonb, key text)`;
const INSERT_LINES = `INSERT INTO jobs.lines (batch_id, input_index, org_id, job_id, reused)
  SELECT $1, n.i, $2, n.id, false FROM jsonb_to_recordset($3::jsonb) AS n (id text, i integer)`;

await serveCommands(async ({ url, queueUrl, clients }) => {
  const database = await migratedDatabase(url, 'bench');
  const { orgId } = await createOrganisation(database, { name: 'Bench', credits: 1_000_000 });
  const queue = await openBareQueue(queueUrl, 'bench');
  const connections = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );

  const accept = async (client, inputs) => {
    const batchId = newId('svcbatch');
    const jobs = inputs.map((input, i) => {
      const key = createHash('sha256').update(JSON.stringify(input)).digest('base64url');
      return { id: newId('svcjob'), i, input, key };
    });
    const packed = JSON.stringify(jobs);
    await client.query('BEGIN');
    await client.query(INSERT_BATCH, [batchId, orgId, inputs.length]);
    await client.query(INSERT_JOBS, [orgId, batchId, packed]);
    await client.query(INSERT_LINES, [batchId, orgId, packed]);
    await client.query('COMMIT');
    await queue.addBulk(jobs.map(({ id }) => ({ jobIds: [id] })));
  };
  const answer = async ({ lists }) => {
    const startedAt = performance.now();
    const rest = [...lists];
    const loop = async (client) => {
      for (let inputs = rest.pop(); inputs; inputs = rest.pop()) await accept(client, inputs);
    };
    await Promise.all(connections.map(loop));
    return { seconds: (performance.now() - startedAt) / 1000 };
  };
  return { answer };
});
