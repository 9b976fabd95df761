// A vendor of e-mail addresses that responds at once, in a separate process so that its CPU is not counted for any side.
import { createServer } from 'node:http';
import { serveCommands } from './child-process.mjs';

const ANSWER = Buffer.from(
  JSON.stringify({
    found: true,
    deep: false,
    output: { email: 'ada@bench.example', status: 'verified', confidence: 'high' },
  }),
);
const HEAD = { 'Content-Type': 'application/json', 'Content-Length': ANSWER.length };

await serveCommands(async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, HEAD).end(ANSWER));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { facts: { url: `http://127.0.0.1:${server.address().port}` } };
});
