// Lists as an old organisation has them, inserted by SQL.

/** Inserts a number of jobs in one batch, of runs in one conversation, and of Go runs. */
export async function seedLists(database, { orgId }, entries) {
  const [batch, conversation] = [`batch_${orgId}`, `conv_${orgId}`];
  await database.withConnection(async (client) => {
    const query = (sql, ...params) => client.query(sql, params);
    await query('SET statement_timeout = 0');
    await query(
      `INSERT INTO tables.workspaces (org_id, id, name, created_at, updated_at) VALUES ($1, 'ws', 'W', now(), now())`,
      orgId,
    );
    await query(
      `INSERT INTO runs.conversations (id, org_id, workspace_id) VALUES ($1, $2, 'ws')`,
      conversation,
      orgId,
    );
    await query(
      `INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, completed_at) VALUES ($1, $2, 'live', 'getEmail', $3, 0, now())`,
      batch,
      orgId,
      entries,
    );
    await query(
      `INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, state, price, attempt, started_at, result,
         provider, created_at, completed_at)
       SELECT $2::text || '-' || i, $1, 'live', 'getEmail', $2, i, 'completed', 1000, 1, at, '{"found":false,"email":null}'::jsonb,
         'sandbox', at, at
       FROM generate_series(1, $3::int) AS i, ${AT}`,
      orgId,
      batch,
      entries,
    );
    await query(
      `INSERT INTO jobs.lines (batch_id, input_index, org_id, job_id, reused)
       SELECT batch_id, input_index, org_id, id, false FROM jobs.jobs WHERE org_id = $1`,
      orgId,
    );
    await query(
      `INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, status, body_hash, created_at, ended_at)
       SELECT $2::text || '-' || i, $1, 'live', 'ws', $2, 'ten companies', 'completed', '', at, at
       FROM generate_series(1, $3::int) AS i, ${AT}`,
      orgId,
      conversation,
      entries,
    );
    await query(
      `INSERT INTO go.runs (id, org_id, mode, key_id, request, hold_id, held, status, stop_reason, created_at, ended_at)
       SELECT 'go-' || $1 || '-' || i, $1, 'live', 'key', '{"prompt":"x"}', 'hold-' || $1 || '-' || i, 1000, 'completed',
         'complete', at, at
       FROM generate_series(1, $2::int) AS i, ${AT}`,
      orgId,
      entries,
    );
    for (const table of ['jobs.jobs', 'jobs.lines', 'runs.runs', 'go.runs'])
      await query(`VACUUM (ANALYZE) ${table}`);
  });
}

const AT = "LATERAL (SELECT now() - interval '300 days' + make_interval(secs => i) AS at) AS s";
