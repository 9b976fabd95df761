// Sends one message after the other through a bare queue: measures from the add to the call of its handler.
import { setTimeout as delay } from 'node:timers/promises';
import { serveCommands } from '../harness/child-process.mjs';
import { openBareQueue } from '../harness/bare-queue.mjs';

await serveCommands(async ({ queueUrl }) => {
  const queue = await openBareQueue(queueUrl, 'bench');
  let arrived = () => undefined;
  queue.work(() => Promise.resolve(arrived()), 50);

  const once = async () => {
    const processed = new Promise((resolve) => (arrived = resolve));
    const addedAt = performance.now();
    await queue.add({ jobIds: ['svcjob_01k6c4h2v8q1n5x7z3m9b2d4fg'] });
    await processed;
    return performance.now() - addedAt;
  };
  const answer = async ({ count, pauseMs }) => {
    const latenciesMs = [];
    for (let i = 0; i < count; i += 1) {
      latenciesMs.push(await once());
      await delay(pauseMs);
    }
    return latenciesMs;
  };
  return { answer };
});
