import { startScript } from './harness/child-process.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'a run over 1,000 rows with five columns that services fill, four by direct calls and one by lines, of providers that take 100 ms';

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000);
const PROVIDER_MS = Number(process.env.BENCH_PROVIDER_MS ?? 100);
/** Maximum number of concurrent direct calls of a run (libs/domains/runs/src/columns/column-enricher.ts). */
const CALLS_AT_ONCE = 24;
const COLUMNS = 5;
/** Concurrent calls of one slow service: three workers, each with the usual ten of a vendor per process. */
const PLACES_OF_SERVICE = 30;
const SLOW_PROVIDER_MS = 200;

export async function run({ life, report, settings }) {
  await runMixed({ life, report, settings });
  await runSlow({ life, report, settings });
}

async function openProduct(life, options) {
  const { url } = await openCluster(life);
  return life.open(
    'product/column-runs.mjs',
    () => startScript('product/column-runs.mjs', { url, ...options }),
    (part) => part.close(),
  );
}

/** Measures five columns of slow services, each with a fixed concurrency: whether one run uses all of it. */
async function runSlow({ life, report, settings }) {
  const product = await openProduct(life, {
    providerMs: SLOW_PROVIDER_MS,
    placesOfService: PLACES_OF_SERVICE,
  });
  await product.ask({ rows: 100, isSlow: true });
  const rounds = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    const sample = await product.ask({ rows: ROWS, isSlow: true });
    settings.onRound('product', round, sample);
    rounds.push(sample);
  }
  const places = PLACES_OF_SERVICE * COLUMNS;
  const of = (pick) => rounds.map(pick);
  report.addTable(`${ROWS} rows, ${COLUMNS} columns by lines, ${places} places, ${SLOW_PROVIDER_MS} ms`, {
    run: {
      readyMs: of(({ seconds }) => seconds * 1000),
      perSecond: of(({ seconds }) => (ROWS * COLUMNS) / seconds),
      slowInWork: of(({ slowWhileBusy }) => slowWhileBusy),
    },
  });
  report.addGoal(
    'share of the places of slow services in work, from the first line to the last',
    middle(of(({ slowWhileBusy }) => slowWhileBusy / places)),
    'at least',
    0.8,
  );
}

const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function runMixed({ life, report, settings }) {
  const product = await openProduct(life, { providerMs: PROVIDER_MS });
  await product.ask({ rows: 100 });
  const rounds = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    const sample = await product.ask({ rows: ROWS });
    settings.onRound('product', round, sample);
    rounds.push(sample);
  }
  const of = (pick) => rounds.map(pick);
  report.addTable(`${ROWS} rows, ${COLUMNS} columns, ${PROVIDER_MS} ms an answer`, {
    run: {
      readyMs: of(({ seconds }) => seconds * 1000),
      perSecond: of(({ seconds }) => (ROWS * COLUMNS) / seconds),
      inWork: of(({ inWork }) => inWork),
      fastInWork: of(({ fastWhileBusy }) => fastWhileBusy),
      mostInWork: of(({ most }) => most),
      chargesPerCell: of(({ charges }) => charges.n / (ROWS * COLUMNS)),
    },
  });
  const share = middle(of(({ fastWhileBusy }) => fastWhileBusy / CALLS_AT_ONCE));
  report.addGoal('share of the direct calls that a run may have in work', share, 'at least', 0.4);
  report.addGoal(
    'charges for each cell',
    middle(of(({ charges }) => charges.n / (ROWS * COLUMNS))),
    'at most',
    1,
  );
}
