import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import { productMetrics } from './product-metrics.js';

describe('the metric of retention', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  it('says of each kind how long the oldest thing has been due', async () => {
    await test.database.query(
      systemCtx('spec'),
      `INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, completed_at)
       SELECT 'svcbatch_' || days, 'org_1', 'live', 'getEmail', 1, 0, clock_timestamp() - make_interval(days => days)
       FROM unnest(ARRAY[10, 182]) AS days`,
    );
    const settings = { runDetailDays: 90, archivedDays: 30, endedDays: 180, mailDays: 365 };
    const text = await productMetrics('spec', test.database, settings).metrics();
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
