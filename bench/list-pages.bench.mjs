import { migratedDatabase, PlannerModule, TablePortsModule } from '@quarry/composition';
import { ModelsModule } from '@quarry/language-models';
import { CreditsApiModule } from '@quarry/credit-ledger';
import { GO_RPC, QUEUES, RUNS_RPC, SERVICES_RPC } from '@quarry/dto';
import { GoApiModule } from '@quarry/go';
import { newId, systemCtx } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import { QueueBus } from '@quarry/queue';
import { ProvidersModule } from '@quarry/providers';
import { RunsModule } from '@quarry/runs';
import { ServiceJobsApiModule } from '@quarry/service-jobs';
import { alternate } from './harness/alternation.mjs';
import { quantile, ratioOf } from './harness/figures.mjs';
import { openCluster } from './harness/servers.mjs';

export const says = 'pages of filtered lists of an organisation with 1,000,000 entries, beside a young one';

/** BENCH_ENTRIES=100000 for a quick look. */
const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 1_000_000);
/** What every filter finds, in both organisations; in the old one it is older than all the rest. */
const FOUND = 60;
const PAGES = 20;
const SECRET = 'bench'.repeat(8);

export async function run({ life, report, settings }) {
  const cluster = await openCluster(life);
  const database = await life.open(
    'database',
    () => migratedDatabase(cluster.url, 'bench'),
    (part) => part.close(),
  );
  const queues = await life.open(
    'queues',
    () => QueueBus.open(QUEUES, { url: cluster.url }),
    (part) => part.close(),
  );
  const [young, old] = [systemCtx('bench', newId('org')), systemCtx('bench', newId('org'))];
  await seed(database, young, 0);
  await seed(database, old, ENTRIES);
  const { rpc } = await life.open(
    'modules',
    () =>
      openLocalCalls({
        database,
        queues,
        cursorSecret: SECRET,
        modules: [
          ProvidersModule.forRoot({ sandbox: true }),
          TablePortsModule,
          ServiceJobsApiModule,
          CreditsApiModule,
          ModelsModule.forRoot(null),
          PlannerModule.forRoot('rules'),
          RunsModule.forRoot({ appUrl: '' }),
          GoApiModule,
        ],
        apis: [SERVICES_RPC, RUNS_RPC, GO_RPC],
      }),
    (part) => part.close(),
  );
  const values = await alternate(
    { young: () => timed(rpc, young), old: () => timed(rpc, old) },
    settings.rounds,
    settings.onRound,
  );
  report.addTable(`a page of 50, ${ENTRIES.toLocaleString('en')} entries beside ${FOUND}, p50 in ms`, values);
  for (const name of Object.keys(values.old).filter((each) => each.endsWith(', ms')))
    report.addGoal(
      `${name.replace(', ms', '')}: time, old / young`,
      ratioOf(values.old[name], values.young[name]).median,
      'at most',
      2,
    );
  const tenth = Math.floor(ENTRIES / 10);
  const deep = await alternate(
    {
      'a tenth deep': () => timedDeep(rpc, old, tenth),
      'nine tenths deep': () => timedDeep(rpc, old, 9 * tenth),
    },
    settings.rounds,
    settings.onRound,
  );
  report.addTable(`a page of 50 of ${ENTRIES.toLocaleString('en')} entries by offset, p50 in ms`, deep);
}

async function timedDeep(rpc, ctx, offset) {
  const page = { limit: 50, offset };
  return timedPages({
    jobs: () => rpc.call(ctx, SERVICES_RPC.listJobs, { ...page, status: null, service: null, batchId: null }),
    runs: () => rpc.call(ctx, RUNS_RPC.listRuns, { ...page, workspaceId: null, conversationId: null }),
    'Go runs': () => rpc.call(ctx, GO_RPC.list, { ...page, status: null }),
  });
}

const idOf = (ctx, what) => `${what}_${ctx.orgId}`;

async function timed(rpc, ctx) {
  const jobs = (filter) => () =>
    rpc.call(ctx, SERVICES_RPC.listJobs, {
      ...{ limit: 50, offset: 0, status: null, service: null, batchId: null },
      ...filter,
    });
  const ledger = (filter) => () =>
    rpc.call(ctx, SERVICES_RPC.listLedger, {
      ...{ limit: 50, cursor: null, service: null, batchId: null, runId: null },
      ...filter,
    });
  const goRuns = (status) => () => rpc.call(ctx, GO_RPC.list, { limit: 50, offset: 0, status });
  const ofConversation = { limit: 50, offset: 0, workspaceId: null, conversationId: idOf(ctx, 'conv') };
  const pages = {
    'jobs, all': jobs({}),
    'jobs by status failed': jobs({ status: 'failed' }),
    'jobs by status cancelled': jobs({ status: 'cancelled' }),
    'jobs by status queued': jobs({ status: 'queued' }),
    'jobs by status completed': jobs({ status: 'completed' }),
    'jobs by service': jobs({ service: 'getPhoneNumber' }),
    'jobs by service and status': jobs({ service: 'getPhoneNumber', status: 'failed' }),
    'jobs by batch': jobs({ batchId: idOf(ctx, 'batch') }),
    'runs by conversation': () => rpc.call(ctx, RUNS_RPC.listRuns, ofConversation),
    'Go runs, all': goRuns(null),
    'Go runs by status failed': goRuns('failed'),
    'ledger by batch': ledger({ batchId: idOf(ctx, 'batch') }),
    'ledger by service': ledger({ service: 'getPhoneNumber' }),
    'ledger by run': ledger({ runId: idOf(ctx, 'run') }),
  };
  return timedPages(pages);
}

async function timedPages(pages) {
  const sample = {};
  for (const [name, page] of Object.entries(pages)) {
    const tookMs = [];
    for (let i = 0; i < PAGES; i += 1) {
      const from = performance.now();
      const { items } = JSON.parse(await page());
      tookMs.push(performance.now() - from);
      if (items.length === 0) throw new Error(`${name} found nothing.`);
    }
    sample[`${name}, ms`] = quantile(tookMs, 0.5);
  }
  return sample;
}

/** Writes what an organisation has found with each filter long ago, and then so many entries that none of them finds. */
async function seed(database, ctx, entries) {
  const { orgId } = ctx;
  const [batch, conversation, run] = ['batch', 'conv', 'run'].map((what) => idOf(ctx, what));
  await database.withConnection(async (client) => {
    const query = (sql, ...params) => client.query(sql, params);
    await query('SET statement_timeout = 0');
    await query(
      `INSERT INTO credits.accounts (id, org_id, mode) VALUES ($1::text || ':live', $1, 'live')`,
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
