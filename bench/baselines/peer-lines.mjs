// Batches of lines with credits, as a good engineer would write them by hand around another queue: holds, and results with their
// postings, of lines that are in progress together are one statement and one commit each.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { serveCommands } from '../harness/child-process.mjs';
import { PEERS } from './peer-queues.mjs';

const SCHEMA = `
  CREATE TABLE accounts (id text PRIMARY KEY, balance bigint NOT NULL, held bigint NOT NULL DEFAULT 0, CHECK (held BETWEEN 0 AND balance));
  CREATE TABLE batches (id text PRIMARY KEY, account_id text NOT NULL REFERENCES accounts, open_lines integer NOT NULL, completed_at timestamptz);
  CREATE TABLE lines (id text PRIMARY KEY, batch_id text NOT NULL REFERENCES batches, position integer NOT NULL, input jsonb NOT NULL,
    state text NOT NULL DEFAULT 'queued', result jsonb, started_at timestamptz, completed_at timestamptz);
  CREATE INDEX ON lines (batch_id, position);
  CREATE TABLE holds (line_id text PRIMARY KEY, account_id text NOT NULL, amount bigint NOT NULL, at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE postings (line_id text PRIMARY KEY, account_id text NOT NULL, amount bigint NOT NULL, at timestamptz NOT NULL DEFAULT now());
  INSERT INTO accounts VALUES ('bench', 10000000000)`;
const ACCEPT = `WITH b AS (INSERT INTO batches VALUES ($1, 'bench', $3))
  INSERT INTO lines (id, batch_id, position, input) SELECT n.id, $1, n.position, n.input
  FROM jsonb_to_recordset($2) AS n (id text, position integer, input jsonb)`;
// A line that is delivered again, because its worker was killed, is worked on again and keeps its hold.
const HOLD = `WITH started AS (UPDATE lines SET state = 'running', started_at = now() WHERE id = ANY ($1) AND state <> 'completed' RETURNING id, input),
  held AS (INSERT INTO holds SELECT id, 'bench', 1000 FROM started ON CONFLICT DO NOTHING RETURNING amount),
  account AS (UPDATE accounts SET held = held + (SELECT coalesce(sum(amount), 0) FROM held) WHERE id = 'bench')
  SELECT id, input FROM started`;
const SETTLE = `WITH ended AS (UPDATE lines SET state = 'completed', result = n.result, completed_at = now()
    FROM jsonb_to_recordset($1) AS n (id text, result jsonb) WHERE lines.id = n.id AND state = 'running' RETURNING lines.id, batch_id),
  freed AS (DELETE FROM holds USING ended WHERE line_id = ended.id RETURNING amount),
  posted AS (INSERT INTO postings SELECT id, 'bench', 1000 FROM ended),
  account AS (UPDATE accounts SET balance = balance - 1000 * (SELECT count(*) FROM ended),
    held = held - (SELECT coalesce(sum(amount), 0) FROM freed) WHERE id = 'bench')
  UPDATE batches SET open_lines = open_lines - n.count, completed_at = CASE WHEN open_lines = n.count THEN now() END
  FROM (SELECT batch_id, count(*) FROM ended GROUP BY batch_id) AS n WHERE id = n.batch_id RETURNING id, open_lines`;
const READ = `SELECT json_agg(json_build_object('id', id, 'state', state, 'result', result) ORDER BY position)::text AS json
  FROM lines WHERE batch_id = $1 AND state = 'completed'`;

/** Writes the items that have arrived during the last statement in one statement. */
class WriteBatcher {
  waiting = [];
  isWriting = false;

  /** @param {(items: unknown[]) => Promise<(item: any) => unknown>} write resolves to a function that returns an item's result */
  constructor(write) {
    this.write = write;
  }

  add(item) {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isWriting) void this.drain();
    });
  }

  async drain() {
    this.isWriting = true;
    // Messages of the same turn of the event loop are written together.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, 50);
      try {
        const answerOf = await this.write(group.map(({ item }) => item));
        for (const { item, resolve } of group) resolve(answerOf(item));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.isWriting = false;
  }
}

await serveCommands(async ({ peer, packages, url, queueUrl, vendorUrl }) => {
  const { Agent, request } = createRequire(`${packages}/`)('undici');
  const dispatcher = new Agent({ connections: 50 });
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await pool.query(SCHEMA);
  const whenEnded = new Map();
  const query = (name, text, values) => pool.query({ name, text, values });

  const holds = new WriteBatcher(async (lineIds) => {
    const { rows } = await query('hold', HOLD, [lineIds]);
    const inputs = new Map(rows.map(({ id, input }) => [id, input]));
    return (lineId) => inputs.get(lineId);
  });
  const ends = new WriteBatcher(async (lines) => {
    const { rows } = await query('settle', SETTLE, [JSON.stringify(lines)]);
    for (const { id, open_lines } of rows) if (open_lines === 0) whenEnded.get(id)?.();
    return () => undefined;
  });
  const ask = async (lineId, input) => {
    const { statusCode, body } = await request(`${vendorUrl}/v1/lookups/getEmail`, {
      dispatcher,
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: 'Bearer bench',
        'Idempotency-Key': lineId,
      },
      body: JSON.stringify({ input }),
      signal: AbortSignal.timeout(30_000),
    });
    if (statusCode !== 200) throw new Error(`The vendor answered ${statusCode}.`);
    return body.json();
  };
  const work = async (lineId) => {
    const input = await holds.add(lineId);
    if (!input) return;
    await ends.add({ id: lineId, result: (await ask(lineId, input)).output });
  };
  const queue = await PEERS[peer]({ packages, url, queueUrl, work });

  const list = async (inputs) => {
    const batchId = randomUUID();
    const lines = inputs.map((input, position) => ({ id: randomUUID(), position, input }));
    const ended = new Promise((resolve) => whenEnded.set(batchId, resolve));
    await query('accept', ACCEPT, [batchId, JSON.stringify(lines), lines.length]);
    await queue.addAll(lines.map(({ id }) => id));
    await ended;
    whenEnded.delete(batchId);
    const { rows } = await query('read', READ, [batchId]);
    return JSON.parse(rows[0].json).length;
  };
  const answer = async ({ lists, clients = 1, pauseMs = 0 }) => {
    const latenciesMs = [];
    const rest = [...lists];
    const startedAt = performance.now();
    const loop = async () => {
      for (let inputs = rest.pop(); inputs; inputs = rest.pop()) {
        const sentAt = performance.now();
        if ((await list(inputs)) !== inputs.length) throw new Error('Lines are missing.');
        latenciesMs.push(performance.now() - sentAt);
        if (pauseMs > 0) await delay(pauseMs);
      }
    };
    await Promise.all(Array.from({ length: clients }, loop));
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, latenciesMs };
  };
  return { answer };
});
