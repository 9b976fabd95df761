import { migratedDatabase, RunReaderModule } from '@quarry/composition';
import { TABLES_RPC } from '@quarry/dto';
import { newId, systemCtx } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import { ConfiguredProviders } from '@quarry/providers';
import { ExclusionMatcher, TablesModule } from '@quarry/tables';
import { alternate } from './harness/alternation.mjs';
import { quantile, ratioOf, spreadOf } from './harness/statistics.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'sourcing from the sandbox with 0 and with 1,000,000 entries on each exclusion list, and a sync of 20,000 into them';

/** Number of entries. --entries=100000 makes a short run. */
const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 1_000_000);
/** Page size of a run, which checks each page of the directory against both lists. */
const PAGE = 500;
const PEOPLE = 20_000;
const SYNC_ITEMS = 20_000;

export async function run({ life, report, settings }) {
  const cluster = await openCluster(life);
  const database = await life.open(
    'database',
    () => migratedDatabase(cluster.url, 'bench'),
    (part) => part.close(),
  );
  const [free, barred] = [systemCtx('bench', newId('org')), systemCtx('bench', newId('org'))];
  for (const kind of ['companies', 'people']) await seedEntries(database, barred, kind);
  const { rpc } = await life.open(
    'tables',
    () =>
      openLocalCalls({
        database,
        cursorSecret: 'bench'.repeat(8),
        modules: [RunReaderModule, TablesModule.forRoot({ appUrl: '' })],
        apis: [TABLES_RPC],
      }),
    (part) => part.close(),
  );
  const [{ provider }] = new ConfiguredProviders({ sandbox: true }).routeOf('searchPeople', 'live');
  const exclusions = new ExclusionMatcher(database);
  const sourcing = (ctx) => () => source(provider.people, exclusions, ctx);
  const values = await alternate(
    { 'no entries': sourcing(free), 'full lists': sourcing(barred) },
    settings.rounds,
    settings.onRound,
  );
  const size = ENTRIES.toLocaleString('en');
  report.addTable(`people sourced, ${size} entries on each list`, values);
  const ratio = ratioOf(values['no entries'].perSecond, values['full lists'].perSecond).median;
  report.addGoal('time of sourcing, full lists / no entries', ratio, 'at most', 1.2);
  const asking = ratioOf(values['full lists'].p50Ms, values['no entries'].p50Ms).median;
  report.addGoal('p50 of one question about 500 people, full / no entries', asking, 'at most', 1.5);
  await synced(rpc, { free, barred }, report, settings);
}

/** Inserts entries of a separate source: domains in one list, profiles in the other, none of them in the sandbox. */
async function seedEntries(database, ctx, kind) {
  const entry =
    kind === 'companies'
      ? `'seeded-' || i || '.com', 'https://www.linkedin.com/company/seeded-' || i`
      : `NULL, 'https://www.linkedin.com/in/seeded-' || i`;
  await database.withConnection(async (client) => {
    await client.query(
      `INSERT INTO tables.exclusions (org_id, kind, entry_key, domain, linkedin_url)
       SELECT $1, $2, coalesce(domain, linkedin_url), domain, linkedin_url
       FROM generate_series(1, $3::int) AS i, LATERAL (SELECT ${entry}) AS e (domain, linkedin_url)`,
      [ctx.orgId, kind, ENTRIES],
    );
    await client.query(
      `INSERT INTO tables.exclusion_sources (org_id, kind, entry_key, source)
       SELECT org_id, kind, entry_key, 'seed' FROM tables.exclusions WHERE org_id = $1 AND kind = $2`,
      [ctx.orgId, kind],
    );
    // As autovacuum would have done on a list of some age.
    await client.query('VACUUM (ANALYZE) tables.exclusions');
    await client.query('VACUUM (ANALYZE) tables.exclusion_sources');
  });
}

/** Reads all people of the sandbox page by page, and checks each page against both lists. */
async function source(directory, exclusions, ctx) {
  const from = performance.now();
  const tookMs = [];
  const ask = async (kind, candidates) => {
    const askedAt = performance.now();
    const excluded = await exclusions.excludedAmong(ctx, kind, candidates);
    tookMs.push(performance.now() - askedAt);
    if (excluded.size > 0) throw new Error('An entry that nobody made is met.');
  };
  for (let offset = 0; offset < PEOPLE; offset += PAGE) {
    const { items } = await directory.searchPeople({}, { limit: PAGE, offset });
    await ask(
      'companies',
      items.map(({ company }) => ({ domain: company.domain, linkedin_url: company.linkedin_url })),
    );
    await ask(
      'people',
      items.map(({ linkedin_url, company }) => ({ domain: company.domain, linkedin_url })),
    );
  }
  const seconds = (performance.now() - from) / 1000;
  return { perSecond: PEOPLE / seconds, p50Ms: quantile(tookMs, 0.5), p99Ms: quantile(tookMs, 0.99) };
}

/** Measures a source of 20,000 entries that is created, synchronised unchanged and removed by the handler behind the API. */
async function synced(rpc, ctxs, report, settings) {
  const items = Array.from({ length: SYNC_ITEMS }, (_, i) => ({ domain: `firm-${i}.com` }));
  const sync = async (ctx, wanted, dryRun) => {
    const request = { kind: 'companies', source: 'crm', items: wanted, dryRun };
    return JSON.parse(await rpc.call(ctx, TABLES_RPC.syncExclusions, request));
  };
  const timed = async (ctx) => {
    const sample = {};
    for (const [name, wanted, dryRun, expected] of [
      ['- dry run', items, true, { created: SYNC_ITEMS, deleted: 0, unchanged: 0 }],
      ['- made', items, false, { created: SYNC_ITEMS, deleted: 0, unchanged: 0 }],
      ['- unchanged', items, false, { created: 0, deleted: 0, unchanged: SYNC_ITEMS }],
      ['- taken away', [], false, { created: 0, deleted: SYNC_ITEMS, unchanged: 0 }],
    ]) {
      const from = performance.now();
      const counts = await sync(ctx, wanted, dryRun);
      sample[`${name}, ms`] = performance.now() - from;
      if (JSON.stringify(counts) !== JSON.stringify({ ...expected, rejected: [] }))
        throw new Error(`${name}: ${JSON.stringify(counts)}`);
    }
    return sample;
  };
  const values = await alternate(
    { 'no entries': () => timed(ctxs.free), 'full lists': () => timed(ctxs.barred) },
    settings.rounds,
    settings.onRound,
  );
  report.addTable(`a sync of ${SYNC_ITEMS.toLocaleString('en')} entries`, values);
  const slowest = Math.max(...Object.values(values['full lists']).map((each) => spreadOf(each).median));
  report.addGoal('slowest sync on a full list, seconds', slowest / 1000, 'at most', 3);
}
