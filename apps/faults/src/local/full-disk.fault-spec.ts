import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, systemCtx } from '@quarry/platform';
import { PostgresServer } from '@quarry/local-postgres';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';
import { figure, waitFor } from '@quarry/test-servers';
import pg from 'pg';

const DISK_MB = 300;
const MIB = 1024 * 1024;
// Only root may mount a file system of its own, which is what can be filled without harm.
const isRoot = process.getuid?.() === 0;

(isRoot ? describe : describe.skip)('a disk that is full', () => {
  let folder: string;
  let server: PostgresServer;
  let product: Product;
  let api: ApiClient;
  let workspaceId: string;
  const disk = () => join(folder, 'disk');
  const filler = () => join(disk(), 'filler');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quarry-full-disk-'));
    chmodSync(folder, 0o755);
    mkdirSync(disk());
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=0755`, 'tmpfs', disk()]);
    const dir = join(disk(), 'postgres');
    await (await PostgresServer.start({ dir })).stop();
    moveLog(dir, join(folder, 'pg_wal'));
    server = await PostgresServer.start({ dir });
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
    execFileSync('umount', [disk()]);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Without room for its log the server ends and starts again: that is the fault of a lost server, shown elsewhere. */
  function moveLog(dir: string, to: string): void {
    const { uid, gid } = statSync(dir);
    cpSync(join(dir, 'pg_wal'), to, { recursive: true });
    execFileSync('chown', ['-R', `${uid}:${gid}`, to]);
    rmSync(join(dir, 'pg_wal'), { recursive: true });
    symlinkSync(to, join(dir, 'pg_wal'));
    chownSync(to, uid, gid);
  }

  /** Takes what is left but for a little that the server's small files need. */
  function fill(): void {
    const free = Number(execFileSync('df', ['--output=avail', '-B1', disk()]).toString().split('\n')[1]);
    writeFileSync(filler(), Buffer.alloc(free - MIB));
  }

  const rows = Array.from({ length: 30_000 }, (_, i) => ({ a: `${i} ${'x'.repeat(300)}` }));
  const importRows = () =>
    api.post<{ error?: { code: string; message: string } }>(`/v1/workspaces/${workspaceId}/tables`, {
      name: 'Rows',
      columns: [{ key: 'a', name: 'A' }],
      rows,
    });

  it('answers 503 with Retry-After to what needs room, goes on reading, and is well again without a hand when there is room', async () => {
    const credits = (await api.get('/credits')).body;
    fill();
    const refused = await importRows();
    expect([refused.status, refused.body.error?.code]).toEqual([503, 'runs_unavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body.error?.message).not.toMatch(/extend|base\/|No space/);
    // What is there is read as before.
    expect((await api.get(`/v1/workspaces/${workspaceId}`)).status).toBe(200);
    expect((await api.get<{ items: unknown[] }>(`/v1/workspaces/${workspaceId}/tables`)).body.items).toEqual(
      [],
    );
    expect((await api.get('/credits')).body).toEqual(credits);
    expect((await api.get('/readyz')).status).toBe(200);
    const from = performance.now();
    rmSync(filler());
    await waitFor('imports to be taken again', async () => (await importRows()).status === 201);
    figure(`a full disk: well again ${Math.round(performance.now() - from)} ms after there was room`);
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
