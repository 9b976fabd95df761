// Queues of other projects, used as their documentation advises: fetching and completing in groups, woken by notifications.
import { createRequire } from 'node:module';
import { openBareQueue } from '../harness/bare-queue.mjs';

const QUEUE = 'lines';
/** Concurrent lines of one process, as many as two messages of the product contain. */
const IN_FLIGHT = 50;
const GROUP = 25;

/**
 * @param {(lineId: string) => Promise<void>} work
 * @returns {Promise<{ addAll(lineIds: string[]): Promise<unknown> }>}
 */
export const PEERS = {
  'pg-boss': async ({ packages, url, work }) => {
    const { PgBoss } = createRequire(`${packages}/`)('pg-boss');
    const boss = new PgBoss({ connectionString: url, useListenNotify: true });
    boss.on('error', (error) => console.error(error));
    await boss.start();
    await boss.createQueue(QUEUE, { notify: true });
    await boss.work(
      QUEUE,
      { batchSize: GROUP, localConcurrency: IN_FLIGHT / GROUP, burstWhenBatchFull: true },
      (jobs) => Promise.all(jobs.map(({ data }) => work(data.lineId))),
    );
    return {
      addAll: (lineIds) =>
        boss.insert(
          QUEUE,
          lineIds.map((lineId) => ({ data: { lineId } })),
        ),
    };
  },
  'graphile-worker': async ({ packages, url, work }) => {
    const { Logger, makeWorkerUtils, run } = createRequire(`${packages}/`)('graphile-worker');
    await run({
      connectionString: url,
      taskList: { [QUEUE]: ({ lineId }) => work(lineId) },
      logger: new Logger(() => (level, message) => level === 'error' && console.error(message)),
      noHandleSignals: true,
      preset: {
        worker: { concurrentJobs: IN_FLIGHT, localQueue: { size: 2 * IN_FLIGHT }, completeJobBatchDelay: 0 },
      },
    });
    const utils = await makeWorkerUtils({ connectionString: url });
    return {
      addAll: (lineIds) =>
        utils.addJobs(lineIds.map((lineId) => ({ identifier: QUEUE, payload: { lineId } }))),
    };
  },
  BullMQ: async ({ queueUrl, work }) => {
    const queue = await openBareQueue(queueUrl, QUEUE);
    queue.work(({ lineId }) => work(lineId), IN_FLIGHT);
    return { addAll: (lineIds) => queue.addBulk(lineIds.map((lineId) => ({ lineId }))) };
  },
};
