import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiClient,
  AppProcess,
  createTestDatabase,
  runAdmin,
  startProduct,
  type Product,
  type TestDatabase,
} from '@quarry/testing';
import { findPgBouncer, PgBouncer, type PgBouncerProgram } from '@quarry/test-servers';
import { waitFor } from '@quarry/test-servers';

const found = findPgBouncer();
if (!found)
  process.stdout.write(
    'LEFT OUT: the product behind a real PgBouncer. Install pgbouncer, or name one in QUARRY_PGBOUNCER, to run it.\n',
  );
const program = found as PgBouncerProgram;

(found ? describe : describe.skip)('behind PgBouncer in transaction mode', () => {
  let test: TestDatabase;
  let bouncer: PgBouncer;
  let product: Product;
  let dir: string;
  let org: { org_id: string; api_key: string };

  beforeAll(async () => {
    test = await createTestDatabase({ isEmpty: true });
    dir = mkdtempSync(join(tmpdir(), 'quarry-bouncer-'));
    bouncer = await PgBouncer.start(program, [test.ownerUrl, test.url]);
    process.stdout.write(`measured: PgBouncer ${program.version}\n`);
  });
  afterAll(async () => {
    await product?.stop();
    // Its server connections outlive those of its clients.
    await bouncer?.stop();
    // Also drops its database.
    await product?.dispose();
    rmSync(dir, { recursive: true, force: true });
  });

  /** @returns the output of the admin command */
  async function admin(...args: string[]): Promise<Record<string, unknown>> {
    const env = { DATABASE_URL: bouncer.through(test.url), DATA_DIR: dir };
    const { code, stdout, stderr } = await runAdmin(env, [...args]);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  it('runs migrations, and the product starts on the result', async () => {
    const owner = { DATABASE_URL: bouncer.through(test.ownerUrl), DATA_DIR: dir };
    const { code, stdout } = await runAdmin(owner, ['migrate']);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { applied: string[] }).applied.length).toBeGreaterThan(10);
    product = await startProduct({
      database: test,
      // Queues in PostgreSQL need notifications, which a pooler in transaction mode does not pass on.
      env: { DATABASE_URL: bouncer.through(test.url), QUEUE_URL: test.url },
    });
    expect(product.output()).toContain('A first run');
    expect(product.output()).not.toContain('The sample run failed');
  });

  it('refuses to start with queues that could not receive notifications', async () => {
    const started = AppProcess.start('local', {
      DATABASE_URL: bouncer.through(test.url),
      DATA_DIR: join(dir, 'other'),
      PORT: '0',
    });
    expect(await started.ended()).toBe(1);
    expect(started.output).toMatch(/through a connection pooler\. Set QUEUE_URL/);
    expect(started.output).not.toMatch(/\n\s+at /);
  });

  it('grants credits and completes a batch', async () => {
    org = (await admin('org:create', '--name', 'Pooled', '--credits', '5')) as typeof org;
    expect(await admin('credits:grant', '--org', org.org_id, '--amount', '95')).toMatchObject({
      balance: 100,
    });
    const api = new ApiClient(product.baseUrl, org.api_key);
    const inputs = Array.from({ length: 50 }, (_, i) => ({
      first_name: 'Laura',
      last_name: `Norton${i}`,
      domain: i % 2 ? 'dunera.example' : 'miss.sandbox.test',
    }));
    const { body } = await api.post<{ poll_url: string }>('/v1/services/jobs/batch', {
      service: 'getEmail',
      inputs,
    });
    const counts = await waitFor('the batch to end', async () => {
      const { body: batch } = await api.get<{ status: string; counts: Record<string, number> }>(
        `${body.poll_url}?wait_seconds=5`,
      );
      return batch.status === 'completed' && batch.counts;
    });
    expect(counts).toMatchObject({ queued: 0, running: 0 });
    expect(counts['completed']! + counts['failed']!).toBe(50);
  });

  it('imports a table, exports it, and erases a person', async () => {
    const api = new ApiClient(product.baseUrl, org.api_key);
    const run = await api.post<{ id: string; workspace_id: string }>('/v1/runs', {
      prompt: '5 fintech companies in the United States',
      output: { tables: [{ key: 'firms', name: 'Firms', entity: 'company', columns: [{ key: 'name' }] }] },
    });
    const workspace = run.body.workspace_id;
    await api.runEnd(run.body);
    const file = join(dir, 'people.csv');
    const rows = Array.from({ length: 3_000 }, (_, i) => `Person ${i},person${i}@erased.example`);
    writeFileSync(file, ['name,email', ...rows].join('\n'));
    const table = await admin('table:import', '--workspace', workspace, '--file', file);
    expect(table).toMatchObject({ row_count: 3_000 });
    const again = join(dir, 'again.csv');
    await admin('table:export', '--table', table['id'] as string, '--file', again);
    expect(readFileSync(again, 'utf8').trim().split(/\r?\n/)).toHaveLength(3_001);

    const made = await api.post<{ links: { self: string } }>(`/v1/runs/${run.body.id}/exports`, {
      table_key: 'firms',
      format: 'csv',
    });
    expect(made.status).toBe(201);
    expect((await api.text(made.body.links.self)).split('\r\n').filter(Boolean)).toHaveLength(6);

    await admin('erase', '--org', org.org_id, '--email', 'person7@erased.example');
    await waitFor('the erasure', async () => {
      await admin('table:export', '--table', table['id'] as string, '--file', again);
      return !readFileSync(again, 'utf8').includes('person7@erased.example');
    });
    expect(bouncer.complaints).toEqual([]);
  }, 180_000);
});
