import pg from 'pg';

const SQL = `SELECT json_build_object(
  'id', r.id, 'workspace_id', r.workspace_id, 'conversation_id', r.conversation_id, 'status', r.status,
  'message', r.message, 'artifacts', r.artifacts, 'output', r.output, 'error', r.error,
  'cancellation_requested', r.cancellation_requested,
  'links', json_build_object('self', '/v1/runs/' || r.id, 'app', $3::text || '/runs/' || r.id))::text AS json
  FROM runs r WHERE r.org_id = $1 AND r.id = $2`;

/** Opens one pipelined connection, as a hand-written program would. */
export async function openReader(url) {
  const reader = new pg.Client({ connectionString: url, pipeline: true });
  await reader.connect();
  return reader;
}

/** @returns {Promise<string>} the run as JSON text, created by PostgreSQL */
export async function readRun(reader, orgId, runId, appUrl) {
  const { rows } = await reader.query({ name: 'run', text: SQL, values: [orgId, runId, appUrl] });
  return rows[0].json;
}
