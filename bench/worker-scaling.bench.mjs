import { alternate } from './harness/alternation.mjs';
import { startScript } from './harness/child-process.mjs';
import { ratioOf } from './harness/statistics.mjs';
import { openCluster } from './harness/servers.mjs';

export const says = 'charged lines per second of 1, 2 and 3 worker processes whose provider takes 200 ms';

const PROVIDER_MS = 200;
/** Messages per worker, which are 50 concurrent lines. */
const MESSAGES_IN_FLIGHT = 2;
const LINES_PER_WORKER = 1_000;

export async function run({ life, report, settings }) {
  const { url } = await openCluster(life);
  const workers = [];
  for (let i = 0; i < 3; i += 1)
    workers.push(
      await life.open(
        'product/line-worker.mjs',
        () =>
          startScript('product/line-worker.mjs', {
            url,
            queueUrl: url,
            messagesInFlight: MESSAGES_IN_FLIGHT,
            providerMs: PROVIDER_MS,
          }),
        (part) => part.close(),
      ),
    );
  const side = (count) => async () => {
    const lines = LINES_PER_WORKER * count;
    // One of them fills the queue, then all workers consume it.
    await workers[0].ask({ prepare: lines });
    const drained = await Promise.all(workers.slice(0, count).map((worker) => worker.ask({})));
    return { perSecond: lines / Math.max(...drained.map(({ seconds }) => seconds)) };
  };
  const sides = { '1 worker': side(1), '2 workers': side(2), '3 workers': side(3) };
  const values = await alternate(sides, settings.rounds, settings.onRound);
  report.addTable(`a provider of ${PROVIDER_MS} ms, 50 lines in flight per worker`, values);
  const perSecond = (name) => ratioOf(values[name].perSecond, values['1 worker'].perSecond).median;
  report.addGoal('lines per second, 2 workers / 1', perSecond('2 workers'), 'at least', 1.9);
  report.addGoal('lines per second, 3 workers / 1', perSecond('3 workers'), 'at least', 2.8);
}
