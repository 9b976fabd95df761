// Takes traces and forgets them, in a process of its own so that its CPU is nobody's.
import { createServer } from 'node:http';
import { serveCommands } from './child-process.mjs';

await serveCommands(async () => {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk) => (bytes += chunk.length));
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    facts: { url: `http://127.0.0.1:${server.address().port}` },
    answer: () => Promise.resolve({ bytes }),
  };
});
