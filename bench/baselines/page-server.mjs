// The smallest program that answers a page: node:http, one pipelined connection, JSON text made by PostgreSQL.
import { createServer } from 'node:http';
import { serveCommands } from '../harness/child-process.mjs';
import { openReader } from './run-reader.mjs';

const SQL = `SELECT json_build_object('items', coalesce(json_agg(json_build_object('id', r.id, 'values', r.cell_values,
    'cells', r.cells, 'fit', r.fit) ORDER BY r.position), '[]'))::text AS json
  FROM tables.rows r
  WHERE r.org_id = $1 AND r.row_set = $2::bigint AND r.position >= 0 AND r.position < $3::bigint`;

await serveCommands(async ({ url, orgId, rowSet }) => {
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
      .query({ name: 'page', text: SQL, values: [orgId, rowSet, limit] })
      .then(answer, () => response.writeHead(500).end());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { facts: { port: server.address().port }, close: () => reader.end() };
});
