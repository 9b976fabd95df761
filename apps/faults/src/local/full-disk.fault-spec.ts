import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { PostgresServer } from '@quarry/local-postgres';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';
import { printMeasurement, SmallDisk, waitFor } from '@quarry/test-servers';
import pg from 'pg';

// Only root can mount a separate file system, which can be filled without harm.
const isRoot = process.getuid?.() === 0;

(isRoot ? describe : describe.skip)('a full disk', () => {
  let disk: SmallDisk;
  let server: PostgresServer;
  let product: Product;
  let api: ApiClient;
  let workspaceId: string;

  beforeAll(async () => {
    disk = await SmallDisk.open();
    server = await PostgresServer.start({ dir: disk.cluster });
    const admin = new pg.Client({ connectionString: server.url('postgres') });
    await admin.connect();
    await admin.query('CREATE DATABASE quarry');
    await admin.end();
    const env = { DATABASE_URL: server.url('quarry'), RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'silent' };
    product = await startProduct({ database: 'embedded', env });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
    workspaceId = (await api.post<{ id: string }>('/v1/workspaces', { name: 'Full' })).body.id;
  });
  afterAll(async () => {
    await product?.dispose();
    await server?.stop();
    disk?.close();
  });

  const rows = Array.from({ length: 30_000 }, (_, i) => ({ a: `${i} ${'x'.repeat(300)}` }));
  const importRows = () =>
    api.post<{ error?: { code: string; message: string } }>(`/v1/workspaces/${workspaceId}/tables`, {
      name: 'Rows',
      columns: [{ key: 'a', name: 'A' }],
      rows,
    });

  it('answers writes with 503 and Retry-After, serves reads, and recovers by itself when there is space', async () => {
    const credits = (await api.get('/credits')).body;
    disk.fill();
    const refused = await importRows();
    expect([refused.status, refused.body.error?.code]).toEqual([503, 'runs_unavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body.error?.message).not.toMatch(/extend|base\/|No space/);
    // Existing records can still be read.
    expect((await api.get(`/v1/workspaces/${workspaceId}`)).status).toBe(200);
    expect((await api.get<{ items: unknown[] }>(`/v1/workspaces/${workspaceId}/tables`)).body.items).toEqual(
      [],
    );
    expect((await api.get('/credits')).body).toEqual(credits);
    expect((await api.get('/readyz')).status).toBe(200);
    const from = performance.now();
    disk.free();
    await waitFor('imports to be taken again', async () => (await importRows()).status === 201);
    printMeasurement(
      `a full disk: well again ${Math.round(performance.now() - from)} ms after there was room`,
    );
    const batch = await api.post<{ poll_url: string }>('/v1/services/jobs/batch', {
      service: 'getEmail',
      inputs: [{ first_name: 'Ada', last_name: 'Room', domain: 'acme.example' }],
    });
    const ended = await api.get<{ counts: { completed: number } }>(`${batch.body.poll_url}?wait_seconds=30`);
    expect(ended.body.counts.completed).toBe(1);
    const database = await Database.open({ url: server.url('quarry'), applicationName: 'spec' });
    try {
      expect(await brokenInvariants(database)).toEqual({});
      const orphans =
        'SELECT 1 FROM tables.rows r WHERE NOT EXISTS (SELECT 1 FROM tables.tables t WHERE t.row_set = r.row_set) AND NOT EXISTS (SELECT 1 FROM tables.frozen_tables f WHERE f.row_set = r.row_set) LIMIT 1';
      expect(await database.query(systemCtx('spec'), orphans)).toEqual([]);
    } finally {
      await database.close();
    }
  });
});
