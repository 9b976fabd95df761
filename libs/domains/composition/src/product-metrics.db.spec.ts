import { describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { useTestDatabase } from '@quarry/testing';
import { productMetrics } from './product-metrics.js';

const SETTINGS = { runDetailDays: 90, archivedDays: 30, endedDays: 180, mailDays: 365 };

describe('the product metrics', () => {
  const test = useTestDatabase();

  const waitingMinutes = async (): Promise<unknown[]> => {
    const text = await productMetrics('spec', test.database, SETTINGS).metrics();
    const ages = text.matchAll(/^quarry_oldest_waiting_run_seconds\{.*queue="([\w-]+)".*\} ([\d.e+]+)$/gm);
    return [...ages].map(([, queue, seconds]) => [queue, Math.floor(Number(seconds) / 60)]);
  };

  it('report how long the oldest run has been queued, whatever else is queued or running', async () => {
    await test.database.query(
      systemCtx('spec'),
      `WITH run (minutes, status) AS (VALUES (5, 'queued'), (20, 'queued'), (90, 'running')), made AS (
         INSERT INTO runs.conversations (id, org_id, mode, workspace_id) SELECT 'conv_' || minutes, 'org_1', 'live', 'ws_1' FROM run)
       INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, body_hash, status, created_at)
       SELECT 'run_' || minutes, 'org_1', 'live', 'ws_1', 'conv_' || minutes, 'p', 'hash', status, clock_timestamp() - make_interval(mins => minutes)
       FROM run`,
    );
    expect(await waitingMinutes()).toEqual([
      ['agent-runs', 20],
      ['sourcing-runs', 0],
      ['go-runs', 0],
    ]);
  });

  it('count an enrichment that no agent has started as such a run', async () => {
    await test.database.query(
      systemCtx('spec'),
      `INSERT INTO runs.enrichments (org_id, mode, id, workspace_id, table_id, columns, row_ids, call_scope, is_fresh, not_covered,
         credits_max, status, created_at)
       SELECT 'org_1', 'live', 'enr_' || minutes, 'ws_1', 'tbl_1', '[]', '{}', 'x', false, 0, 0, status,
         clock_timestamp() - make_interval(mins => minutes)
       FROM (VALUES (30, 'queued'), (90, 'running')) AS enrichment (minutes, status)`,
    );
    expect((await waitingMinutes())[0]).toEqual(['agent-runs', 30]);
  });

  it('report for each kind of work how long the oldest item has been due', async () => {
    await test.database.query(
      systemCtx('spec'),
      `INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, completed_at)
       SELECT 'svcbatch_' || days, 'org_1', 'live', 'getEmail', 1, 0, clock_timestamp() - make_interval(days => days)
       FROM unnest(ARRAY[10, 182]) AS days`,
    );
    const text = await productMetrics('spec', test.database, SETTINGS).metrics();
    const values = [...text.matchAll(/^quarry_retention_overdue_seconds\{.*what="(\w+)".*\} ([\d.e+]+)$/gm)];
    const days = Object.fromEntries(
      values.map(([, what, value]) => [what, Math.floor(Number(value) / 86_400)]),
    );
    expect(days).toEqual({
      line_contents: 0,
      ended_lists: 2,
      run_details: 0,
      archived_workspaces: 0,
      exports: 0,
      request_keys: 0,
      plans: 0,
      go_runs: 0,
      events: 0,
      deliveries: 0,
      pushes: 0,
      messages: 0,
      seen_mails: 0,
      sink_mails: 0,
      go_pages: 0,
    });
  });
});
