import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QUEUE_NAMES } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import { SLOW_SERVICES } from '@quarry/service-catalog';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import pg from 'pg';
import { parseAllDocuments } from 'yaml';

const SCALED = join(import.meta.dirname, '..', 'k8s/components/keda/scaled-objects.yaml');

interface ScaledObject {
  kind: string;
  metadata: { name: string };
  spec: { triggers: Array<{ metadata: { query: string } }> };
}

/** Queries that KEDA sends for each queue, from the manifests. */
const QUERIES = new Map(
  parseAllDocuments(readFileSync(SCALED, 'utf8'))
    .map((document) => document.toJS() as ScaledObject)
    .filter(({ kind }) => kind === 'ScaledObject')
    .map(({ metadata, spec }) => [metadata.name, spec.triggers[0]!.metadata.query]),
);

describe('the queue load for the autoscaler', () => {
  let test: TestDatabase;
  let scaler: pg.Client;
  beforeAll(async () => {
    test = await createTestDatabase();
    scaler = new pg.Client({ connectionString: test.metricsUrl });
    await scaler.connect();
  });
  afterAll(async () => {
    await scaler.end();
    await test.drop();
  });

  const loads = async (): Promise<Record<string, number>> => {
    const found: Record<string, number> = {};
    for (const [queue, sql] of QUERIES) {
      const { rows } = await scaler.query<[string]>({ text: sql, rowMode: 'array' });
      expect([queue, rows.length]).toEqual([queue, 1]);
      found[queue] = Number(rows[0]![0]);
    }
    return found;
  };
  const plant = (sql: string, params: unknown[] = []) => test.database.query(systemCtx('spec'), sql, params);

  it('has one empty row per queue of the catalogue if nothing waits', async () => {
    expect([...QUERIES.keys()].sort()).toEqual([...QUEUE_NAMES].sort());
    expect(await loads()).toEqual(Object.fromEntries(QUEUE_NAMES.map((queue) => [queue, 0])));
  });

  it('counts waiting and running work of all organisations, per queue', async () => {
    const services = Object.values(SLOW_SERVICES);
    // The first service has one line of each kind that counts, the second two, and so on; each also has ended lines.
    for (const [i, { name }] of services.entries())
      for (const state of ['queued', 'running', 'completed', 'failed', 'cancelled'])
        for (let n = 0; n <= i; n += 1) await line(name, state, `${name}_${state}_${n}`, `org_${n}`);
    const runs = ['queued', 'recovering', 'completed'].map((status) => [status, 'agent-runs']);
    // A run that searches the web also waits after it was planned.
    for (const [status, queue] of [...runs, ['running', 'sourcing-runs']])
      await plant(
        `WITH conversation AS (
           INSERT INTO runs.conversations (id, org_id, workspace_id) VALUES ('conv_' || $1, 'org_1', 'w') RETURNING id)
         INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, status, body_hash, queue, ended_at)
         SELECT 'run_' || $1, 'org_1', 'live', 'w', id, 'x', $1, 'x', $2,
           CASE WHEN $1 = 'completed' THEN clock_timestamp() END FROM conversation`,
        [status, queue],
      );
    // The agents of runs also fill columns.
    for (const status of ['queued', 'running', 'completed'])
      await plant(
        `INSERT INTO runs.enrichments (org_id, mode, id, workspace_id, table_id, columns, row_ids, call_scope, is_fresh, not_covered,
           credits_max, status, ended_at)
         VALUES ('org_1', 'live', 'enr_' || $1, 'w', 'tbl_1', '[]', '{}', 'x', false, 0, 0, $1,
           CASE WHEN $1 = 'completed' THEN clock_timestamp() END)`,
        [status],
      );
    for (const status of ['queued', 'running', 'failed'])
      await plant(
        `INSERT INTO go.runs (id, org_id, mode, request, hold_id, held, status, stop_reason, ended_at)
         VALUES ('gorun_' || $1, 'org_1', 'live', '{}', 'hold_1', 1, $1, CASE WHEN $1 = 'failed' THEN 'error' END,
           CASE WHEN $1 = 'failed' THEN clock_timestamp() END)`,
        [status],
      );
    // Two are due at one webhook and one at another; deliveries that are due later, delivered or failing do not count.
    for (const [webhook, failingSince] of [
      ...['wh_1', 'wh_2', 'wh_3', 'wh_4'].map((id) => [id, null]),
      ['wh_5', 'now'],
    ])
      await plant(
        `INSERT INTO webhooks.endpoints (org_id, mode, id, url, types, sealed_secret, failing_since)
         VALUES ('org_1', 'live', $1, 'https://a.example/', '{}', 'x', $2::timestamptz)`,
        [webhook, failingSince],
      );
    for (const [webhook, event, state, next] of [
      ['wh_1', 'evt_1', 'pending', '-1 hour'],
      ['wh_1', 'evt_2', 'pending', '-1 second'],
      ['wh_2', 'evt_1', 'pending', '-1 second'],
      ['wh_3', 'evt_1', 'pending', '1 hour'],
      ['wh_4', 'evt_1', 'delivered', null],
      ['wh_5', 'evt_1', 'pending', '-1 second'],
      // Its webhook was deleted.
      ['wh_6', 'evt_1', 'pending', '-1 second'],
    ])
      await plant(
        `INSERT INTO webhooks.deliveries (org_id, mode, endpoint_id, event_id, type, state, next_at)
         VALUES ('org_1', 'live', $1, $2, 'run.completed', $3, now() + $4::interval)`,
        [webhook, event, state, next],
      );
    // For each destination only the oldest open push counts, when it is due; a push behind a waiting one does not.
    for (const destination of ['dst_1', 'dst_2', 'dst_3'])
      await plant(
        `INSERT INTO destinations.destinations (org_id, mode, id, kind, name, settings, sealed_secret)
         VALUES ('org_1', 'live', $1, 'webhook', 'x', '{}', 'x')`,
        [destination],
      );
    for (const [destination, push, status, next] of [
      ['dst_1', 'psh_1', 'working', '-1 hour'],
      ['dst_1', 'psh_2', 'queued', '-1 second'],
      ['dst_2', 'psh_1', 'working', '1 hour'],
      ['dst_2', 'psh_2', 'queued', '-1 second'],
      ['dst_3', 'psh_1', 'completed', null],
    ])
      await plant(
        `INSERT INTO destinations.pushes (org_id, mode, destination_id, id, table_id, status, next_at, ended_at)
         VALUES ('org_1', 'live', $1, $2, 'tbl_1', $3, now() + $4::interval, CASE WHEN $4 IS NULL THEN now() END)`,
        [destination, push, status, next],
      );
    // A mailbox counts once, when it could send: not during its gap, outside its window, or without an approval.
    const mailboxes = ['mbx_1', 'mbx_2', 'mbx_3', 'mbx_4'];
    for (const [i, mailbox] of mailboxes.entries())
      await plant(
        `INSERT INTO outreach.mailboxes (org_id, mode, id, address, daily_limit, ramp_up, gap_seconds, time_zone, next_send_at, read_at)
         VALUES ('org_1', 'live', $1, $1, 9, true, 0, 'UTC', now() + $2::interval, now() + $3::interval)`,
        [mailbox, i === 1 ? '1 hour' : '-1 second', i === 3 ? '-1 second' : '1 hour'],
      );
    for (const [sequence, isOpen, approval] of [
      ['seq_1', true, 'apr_1'],
      ['seq_2', false, 'apr_1'],
      ['seq_3', true, null],
    ])
      await plant(
        `INSERT INTO outreach.sequences (org_id, mode, id, name, status, definition, mailbox_ids, time_zone, window_days, window_from,
           window_to, step_count, approval_id)
         VALUES ('org_1', 'live', $1, 'x', 'active', '{}', '{}', 'UTC', $2::integer[], '00:00', '24:00', 1, $3)`,
        [sequence, isOpen ? [1, 2, 3, 4, 5, 6, 7] : [], approval],
      );
    for (const [i, [mailbox, sequence]] of [
      ['mbx_1', 'seq_1'],
      ['mbx_1', 'seq_1'],
      ['mbx_2', 'seq_1'],
      ['mbx_3', 'seq_2'],
      ['mbx_4', 'seq_3'],
    ].entries())
      await plant(
        `INSERT INTO outreach.enrollments (org_id, mode, id, sequence_id, email, variables, is_verified, mailbox_id, next_at, status,
           unsubscribe_token)
         VALUES ('org_1', 'live', $1, $2, $1, '{}', true, $3, now(), 'active', $1)`,
        [`enl_${i}`, sequence, mailbox],
      );
    expect(await loads()).toEqual({
      'outreach-send': 1,
      'outreach-receive': 1,
      'webhook-delivery': 2,
      'destination-push': 1,
      'agent-runs': 2 + 2,
      'sourcing-runs': 1,
      'go-runs': 2,
      ...Object.fromEntries(services.map(({ queue }, i) => [queue, 2 * (i + 1)])),
    });
    const { rows } = await scaler.query<{ age: number }>(
      "SELECT oldest_age_s AS age FROM metrics.queue_load WHERE queue = 'service-get-email'",
    );
    // The row is an hour old, plus the duration of the spec.
    expect(rows[0]!.age).toBeGreaterThanOrEqual(3600);
    expect(rows[0]!.age).toBeLessThan(2 * 3600);
  });

  it('is all that its role can read: metrics without any organisation', async () => {
    const { rows } = await scaler.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c
       WHERE c.relkind IN ('r', 'p', 'v', 'm') AND c.relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
         AND has_schema_privilege(c.relnamespace, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT') ORDER BY 1`,
    );
    const readable = rows.map(({ name }) => name);
    expect(readable).toContain('metrics.queue_load');
    expect(readable.filter((name) => !/^(metrics\.|quarry_(migrations|functions)$)/.test(name))).toEqual([]);
    const { rows: named } = await scaler.query(
      "SELECT FROM information_schema.columns WHERE table_schema = 'metrics' AND column_name IN ('org_id', 'account')",
    );
    expect(named).toEqual([]);
    await expect(scaler.query("UPDATE metrics.queue_load SET queue = 'x'")).rejects.toThrow();
  });

  async function line(service: string, state: string, id: string, org: string): Promise<void> {
    const isOpen = state === 'queued' || state === 'running';
    await plant(
      `WITH batch AS (
         INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, completed_at)
         VALUES ($1, $2, 'live', $3, 1, $4::int, CASE WHEN $4 = 0 THEN clock_timestamp() END) RETURNING id)
       INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, input, state, price, attempt, started_at,
         created_at, completed_at)
       SELECT 'svcjob_' || id, $2, 'live', $3, id, 0, '{}', $5, 1, $6::int,
         CASE WHEN $6 > 0 THEN clock_timestamp() END, clock_timestamp() - interval '1 hour',
         CASE WHEN $4 = 0 THEN clock_timestamp() END FROM batch`,
      [`svcbatch_${id}`, org, service, isOpen ? 1 : 0, state, state === 'running' ? 1 : 0],
    );
  }
});
