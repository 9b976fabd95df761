import { afterAll, describe, expect, it } from '@jest/globals';
import { PostgresServer } from '@quarry/local-postgres';
import { ApiClient, runAdmin } from '@quarry/testing';
import { onAdmin, printMeasurement, waitFor } from '@quarry/test-servers';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLEET_SERVER_SETTINGS, FleetScene } from './spec-kit.js';

/** Number of lines in progress at the vendor during the backup; more than its concurrency. */
const LINES = 40;
const folder = mkdtempSync(join(tmpdir(), 'quarry-restored-'));
afterAll(async () => {
  await FleetScene.closeAll();
  rmSync(folder, { recursive: true, force: true });
});

/** @returns the output of the admin command. @throws Error with the output when the exit code is not 0 */
async function admin(url: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runAdmin({ DATABASE_URL: url }, args);
  if (code !== 0) throw new Error(`${args[0]} ended with code ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('a backup of a fleet under load', () => {
  it('is continued by another fleet: everything accepted before it exists, ends, and is charged once', async () => {
    const first = await FleetScene.open();
    const load = first.load();
    await waitFor('the load', async () => load.history.lists.length > 10 && load.runs.length > 1);
    await load.sendLines(LINES, 'held');
    await waitFor('the vendor to hold some', async () => first.vendor.callsOf('held').length > 0);
    const file = join(folder, 'fleet.backup');
    const accepted = [...load.history.lists];
    const runs = [...load.runs];
    const from = performance.now();
    const written = await admin(first.server.url('quarry'), 'backup', '--file', file);
    const backupMs = Math.round(performance.now() - from);
    first.vendor.override = 'ok';
    first.vendor.release();
    await waitFor('lists after it', async () => load.history.lists.length > accepted.length + 5);
    // The fleet that was backed up is not affected.
    await load.stop();
    expect(await first.findings()).toEqual({});
    const { apiKey } = first;
    await first.close();

    const cluster = { dir: join(folder, 'postgres') };
    const restoredFrom = performance.now();
    const server = await PostgresServer.start({ ...cluster, settings: FLEET_SERVER_SETTINGS });
    await onAdmin(server.url('postgres'), 'CREATE DATABASE quarry');
    const restored = await admin(server.url('quarry'), 'restore', '--file', file);
    const second = await FleetScene.over(server, join(folder, 'second'), cluster, {});
    const readyMs = Math.round(performance.now() - restoredFrom);
    expect(restored).toMatchObject({ ledger_faults: 0 });
    const api = new ApiClient(second.gateways[0]!, apiKey);
    const counts = async (id: string) =>
      (await api.get<{ counts: Record<string, number> }>(`/v1/services/jobs/batch/${id}`)).body.counts;
    const open = await second.one<{ n: number }>(
      'SELECT count(*)::int AS n FROM jobs.jobs WHERE completed_at IS NULL',
    );
    expect(open.n).toBeGreaterThanOrEqual(LINES);
    second.vendor.override = 'ok';
    second.vendor.release();
    expect(await second.findings(false)).toEqual({});
    for (const { batchId, inputs } of accepted)
      expect(await counts(batchId!)).toMatchObject({ completed: inputs.length, failed: 0 });
    for (const id of runs)
      expect((await api.get<{ status: string }>(`/v1/runs/${id}`)).body.status).toBe('completed');
    const after = second.load();
    await waitFor('new lists', async () => after.history.lists.length > 3);
    await after.stop();
    expect(await second.findings(false)).toEqual({});
    printMeasurement(
      `fleet, a backup under load: ${String(written.byte_length)} bytes in ${backupMs} ms; a new cluster, restored, and a fleet ready on it after ${readyMs} ms, with ${open.n} lines still open, all of which ended`,
    );
  });
});
