// Lists as an old organisation has them, made by SQL.

/** Rows that every filter finds, in both organisations; in the old one they are older than all the rest. */
export const FOUND = 60;

export const idOf = (ctx, what) => `${what}_${ctx.orgId}`;

/** Writes what an organisation has found with each filter long ago, and then so many entries that none of them finds. */
export async function seedLists(database, ctx, entries) {
  const { orgId } = ctx;
  const [batch, conversation, run] = ['batch', 'conv', 'run'].map((what) => idOf(ctx, what));
  await database.withConnection(async (client) => {
    const query = (sql, ...params) => client.query(sql, params);
    await query('SET statement_timeout = 0');
    await query(
      `INSERT INTO credits.accounts (id, org_id, mode) VALUES ($1::text || ':live', $1, 'live') ON CONFLICT DO NOTHING`,
      orgId,
    );
    await query(
      `INSERT INTO tables.workspaces (org_id, id, name, created_at, updated_at) VALUES ($1, 'ws', 'W', now(), now())`,
      orgId,
    );
    for (const each of [conversation, `${conversation}-more`])
      await query(
        `INSERT INTO runs.conversations (id, org_id, workspace_id) VALUES ($1, $2, 'ws')`,
        each,
        orgId,
      );
    for (const [id, size] of [
      [batch, FOUND],
      [`${batch}-more`, Math.max(entries, 1)],
    ])
      await query(
        `INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, completed_at) VALUES ($1, $2, 'live', 'getEmail', $3, 0, now())`,
        id,
        orgId,
        size,
      );
    // Found by a filter: states in turn of one service, all in one list, one conversation and one run.
    await writeJobs(
      query,
      orgId,
      batch,
      'getPhoneNumber',
      FOUND * 4,
      `(ARRAY['completed','failed','cancelled','queued'])[1 + i % 4]`,
      '400 days',
    );
    await writeJobs(query, orgId, `${batch}-more`, 'getEmail', entries, `'completed'`, '300 days');
    await query(
      `INSERT INTO jobs.lines (batch_id, input_index, org_id, job_id, reused)
       SELECT batch_id, input_index, org_id, id, false FROM jobs.jobs WHERE org_id = $1`,
      orgId,
    );
    await writeRuns(query, orgId, conversation, FOUND, '400 days');
    await writeRuns(query, orgId, `${conversation}-more`, entries, '300 days');
    await writeGoRuns(query, orgId, 'failed', FOUND, '400 days');
    await writeGoRuns(query, orgId, 'completed', entries, '300 days');
    await query(
      `INSERT INTO credits.transfers (id, account_id, kind, amount, hold_id, service, batch_id, job_id, run_id, at)
       SELECT 'led_' || id, $1::text || ':live', 'post', 1000, 'hold_' || id, service, batch_id, id,
         CASE service WHEN 'getPhoneNumber' THEN $2::text END, created_at
       FROM jobs.jobs WHERE org_id = $1`,
      orgId,
      run,
    );
    for (const table of ['jobs.jobs', 'jobs.lines', 'runs.runs', 'go.runs', 'credits.transfers'])
      await query(`VACUUM (ANALYZE) ${table}`);
  });
}

function writeJobs(query, orgId, batch, service, count, state, ago) {
  return query(
    `INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, state, price, attempt, started_at, result, error,
       provider, created_at, completed_at)
     SELECT $2::text || '-' || i, $1, 'live', $3, $2, i, state, 1000, CASE WHEN started THEN 1 ELSE 0 END,
       CASE WHEN started THEN at END, CASE state WHEN 'completed' THEN '{"found":false,"email":null}'::jsonb END,
       CASE state WHEN 'failed' THEN '{"code":"timeout","message":"The search did not end in time."}'::jsonb END,
       CASE WHEN started THEN 'sandbox' END, at, CASE WHEN state <> 'queued' THEN at END
     FROM generate_series(1, $4::int) AS i,
       LATERAL (SELECT ${state} AS state, now() - $5::interval + make_interval(secs => i) AS at) AS s,
       LATERAL (SELECT state IN ('completed', 'failed') AS started) AS t`,
    orgId,
    batch,
    service,
    count,
    ago,
  );
}

function writeRuns(query, orgId, conversation, count, ago) {
  return query(
    `INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, status, body_hash, created_at, ended_at)
     SELECT $2::text || '-' || i, $1, 'live', 'ws', $2, 'ten companies', 'completed', '', at, at
     FROM generate_series(1, $3::int) AS i, LATERAL (SELECT now() - $4::interval + make_interval(secs => i) AS at) AS s`,
    orgId,
    conversation,
    count,
    ago,
  );
}

function writeGoRuns(query, orgId, status, count, ago) {
  return query(
    `INSERT INTO go.runs (id, org_id, mode, key_id, request, hold_id, held, status, stop_reason, error, created_at, ended_at)
     SELECT $2::text || '-' || $1 || '-' || i, $1, 'live', 'key', '{"prompt":"x"}', 'hold-' || $2 || '-' || $1 || '-' || i, 1000, $2,
       CASE $2 WHEN 'failed' THEN 'error' ELSE 'complete' END,
       CASE $2 WHEN 'failed' THEN '{"code":"agent_error","message":"It did not end in time."}'::json END, at, at
     FROM generate_series(1, $3::int) AS i, LATERAL (SELECT now() - $4::interval + make_interval(secs => i) AS at) AS s`,
    orgId,
    status,
    count,
    ago,
  );
}
