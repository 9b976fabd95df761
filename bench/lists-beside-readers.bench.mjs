import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { systemCtx } from '@quarry/app';
import { alternate } from './harness/alternation.mjs';
import { startScript } from './harness/child-process.mjs';
import { ratioOf } from './harness/statistics.mjs';
import { openServices } from './harness/product.mjs';
import { openCluster } from './harness/servers.mjs';
import { seedLists } from './harness/list.fixture.mjs';

export const says =
  'lists of one organisation, through gateway and services, alone and beside two deep readers of another one';

/** Number of entries. --entries=100000 makes a short run. */
const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 1_000_000);
/** Number of entries before the readers' pages. */
const OFFSET = Math.floor(ENTRIES * 0.9);
const READERS = 2;
const LIST = '/v1/services/jobs?limit=50';

export async function run({ life, report, settings }) {
  const cluster = await openCluster(life);
  const database = await migratedDatabase(cluster.url, 'bench');
  const organisation = async (name, size) => {
    const { orgId, apiKey } = await createOrganisation(database, { name, credits: 0 });
    await seedLists(database, systemCtx('bench', orgId), size);
    return apiKey;
  };
  const [small, large] = [await organisation('Small', 60), await organisation('Large', ENTRIES)];
  await database.close();
  const {
    ports: [port],
  } = await openServices(life, cluster);
  const load = () =>
    life.open(
      'load',
      () => startScript('harness/http-load.mjs'),
      (part) => part.close(),
    );
  const [lists, readers] = [await load(), await load()];
  const question = (path, apiKey, connections) => ({
    port,
    path,
    connections,
    ms: settings.seconds * 1000,
    countsRefused: true,
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  const listing = async () => {
    const { operations, seconds, p50Ms, p99Ms, refused } = await lists.ask(question(LIST, small, 1));
    return { perSecond: operations / seconds, p50Ms, p99Ms, refused };
  };
  const alone = async () => {
    const { refused, ...sample } = await listing();
    if (refused > 0) throw new Error('A list was refused that nobody was beside.');
    return sample;
  };
  const beside = async () => {
    const deep = question(`${LIST}&offset=${OFFSET}`, large, READERS);
    const [sample, read] = await Promise.all([listing(), readers.ask(deep)]);
    return { ...sample, 'deep pages per second': read.operations / read.seconds };
  };
  const values = await alternate({ alone, beside }, settings.rounds, settings.onRound);
  report.addTable(
    `a list of 50, alone and beside ${READERS} readers of pages after ${OFFSET.toLocaleString('en')}`,
    values,
  );
  report.addGoal(
    'median of a list, beside / alone',
    ratioOf(values.beside.p50Ms, values.alone.p50Ms).median,
    'at most',
    2,
  );
  report.addGoal('lists refused, in any round', Math.max(...values.beside.refused), 'at most', 0);
}
