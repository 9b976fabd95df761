// One ended run in a database of the product and in one of a baseline, of the size that a prompt over the sandbox creates.
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { newId, systemCtx } from '@quarry/app';
import pg from 'pg';

export const APP_URL = 'http://127.0.0.1:3000';

const MESSAGE = '20 companies match. 3 more would match if the headcount were left open.';
const ARTIFACTS = JSON.stringify([
  {
    type: 'table',
    id: 'tbl_01k6c4h2v8q1n5x7z3m9b2d4fg',
    title: 'Fintech companies in London',
    row_count: 20,
    links: {
      self: '/v1/tables/tbl_01k6c4h2v8q1n5x7z3m9b2d4fg',
      rows: '/v1/tables/tbl_01k6c4h2v8q1n5x7z3m9b2d4fg/rows',
      app: `${APP_URL}/tables/tbl_01k6c4h2v8q1n5x7z3m9b2d4fg`,
    },
  },
]);

/** Creates an organisation with a run. @returns the run's address and a key that may read it */
export async function seedProduct(url) {
  const database = await migratedDatabase(url, 'bench');
  const { orgId, apiKey } = await createOrganisation(database, { name: 'Bench', credits: 0 });
  const ctx = systemCtx('bench', orgId);
  const [runId, workspaceId, conversationId] = [newId('run'), newId('ws'), newId('conv')];
  await database.query(ctx, "INSERT INTO tables.workspaces (org_id, id, name) VALUES ($1, $2, 'Bench')", [
    orgId,
    workspaceId,
  ]);
  await database.query(ctx, 'INSERT INTO runs.conversations (id, org_id, workspace_id) VALUES ($1, $2, $3)', [
    conversationId,
    orgId,
    workspaceId,
  ]);
  await database.query(
    ctx,
    `INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, status, message, artifacts, body_hash, ended_at)
     VALUES ($1, $2, 'live', $3, $4, 'bench', 'completed', $5, $6, '', clock_timestamp())`,
    [runId, orgId, workspaceId, conversationId, MESSAGE, ARTIFACTS],
  );
  await database.close();
  return { path: `/v1/runs/${runId}`, apiKey, orgId, workspaceId, runId };
}

/** Inserts the same for a hand-written program: one table of keys, one of runs. */
export async function seedBaseline(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    CREATE TABLE keys (secret_sha256 bytea PRIMARY KEY, org_id text NOT NULL);
    CREATE TABLE runs (id text PRIMARY KEY, org_id text NOT NULL, workspace_id text, conversation_id text, status text,
      message text, artifacts jsonb, output jsonb, error jsonb, cancellation_requested boolean)`);
  const [runId, orgId, apiKey] = [newId('run'), newId('org'), `qk_live_${'a'.repeat(49)}`];
  await client.query('INSERT INTO keys VALUES (sha256($1), $2)', [Buffer.from(apiKey), orgId]);
  await client.query("INSERT INTO runs VALUES ($1, $2, $3, $4, 'completed', $5, $6, NULL, NULL, false)", [
    runId,
    orgId,
    newId('ws'),
    newId('conv'),
    MESSAGE,
    ARTIFACTS,
  ]);
  await client.end();
  return { path: `/v1/runs/${runId}`, apiKey };
}
