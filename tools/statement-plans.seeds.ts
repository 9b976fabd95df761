/** An organisation and its number of rows of each kind: 10,000 or more. */
export interface PlanOrganisation {
  name: string;
  rows: number;
  /** Row set number of its first table; those of its other tables follow. */
  firstRowSet: number;
}

/** An organisation has thousands of workspaces and tables at most. */
export const WORKSPACES = 2_500;

/** Number of the table whose rows come after the statistics. */
export const NEWEST_TABLE = 2;

/** @returns SQL of the rows of that table, as many as the first one has */
export const rowsOfNewestTable = ({ name, rows, firstRowSet }: PlanOrganisation): string =>
  `INSERT INTO tables.rows (org_id, row_set, position, id, cell_values)
   SELECT 'org_${name}', ${firstRowSet + NEWEST_TABLE - 1}, i, 'row_' || i, jsonb_build_object('name', repeat('x', 200)) FROM generate_series(1, ${rows}) i`;

export const PLAN_TABLES = [
  'jobs.batches',
  'jobs.jobs',
  'jobs.lines',
  'runs.conversations',
  'runs.runs',
  'go.runs',
  'tables.workspaces',
  'tables.tables',
  'tables.rows',
  'tables.exclusions',
  'tables.exclusion_sources',
  'credits.transfers',
  'events.events',
  'identity.audit_events',
  'runs.monitor_runs',
  'runs.monitor_items',
  'outreach.sequences',
  'outreach.enrollments',
  'outreach.approvals',
  'outreach.suppressions',
  'outreach.threads',
  'outreach.messages',
  'webhooks.endpoints',
  'webhooks.deliveries',
  'destinations.destinations',
  'destinations.pushes',
  'destinations.sent_rows',
  'destinations.refused_rows',
];

/** Numbers each organisation's rows from 1; each is a second younger than the previous one. Row sets start after `base`. */
const fromAll = (organisations: readonly PlanOrganisation[]): string => `FROM (VALUES ${organisations
  .map(({ name, rows, firstRowSet }) => `('${name}', ${rows}::bigint, ${firstRowSet - 1})`)
  .join(', ')}) AS organisations (o, n, base),
  LATERAL generate_series(1, n) AS i,
  LATERAL (SELECT now() - interval '20 days' + make_interval(secs => i) AS at) AS t`;

/** State of a line: most have completed, a fifth has failed; some old ones are cancelled, some new ones are open. */
const STATE = `CASE WHEN i <= 60 THEN 'cancelled' WHEN i > n - 30 THEN 'queued' WHEN i > n - 60 THEN 'running'
  WHEN i % 5 = 0 THEN 'failed' ELSE 'completed' END`;

/** Returns statements for the superuser, to whom row-level security does not apply. */
export const planSeeds = (organisations: readonly PlanOrganisation[]): string[] => {
  const FROM = fromAll(organisations);
  return [
    `INSERT INTO tables.workspaces (org_id, id, name, created_at, updated_at) SELECT 'org_' || o, 'ws_' || o || '_' || i, 'W', at, at ${FROM} WHERE i <= ${WORKSPACES}`,
    `INSERT INTO runs.conversations (org_id, id, workspace_id)
   SELECT 'org_' || o, 'conv_' || o || '_' || i, 'ws_' || o || '_' || least(i, 2) ${FROM} WHERE i <= 10`,
    `INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, status, body_hash, created_at, ended_at)
   SELECT 'run_' || o || '_' || i, 'org_' || o, 'live', 'ws_' || o || CASE WHEN i % 50 = 0 THEN '_2' ELSE '_1' END,
     'conv_' || o || CASE WHEN i % 50 = 0 THEN '_2' ELSE '_1' END, repeat('ten companies ', 20), 'completed', '', at, at ${FROM}`,
    // A conversation may have one open run: half of them are running, with an expired lease.
    `INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, status, lease_token, lease_until, body_hash, created_at, delivered_at)
   SELECT 'open_' || o || '_' || i, 'org_' || o, 'live', 'ws_' || o || '_1', 'conv_' || o || '_' || i, '', CASE WHEN i % 2 = 0 THEN 'running' ELSE 'queued' END,
     CASE WHEN i % 2 = 0 THEN 'token' END, CASE WHEN i % 2 = 0 THEN at END, '', at, at ${FROM} WHERE i <= 10`,
    `INSERT INTO runs.monitor_runs (org_id, mode, monitor_id, run_id, due_at, trigger, status, ended_at)
   SELECT 'org_' || o, 'live', 'mon_' || o || '_' || i % 2, 'run_' || o || '_' || i, at, 'schedule', 'completed', at ${FROM}`,
    `INSERT INTO runs.monitor_items (org_id, mode, monitor_id, identity, run_id, table_id, row_id, is_reported, first_seen, last_seen)
   SELECT 'org_' || o, 'live', 'mon_' || o || '_' || i % 2, md5(i::text), 'run_1', 'tbl_1', 'row_' || i, i % 4 < 2, at, at ${FROM}`,
    `INSERT INTO outreach.sequences (org_id, mode, id, name, definition, mailbox_ids, time_zone, window_days, window_from, window_to, step_count, created_at)
   SELECT 'org_' || o, 'live', 'seq_' || o || '_' || i, 'S', '{}', '{mbx_1}', 'UTC', '{1}', '00:00', '24:00', 2, at ${FROM} WHERE i <= 500`,
    // Without statistics, checking foreign keys would take half a minute for ten thousand rows.
    `SET session_replication_role = replica; INSERT INTO outreach.enrollments (org_id, mode, id, sequence_id, email, variables, is_verified, unsubscribe_token, status, created_at, ended_at)
   SELECT 'org_' || o, 'live', 'enl_' || o || '_' || lpad(i::text, 7, '0'), 'seq_' || o || '_' || 1 + i % 2, i || '@acme.com', '{}', true, o || i,
     CASE WHEN i % 50 = 0 THEN 'replied' ELSE 'waiting' END, at, CASE WHEN i % 50 = 0 THEN at END ${FROM}`,
    `INSERT INTO outreach.approvals (org_id, mode, id, kind, sequence_id, version, digest, audience, messages, summary, requested_at, expires_at)
   SELECT 'org_' || o, 'live', 'apr_' || o || '_' || i, 'sequence', 'seq_' || o || '_' || i, 1, 'd', 1, 1, 'S', at, at ${FROM}`,
    `INSERT INTO outreach.suppressions (org_id, mode, id, kind, value, hash, reason, created_at)
   SELECT 'org_' || o, 'live', 'sup_' || o || '_' || i, 'address', i || '@gone.com', outreach.suppression_hash('org_' || o, i || '@gone.com'), 'manual', at ${FROM}`,
    `INSERT INTO outreach.threads (org_id, mode, id, mailbox_id, contact_email, subject, last_at, received_at)
   SELECT 'org_' || o, 'live', 'thr_' || o || '_' || i, 'mbx_1', i || '@acme.com', 'S', at, CASE WHEN i % 2 = 0 THEN at END ${FROM}`,
    `SET session_replication_role = replica; INSERT INTO outreach.messages (org_id, mode, id, thread_id, mailbox_id, direction, state, rfc_message_id, from_address, to_address, subject, body_text, created_at, ended_at)
   SELECT 'org_' || o, 'live', 'msg_' || o || '_' || i, 'thr_' || o || '_' || 1 + i / 100, 'mbx_1', 'out', 'sent', i || '@x', 'a', 'b', 'S', 'B', at, at ${FROM}`,
    `INSERT INTO go.runs (org_id, id, mode, request, hold_id, held, status, stop_reason, created_at, ended_at)
   SELECT 'org_' || o, 'go_' || o || '_' || i, 'live', jsonb_build_object('prompt', repeat('x', 300)), 'hold_' || o || '_' || i, 1,
     CASE WHEN i <= 60 THEN 'failed' ELSE 'completed' END, CASE WHEN i <= 60 THEN 'error' ELSE 'complete' END, at, at ${FROM}`,
    `INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, created_at, completed_at)
   SELECT 'batch_' || o || '_' || i, 'org_' || o, 'live', 'getEmail', 100, CASE WHEN i = n / 100 THEN 60 ELSE 0 END, at,
     CASE WHEN i < n / 100 THEN at END ${FROM} WHERE i <= n / 100`,
    `INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, state, price, attempt, started_at, delivered_at, result, error,
     provider, share_key, reuse_key, lease_token, lease_until, created_at, completed_at)
   SELECT 'job_' || o || '_' || i, 'org_' || o, 'live', CASE WHEN i % 50 = 1 THEN 'getPhoneNumber' ELSE 'getEmail' END,
     'batch_' || o || '_' || (i + 99) / 100, (i - 1) % 100, state, 1000, CASE WHEN started THEN 1 ELSE 0 END, CASE WHEN started THEN at END, at,
     CASE state WHEN 'completed' THEN jsonb_build_object('found', true, 'email', i || '@example.com', 'more', repeat('x', 300)) END,
     CASE state WHEN 'failed' THEN '{"code":"timeout","message":"The search did not end in time."}'::jsonb END,
     CASE WHEN state IN ('completed', 'failed') THEN 'sandbox' END, 'share_' || i, 'reuse_' || i,
     CASE WHEN state = 'running' THEN 'token_' || i END, CASE WHEN state = 'running' THEN at END, at, CASE WHEN state NOT IN ('queued', 'running') THEN at END
   ${FROM}, LATERAL (SELECT ${STATE} AS state) AS s, LATERAL (SELECT state IN ('completed', 'failed', 'running') AS started) AS a`,
    `INSERT INTO jobs.lines (batch_id, input_index, org_id, job_id, reused) SELECT batch_id, input_index, org_id, id, false FROM jobs.jobs ON CONFLICT DO NOTHING`,
    `INSERT INTO tables.exclusions (org_id, kind, entry_key, domain)
   SELECT 'org_' || o, 'companies', i || '.example.com', i || '.example.com' ${FROM}`,
    `INSERT INTO tables.exclusion_sources (org_id, kind, entry_key, source)
   SELECT 'org_' || o, 'companies', i || '.example.com', CASE WHEN i % 2 = 0 THEN 'api' ELSE 'crm' END ${FROM}`,
    `INSERT INTO webhooks.endpoints (org_id, mode, id, url, types, sealed_secret, lease_token)
   SELECT 'org_' || o, 'live', 'whk_' || o || '_' || i, 'https://example.com', '{}', 's', 'token' ${FROM} WHERE i <= 20`,
    `INSERT INTO webhooks.deliveries (org_id, mode, endpoint_id, id, event_id, type, state, next_at, created_at)
   SELECT 'org_' || o, 'live', 'whk_' || o || '_' || 1 + i % 2, 'whd_' || lpad(i::text, 7, '0'), 'evt_' || i, 'run.running', 'delivered', NULL, at ${FROM}`,
    `INSERT INTO destinations.destinations (org_id, mode, id, kind, name, settings, sealed_secret, lease_token)
   SELECT 'org_' || o, 'live', 'dst_' || o || '_' || i, 'hubspot', 'D', '{}', 's', 'token' ${FROM} WHERE i <= 2`,
    // Without statistics, checking foreign keys is slow, as above.
    `SET session_replication_role = replica; INSERT INTO destinations.pushes (org_id, mode, destination_id, id, table_id, status, next_at, created_at, ended_at)
   SELECT 'org_' || o, 'live', 'dst_' || o || '_' || 1 + i % 2, 'psh_' || o || '_' || lpad(i::text, 7, '0'), 'tbl_1', 'completed', NULL, at, at ${FROM}`,
    `SET session_replication_role = replica; INSERT INTO destinations.sent_rows (org_id, mode, destination_id, key, hash, row_id, push_id)
   SELECT 'org_' || o, 'live', 'dst_' || o || '_' || 1 + i % 2, i || '@acme.com', 'h', 'row_' || i, 'psh_1' ${FROM}`,
    `SET session_replication_role = replica; INSERT INTO destinations.refused_rows (org_id, mode, destination_id, push_id, row_id, reason)
   SELECT 'org_' || o, 'live', 'dst_' || o || '_1', 'psh_' || o || '_' || lpad((i % 2)::text, 7, '0'), 'row_' || lpad(i::text, 7, '0'), 'R' ${FROM}`,
    `INSERT INTO tables.tables (org_id, id, workspace_id, name, columns, row_set, created_at, changed_at)
   SELECT 'org_' || o, 'tbl_' || o || '_' || i, 'ws_' || o || '_' || CASE WHEN i % 50 = 0 THEN 2 ELSE 1 END, 'T', '[]',
     base + i, at, at ${FROM} WHERE i <= ${WORKSPACES}`,
    `SELECT setval('tables.row_set_number', max(row_set)) FROM tables.tables`,
    `INSERT INTO tables.rows (org_id, row_set, position, id, cell_values)
   SELECT 'org_' || o, base + 1, i, 'row_' || i, jsonb_build_object('name', repeat('x', 200)) ${FROM}`,
    `INSERT INTO credits.transfers (id, account_id, kind, amount, hold_id, service, batch_id, job_id, run_id, at)
   SELECT 'led_' || id, org_id || ':live', 'post', 1000, 'hold_' || id, service, batch_id, id,
     CASE WHEN service = 'getPhoneNumber' THEN 'run_' || right(org_id, -4) || '_2' END, created_at FROM jobs.jobs ON CONFLICT DO NOTHING`,
    `INSERT INTO events.events (org_id, mode, id, subject, seq, type, at, data)
   SELECT 'org_' || o, 'live', 'evt_' || o || '_' || i, 'run_' || o || '_' || i % 200, i / 200, 'run.running', at, '{}' ${FROM}`,
    `INSERT INTO identity.audit_events (org_id, number, at, actor_kind, mode, action, object, request_id, facts, hash)
   SELECT 'org_' || o, i, at, 'operator', 'live', 'key.create', '', '', '{}', decode(repeat('00', 32), 'hex') ${FROM}`,
  ];
};
