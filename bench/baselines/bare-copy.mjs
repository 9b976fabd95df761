// PostgreSQL's own COPY in both directions over one connection: no program that stores rows there can be much faster.
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import copy from 'pg-copy-streams';
import { serveCommands } from '../harness/child-process.mjs';
import { idleMemoryMb, withPeak } from '../harness/peak-memory.mjs';
import { COLUMNS, copyText, importBody } from '../harness/table.fixture.mjs';

const CHUNK_BYTES = 256 * 1024;

await serveCommands(async ({ url, orgId }) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const idleMb = idleMemoryMb();
  // No table has these row sets, so no other data is affected.
  let rowSet = 1_000_000;

  const timed = async (operations, work) => {
    const startedAt = performance.now();
    await work();
    return { operations, seconds: (performance.now() - startedAt) / 1000 };
  };
  const copyIn = async (body, bytes) => {
    JSON.parse(body);
    const into = client.query(
      copy.from('COPY tables.rows (org_id, row_set, position, id, cell_values) FROM STDIN'),
    );
    const chunks = function* () {
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
    };
    await pipeline(Readable.from(chunks()), into);
  };
  const copyOut = async (from) => {
    const select = COLUMNS.map(({ key }) => `cell_values->>'${key}'`).join(', ');
    const sql = `COPY (SELECT ${select} FROM tables.rows WHERE org_id = '${orgId}' AND row_set = ${from}
      ORDER BY position) TO STDOUT CSV`;
    const drain = new Writable({ write: (_chunk, _encoding, done) => done() });
    await pipeline(client.query(copy.to(sql)), drain);
  };
  const answer = ({ importRows, exportRows }) => {
    if (exportRows) return withPeak(idleMb, () => timed(exportRows.rows, () => copyOut(exportRows.rowSet)));
    rowSet += 1;
    const body = importBody(importRows);
    const bytes = Buffer.from(copyText(orgId, rowSet, importRows));
    return withPeak(idleMemoryMb(), () => timed(importRows, () => copyIn(body, bytes)));
  };
  return { answer, close: () => client.end() };
});
