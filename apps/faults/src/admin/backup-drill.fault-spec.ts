import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { IdentityStore } from '@quarry/identity';
import { systemCtx } from '@quarry/app';
import { writeBackup } from '@quarry/installation';
import {
  ApiClient,
  brokenInvariants,
  createTestDatabase,
  mainOf,
  startProduct,
  type Product,
  type TestDatabase,
} from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';

interface BatchJson {
  batch_id: string;
  status: string;
  counts: Record<string, number>;
}

type AdminPlace = { DATABASE_URL: string } | { DATA_DIR: string };

/** @throws Error with the output when the exit code is not 0 */
async function admin(place: AdminPlace, ...args: string[]): Promise<Record<string, unknown>> {
  const env = { PATH: process.env.PATH ?? '', ...place };
  const { stdout } = await promisify(execFile)(process.execPath, [mainOf('admin'), ...args], { env });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const serverOf = ({ ownerUrl }: TestDatabase): AdminPlace => ({ DATABASE_URL: ownerUrl });

/** Milliseconds for lines that take forty seconds and are started again after a lease that nobody renews. */
const LINES_MS = 170_000;

/** Backup drill: a running product is backed up, and continues from the backup elsewhere. */
describe('a backup of a running product', () => {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-drill-'));
  const file = join(dir, 'quarry.backup');
  let first: Product;
  let second: Product | null = null;
  let target: TestDatabase;

  beforeAll(async () => {
    first = await startProduct({ env: { LOG_LEVEL: 'error', RATE_LIMIT_SCALE: '1000' } });
    target = await createTestDatabase({ isEmpty: true });
  });
  afterAll(async () => {
    await first.dispose();
    await second?.dispose();
    if (!second) await target.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  const heldIn = ({ database }: TestDatabase) =>
    database.queryOne<{ held: number }>(
      systemCtx('spec'),
      `SELECT count(*)::int AS held FROM jobs.jobs WHERE state = 'running' AND hold_id IS NOT NULL`,
    );

  it('is restored elsewhere, and work in progress continues there and is charged once', async () => {
    const key = first.credentials.api_key;
    const api = new ApiClient(first.baseUrl, key);
    const inputs = Array.from({ length: 6 }, (_, n) => ({
      first_name: 'Ann',
      last_name: `Drill${n}`,
      domain: n < 3 ? 'slow-40s.sandbox.test' : 'miss.sandbox.test',
    }));
    const batch = (await api.post<BatchJson>('/v1/services/jobs/batch', { service: 'getEmail', inputs }))
      .body;
    await waitFor('lines to be in work', async () => ((await heldIn(first.database!))?.held ?? 0) > 0);
    await api.post('/v1/runs', { prompt: '20 banks in Germany' });
    const written = await admin(serverOf(first.database!), 'backup', '--file', file);
    expect(written.byte_length).toBeGreaterThan(0);

    expect(await admin(serverOf(target), 'restore', '--file', file)).toMatchObject({ ledger_faults: 0 });
    expect((await heldIn(target))?.held).toBeGreaterThan(0);
    second = await startProduct({ database: target, env: { LOG_LEVEL: 'error', RATE_LIMIT_SCALE: '1000' } });
    const restored = new ApiClient(second.baseUrl, key);
    const path = `/v1/services/jobs/batch/${batch.batch_id}`;
    const ended = await waitFor(
      'the list to end',
      async () => {
        const { body } = await restored.get<BatchJson>(path);
        return body.status === 'completed' && body;
      },
      LINES_MS,
    );
    expect(ended.counts).toMatchObject({ completed: 6, failed: 0 });
    await waitFor('the run to end', async () => {
      const { body } = await restored.get<{ items: Array<{ status: string }> }>('/v1/runs');
      return body.items.every(({ status }) => status === 'completed');
    });
    const charges = await target.database.query(
      systemCtx('spec'),
      `SELECT job_id FROM credits.transfers WHERE kind = 'post' AND batch_id = $1 AND amount > 0 GROUP BY job_id HAVING count(*) > 1`,
      [batch.batch_id],
    );
    expect(charges).toEqual([]);
    expect(await brokenInvariants(target.database)).toEqual({});
    // The product that was backed up is not affected.
    await waitFor(
      'the first product to end the list, too',
      async () => {
        const { body } = await api.get<BatchJson>(path);
        return body.status === 'completed';
      },
      LINES_MS,
    );
    expect(await brokenInvariants(first.database!.database)).toEqual({});
  });
});

describe('a backup restored into its own data folder', () => {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-embedded-'));
  const place = { DATA_DIR: join(dir, 'data') };
  const file = join(dir, 'quarry.backup');
  let source: TestDatabase;
  let product: Product | null = null;

  beforeAll(async () => {
    source = await createTestDatabase();
  });
  afterAll(async () => {
    await product?.dispose();
    await source.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('is used by the next npm start, and nothing is restored over it', async () => {
    const made = await createOrganisation(source.database, { name: 'Kept', credits: 12.5 });
    const store = new IdentityStore(source.database);
    const revoked = await store.createKey(systemCtx('spec'), { orgId: made.orgId, mode: 'live' });
    await store.revokeKey(systemCtx('spec'), revoked.keyId);
    await admin(serverOf(source), 'backup', '--file', file);

    expect(await admin(place, 'restore', '--file', file)).toMatchObject({
      rows: { 'identity.organisations': 1, 'identity.api_keys': 3 },
      ledger_faults: 0,
    });
    product = await startProduct({
      database: 'embedded',
      dataDir: place.DATA_DIR,
      env: { LOG_LEVEL: 'error' },
    });
    const api = new ApiClient(product.baseUrl, made.apiKey);
    expect(await api.get('/credits')).toMatchObject({ status: 200, body: { balance: 12.5, reserved: 0 } });
    const workspace = await api.post<{ id: string }>('/v1/workspaces', { name: 'Made after the restore' });
    expect(workspace.status).toBe(201);
    expect((await new ApiClient(product.baseUrl, revoked.apiKey).get('/credits')).status).toBe(401);

    await expect(admin(place, 'restore', '--file', file)).rejects.toThrow('The database is not empty');
    expect((await api.get(`/v1/workspaces/${workspace.body.id}`)).status).toBe(200);
    expect(await product.stop()).toBe(0);
    await expect(admin(place, 'restore', '--file', file)).rejects.toThrow('The database is not empty');
  });

  it('is refused if made by a newer version, and the folder can still take another backup', async () => {
    const other = { DATA_DIR: join(dir, 'other') };
    const newer = join(dir, 'newer.backup');
    await source.asOwner("INSERT INTO quarry_migrations (timestamp, name) VALUES (9, 'FromTheFuture9')");
    await writeBackup(source.database, newer);
    await expect(admin(other, 'restore', '--file', newer)).rejects.toThrow(
      'written by a newer version of Quarry',
    );
    expect(await admin(other, 'restore', '--file', file)).toMatchObject({ ledger_faults: 0 });
  });
});
