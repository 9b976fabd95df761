import { migratedDatabase, TablePortsModule } from '@quarry/composition';
import { ModelsModule, PlannerModule } from '@quarry/language-models';
import { RulesPlanner } from '@quarry/rules-planner';
import { CreditsApiModule } from '@quarry/credit-ledger';
import { GO_RPC, MONITORS_RPC, QUEUES, RUNS_RPC, SERVICES_RPC } from '@quarry/dto';
import { GoApiModule } from '@quarry/research';
import { newId, systemCtx } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import { QueueBus } from '@quarry/queue';
import { ProvidersModule } from '@quarry/providers';
import { EnrichmentsModule } from '@quarry/enrichments';
import { MonitorsModule } from '@quarry/monitors';
import { RunsModule } from '@quarry/runs';
import { ServiceJobsApiModule } from '@quarry/service-jobs';
import { alternate } from './harness/alternation.mjs';
import { quantile, ratioOf, spreadOf } from './harness/statistics.mjs';
import { FOUND, idOf, seedLists } from './harness/list.fixture.mjs';
import { openCluster } from './harness/servers.mjs';

export const says = 'pages of filtered lists of an organisation with 1,000,000 entries, beside a young one';

/** --entries=100000 for a quick look. */
const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 1_000_000);
const PAGES = 20;
const DEEP = [
  { list: 'jobs', offset: ENTRIES * 0.1, goalMs: 50 },
  { list: 'jobs', offset: ENTRIES * 0.9, goalMs: 300 },
  ...['runs', 'Go runs'].flatMap((list) => [
    { list, offset: ENTRIES * 0.1, goalMs: 50 },
    { list, offset: ENTRIES * 0.2 - 100, goalMs: 50 },
  ]),
];
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
  await seedLists(database, young, 0);
  await seedLists(database, old, ENTRIES);
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
          PlannerModule.forRoot('rules', new RulesPlanner()),
          RunsModule.forRoot({ appUrl: '' }),
          MonitorsModule,
          EnrichmentsModule,
          GoApiModule,
        ],
        apis: [SERVICES_RPC, RUNS_RPC, MONITORS_RPC, GO_RPC],
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
  const { deep } = await alternate({ deep: () => timedDeep(rpc, old) }, settings.rounds, settings.onRound);
  report.addTable(`a page of 50 of ${ENTRIES.toLocaleString('en')} entries by offset, p50 in ms`, { deep });
  for (const { list, offset, goalMs } of DEEP)
    report.addGoal(
      nameOf(list, offset),
      spreadOf(deep[`${nameOf(list, offset)}, ms`]).median,
      'at most',
      goalMs,
    );
}

const nameOf = (list, offset) => `${list} at ${offset.toLocaleString('en')}`;

function timedDeep(rpc, ctx) {
  const page = {
    jobs: [SERVICES_RPC.listJobs, { status: null, service: null, batchId: null }],
    runs: [RUNS_RPC.listRuns, { workspaceId: null, conversationId: null }],
    'Go runs': [GO_RPC.list, { status: null }],
  };
  return timedPages(
    Object.fromEntries(
      DEEP.map(({ list, offset }) => {
        const [call, filter] = page[list];
        return [nameOf(list, offset), () => rpc.call(ctx, call, { limit: 50, offset, ...filter })];
      }),
    ),
  );
}

async function timed(rpc, ctx) {
  const jobs = (filter) => () =>
    rpc.call(ctx, SERVICES_RPC.listJobs, {
      limit: 50,
      offset: 0,
      status: null,
      service: null,
      batchId: null,
      ...filter,
    });
  const ledger = (filter) => () =>
    rpc.call(ctx, SERVICES_RPC.listLedger, {
      limit: 50,
      cursor: null,
      service: null,
      batchId: null,
      runId: null,
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
