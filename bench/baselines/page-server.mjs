// The smallest program that answers with a page from one statement, whose last parameter may be the request's limit: node:http,
// one pipelined connection, JSON text created by PostgreSQL.
import { createServer } from 'node:http';
import { serveCommands } from '../harness/child-process.mjs';
import { openReader } from './run-reader.mjs';

await serveCommands(async ({ url, text, values }) => {
  const reader = await openReader(url);
  const server = createServer((request, response) => {
    const limit = new URL(request.url, 'http://localhost').searchParams.get('limit');
    const answer = ({ rows }) => {
      const body = Buffer.from(rows[0].json);
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length })
        .end(body);
    };
    reader
      .query({ name: 'page', text, values: limit === null ? values : [...values, limit] })
      .then(answer, () => response.writeHead(500).end());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { facts: { port: server.address().port }, close: () => reader.end() };
});
