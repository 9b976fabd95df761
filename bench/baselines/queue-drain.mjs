// A bare queue with one message per line and a handler that does nothing.
import { serveCommands } from '../harness/child-process.mjs';
import { openBareQueue } from '../harness/bare-queue.mjs';

await serveCommands(async ({ queueUrl, concurrency }) => {
  const queue = await openBareQueue(queueUrl, 'bench');
  let waiting = 0;
  const answer = async ({ prepare: lines }) => {
    if (lines) {
      for (let i = 0; i < lines; i += 100)
        await queue.addBulk(Array.from({ length: 100 }, (_, j) => ({ line: i + j })));
      waiting = lines;
      return null;
    }
    const startedAt = performance.now();
    let worker;
    await new Promise((resolve) => {
      const run = () => {
        waiting -= 1;
        if (waiting === 0) resolve();
        return Promise.resolve();
      };
      worker = queue.work(run, concurrency);
    });
    const seconds = (performance.now() - startedAt) / 1000;
    await worker.close();
    return { seconds };
  };
  return { answer };
});
