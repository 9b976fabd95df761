import { alternate } from './harness/alternation.mjs';
import { startScript } from './harness/child-process.mjs';
import { ratioOf, spreadOf } from './harness/statistics.mjs';
import { seedProduct } from './harness/run.fixture.mjs';
import { openCluster } from './harness/servers.mjs';
import { seedTable, seedWorkspace } from './harness/table.fixture.mjs';
import { nodeFlagsOf } from '../tools/node-flags.mjs';

export const says = 'CSV export of 100,000 and 1,000,000 rows of 10 columns, against COPY … TO STDOUT CSV';

const SIZES = [100_000, 1_000_000];
/** Number of rounds with a million rows, which take some twenty seconds for both sides. */
const ROUNDS_OF_MILLION = 2;

export async function run({ life, report, settings }) {
  const sides = {
    baseline: await openSide(life, 'baselines/bare-copy.mjs', seedWorkspace),
    product: await openSide(life, 'product/tables-service.mjs', seedProduct),
  };
  const peaks = [];
  for (const rows of SIZES) {
    const { baseline, product } = sides;
    const [from, of] = [await baseline.seed(rows), await product.seed(rows)];
    const rounds = rows === SIZES[0] ? settings.rounds : Math.min(settings.rounds, ROUNDS_OF_MILLION);
    const values = await alternate(
      {
        baseline: async () => rated(await baseline.script.ask({ exportRows: { rows, rowSet: from.rowSet } })),
        product: async () =>
          rated(
            await product.script.ask({ exportRows: { rows, tableKey: of.tableId }, runId: product.runId }),
          ),
      },
      rounds,
      settings.onRound,
    );
    const size = rows.toLocaleString('en');
    report.addTable(`${size} rows`, values);
    const ratio = ratioOf(values.product.perSecond, values.baseline.perSecond).median;
    report.addGoal(`${size} rows: rows per second, product / baseline`, ratio, 'at least', 0.4);
    if (!values.product.peakMb) continue;
    peaks.push(spreadOf(values.product.peakMb).median);
    report.addGoal(`${size} rows: peak memory over idle in MB`, peaks.at(-1), 'at most', 60);
  }
  if (peaks.length === 2)
    report.addGoal('peak memory, 1,000,000 / 100,000 rows', peaks[1] / peaks[0], 'at most', 1.25);
}

function rated({ operations, seconds, ...rest }) {
  return { perSecond: operations / seconds, ...rest };
}

async function openSide(life, path, seedOrganisation) {
  const cluster = await openCluster(life);
  const organisation = await seedOrganisation(cluster.url);
  const script = await life.open(
    path,
    () => startScript(path, { url: cluster.url, ...organisation }, nodeFlagsOf('tables')),
    (part) => part.close(),
  );
  return { script, ...organisation, seed: (rows) => seedTable(cluster.url, organisation, rows) };
}
