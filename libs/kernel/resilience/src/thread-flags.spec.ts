import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from '@jest/globals';
import { THREAD_FLAGS } from './thread-flags.js';

it('worker threads cannot require ECMAScript modules', async () => {
  const thread = new Worker(
    'require("node:worker_threads").parentPort.postMessage(process.features.require_module)',
    { eval: true, execArgv: [...THREAD_FLAGS] },
  );
  expect(await once(thread, 'message')).toEqual([false]);
  await thread.terminate();
});
