import { startScript } from './harness/child-process.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'a run over 1,000 rows with five columns that services fill, four by direct calls and one by lines, of providers that take 100 ms';

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000);
const PROVIDER_MS = Number(process.env.BENCH_PROVIDER_MS ?? 100);
/** Direct calls that a run has in work at most (libs/runs/src/agent/column-enricher.ts). */
const CALLS_AT_ONCE = 24;
const COLUMNS = 5;

export async function run({ life, report, settings }) {
  const { url } = await openCluster(life);
  const product = await life.open(
    'product/column-runs.mjs',
    () => startScript('product/column-runs.mjs', { url, providerMs: PROVIDER_MS }),
    (part) => part.close(),
  );
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
  const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  const share = middle(of(({ fastWhileBusy }) => fastWhileBusy / CALLS_AT_ONCE));
  report.addGoal('share of the direct calls that a run may have in work', share, 'at least', 0.4);
  report.addGoal(
    'charges for each cell',
    middle(of(({ charges }) => charges.n / (ROWS * COLUMNS))),
    'at most',
    1,
  );
}
