import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, descendantsOf, isRunning } from '@quarry/testing';
import { onAdmin, printMeasurement, SmallDisk, waitFor } from '@quarry/test-servers';
import { execFileSync, spawn } from 'node:child_process';
import { cut, restart, survivesWithoutPostgres, type PostgresFault } from './lost-postgres.fixture.js';
import { FleetScene } from './spec-kit.js';

/** Milliseconds, enough for every line in progress to encounter the full disk. */
const FULL_MS = 15_000;
/** True for root: only root may trace the system calls of another user's processes. */
const isRoot = process.getuid?.() === 0;
const noDisk = SmallDisk.whyNot();
if (noDisk !== null) printMeasurement(`a disk cannot be filled here: ${noDisk}`);

let scene: FleetScene;
let disk: SmallDisk | null = null;

beforeAll(async () => {
  disk = noDisk === null ? await SmallDisk.open() : null;
  scene = await FleetScene.open(disk ? { cluster: { dir: disk.cluster } } : {});
});
afterAll(async () => {
  await FleetScene.closeAll();
  disk?.close();
});

describe('a fleet that loses PostgreSQL under load', () => {
  it.each([restart('SIGINT'), restart('SIGQUIT'), cut(), cut('never')])(
    '$name: answers meanwhile, recovers by itself, and loses nothing and charges nothing twice',
    (fault) => survivesWithoutPostgres(scene, fault),
  );
});

/** @returns why system calls cannot be made to fail here; null when they can */
function withoutStrace(): string | null {
  if (!isRoot) return 'only root may look into the calls of another account';
  try {
    execFileSync('strace', ['-qq', '-o', '/dev/null', 'true'], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return (error as Error).message.split('\n')[0]!;
  }
}

/** Fault in which every fsync of the server fails until all of its processes have ended and restarted. */
const failedSync: PostgresFault = {
  name: 'fsync fails with EIO',
  lastsMs: 0,
  begin: async () => {
    const traced = descendantsOf(scene.server.pid);
    const calls = 'fsync,fdatasync';
    const strace = spawn(
      'strace',
      [
        '-qq',
        '-o',
        '/dev/null',
        '-e',
        `trace=${calls}`,
        '-e',
        `inject=${calls}:error=EIO`,
        ...traced.flatMap((pid) => ['-p', String(pid)]),
      ],
      { stdio: 'ignore' },
    );
    const ended = new Promise<void>((resolve) => strace.once('exit', () => resolve()));
    // The postmaster stays, and starts new processes, which are not traced.
    await waitFor('the processes of the server to end', async () => !traced.some(isRunning));
    strace.kill('SIGTERM');
    await ended;
    expect(isRunning(scene.server.pid)).toBe(true);
  },
  end: () =>
    waitFor('the server to accept', () =>
      onAdmin(scene.server.url('quarry'), 'SELECT 1').then(
        () => true,
        () => false,
      ),
    ),
};
const noStrace = withoutStrace();
if (noStrace !== null) printMeasurement(`fsync cannot be made to fail here: ${noStrace}`);

describe('a fleet whose PostgreSQL cannot write', () => {
  (noStrace === null ? it : it.skip)(
    'because fsync fails: the server crashes and recovers, and nothing acknowledged is lost',
    () => survivesWithoutPostgres(scene, failedSync),
  );

  (noDisk === null ? it : it.skip)(
    'because the disk is full: writes get the error envelope, reads work, and it recovers with free space',
    async () => {
      const api = new ApiClient(scene.gateways[0]!, scene.apiKey);
      const { body } = await api.post<{ id: string }>('/v1/workspaces', { name: 'Full' });
      const rows = Array.from({ length: 30_000 }, (_, i) => ({ a: `${i} ${'x'.repeat(300)}` }));
      const importRows = () =>
        api.post<{ error?: { code: string } }>(`/v1/workspaces/${body.id}/tables`, {
          name: 'Rows',
          columns: [{ key: 'a', name: 'A' }],
          rows,
        });
      const seen: Array<number | string | undefined> = [];
      await survivesWithoutPostgres(scene, {
        name: `disk full for ${FULL_MS / 1000} s`,
        lastsMs: FULL_MS,
        begin: async () => {
          disk!.fill();
          const refused = await importRows();
          seen.push(
            refused.status,
            refused.body.error?.code,
            Number(refused.headers.get('retry-after')) > 0 ? 'later' : 'never',
          );
          for (const path of [`/v1/workspaces/${body.id}`, '/credits'])
            seen.push((await api.get(path)).status);
        },
        end: () => disk!.free(),
      });
      expect(seen).toEqual([503, 'runs_unavailable', 'later', 200, 200]);
      expect((await importRows()).status).toBe(201);
    },
  );
});
