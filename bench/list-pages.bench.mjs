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
import { quantile, spreadOf } from './harness/statistics.mjs';
import { seedLists } from './harness/list.fixture.mjs';
import { openCluster } from './harness/servers.mjs';

export const says = 'pages far behind the first of lists of an organisation with 1,000,000 entries';

/** Number of entries. --entries=100000 makes a short run. */
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
  const ctx = systemCtx('bench', newId('org'));
  await seedLists(database, ctx, ENTRIES);
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
  const { deep } = await alternate({ deep: () => timedDeep(rpc, ctx) }, settings.rounds, settings.onRound);
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

async function timedDeep(rpc, ctx) {
  const page = {
    jobs: [SERVICES_RPC.listJobs, { status: null, service: null, batchId: null }],
    runs: [RUNS_RPC.listRuns, { workspaceId: null, conversationId: null }],
    'Go runs': [GO_RPC.list, { status: null }],
  };
  const sample = {};
  for (const { list, offset } of DEEP) {
    const [call, filter] = page[list];
    const tookMs = [];
    for (let i = 0; i < PAGES; i += 1) {
      const from = performance.now();
      const { items } = JSON.parse(await rpc.call(ctx, call, { limit: 50, offset, ...filter }));
      tookMs.push(performance.now() - from);
      if (items.length === 0) throw new Error(`${nameOf(list, offset)} found nothing.`);
    }
    sample[`${nameOf(list, offset)}, ms`] = quantile(tookMs, 0.5);
  }
  return sample;
}
