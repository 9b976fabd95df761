import { alternate, withCpu } from './harness/alternation.mjs';
import { startScript } from './harness/child-process.mjs';
import { ratioOf } from './harness/statistics.mjs';
import { openCluster } from './harness/servers.mjs';
import { seedWorkspace } from './harness/table.fixture.mjs';
import { nodeFlagsOf } from '../tools/node-flags.mjs';

export const says =
  'import of 100,000 rows of 10 columns, against JSON.parse and a bare COPY of the same rows';

const ROWS = 100_000;

export async function run({ life, report, settings }) {
  const sides = {
    baseline: await openSide(life, 'baselines/bare-copy.mjs'),
    product: await openSide(life, 'product/tables-service.mjs'),
  };
  const measured = Object.entries(sides).map(([name, { script, processes }]) => [
    name,
    () => withCpu(processes, () => script.ask({ importRows: ROWS })),
  ]);
  const values = await alternate(Object.fromEntries(measured), settings.rounds, settings.onRound);
  report.addTable('rows', values);
  const ratio = ratioOf(values.product.perSecond, values.baseline.perSecond).median;
  report.addGoal('rows per second, product / baseline', ratio, 'at least', 0.5);
}

async function openSide(life, path) {
  const cluster = await openCluster(life);
  const seed = await seedWorkspace(cluster.url);
  const script = await life.open(
    path,
    () => startScript(path, { url: cluster.url, ...seed }, nodeFlagsOf('tables')),
    (part) => part.close(),
  );
  return { script, processes: { program: script.pid, PostgreSQL: cluster.pid } };
}
