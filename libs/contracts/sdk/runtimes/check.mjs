// Checks of the SDK in every runtime: run by tools/test-sdk.mjs, which passes the address of a server with scripted
// responses.
import { ApiError, ConnectionError, Quarry, TimeoutError, verifyWebhook } from '@quarry/sdk';

const [url, signed, secret] = JSON.parse(globalThis.process.env.CHECK);
const quarry = new Quarry({ apiKey: 'key', baseUrl: url });
const passed = [];
async function check(name, work) {
  try {
    if (!(await work())) throw new Error('It did not hold.');
    passed.push(name);
  } catch (error) {
    console.log(`FAILED ${name}: ${error.name} ${error.message}`);
    globalThis.process.exitCode = 1;
  }
}
const thrown = (work) =>
  work.then(
    () => null,
    (error) => error,
  );

await check('a request that was cut is sent again under one key', async () => {
  const { id } = await quarry.runs.create({ prompt: 'cut' });
  return id === 'run_1';
});
await check('a refusal has its code', async () => {
  const error = await thrown(quarry.runs.get('missing'));
  return error instanceof ApiError && error.code === 'run_not_found' && error.requestId === 'req_1';
});
await check('a body that stalls ends with the time-out', async () => {
  const error = await thrown(quarry.runs.get('stall', { timeoutMs: 300, retriesMax: 0 }));
  return error instanceof TimeoutError && error instanceof ConnectionError;
});
await check('a signal ends a request', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('left')), 100);
  return (await thrown(quarry.runs.get('stall', { signal: stop.signal })))?.message === 'left';
});
await check('a list is gone through', async () => {
  const items = [];
  for await (const item of quarry.runs.list()) items.push(item);
  return items.length === 10_000;
});
await check('a stream is followed over cut connections', async () => {
  const seqs = [];
  for await (const { seq } of quarry.runs.followEvents('run_1')) seqs.push(seq);
  return seqs.join() === Array.from({ length: 20 }, (_, at) => at + 1).join();
});
await check('a download goes on where it was cut', async () => {
  let length = 0;
  for await (const piece of quarry.exports.download('exp_1')) length += piece.length;
  return length === 1_000_000;
});
await check('a webhook is verified', async () => {
  const { body, headers } = signed;
  const error = await thrown(verifyWebhook(`${body} `, headers, secret));
  return (await verifyWebhook(body, headers, secret)).id === 'evt_1' && error?.name === 'WebhookError';
});
console.log(`${passed.length} passed`);
