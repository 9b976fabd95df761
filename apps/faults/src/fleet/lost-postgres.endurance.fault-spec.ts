import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, descendantsOf, isRunning } from '@quarry/testing';
import { figure, SmallDisk, waitFor } from '@quarry/test-servers';
import { execFileSync, spawn } from 'node:child_process';
import { asSuperuser, FleetScene, isWell } from './spec-kit.js';

/** A request takes 10 s at most. On a dead connection that nobody notices it would wait for TCP, a quarter of an hour. */
const FAILS_WITHIN_MS = 60_000;
/** It takes a few seconds, and would never come by itself. */
const RECOVERS_WITHIN_MS = 90_000;
/** Long enough for every connection to be found dead, and for new ones to be tried in vain. */
const OUTAGE_MS = 12_000;

/** For every line in hand to meet the full disk. */
const FULL_MS = 15_000;
/** Only root may mount a file system of its own, and look into the calls of another's processes. */
const isRoot = process.getuid?.() === 0;

let scene: FleetScene;
let disk: SmallDisk | null = null;

beforeAll(async () => {
  disk = isRoot ? await SmallDisk.open() : null;
  scene = await FleetScene.open(disk ? { cluster: { dir: disk.cluster } } : {});
});
afterAll(async () => {
  await FleetScene.closeAll();
  disk?.close();
});

interface Fault {
  name: string;
  lastsMs: number;
  begin: () => Promise<unknown> | void;
  end: () => Promise<unknown> | void;
}

/** Takes PostgreSQL away from the whole fleet in mid-load. @returns what was answered meanwhile, and how soon all was well again */
async function survived({ name, lastsMs, begin, end }: Fault) {
  const load = scene.load();
  await waitFor('the load', async () => load.history.lists.length > 5 && load.runs.length > 0);
  const before = scene.losses;
  load.isOutage = true;
  await begin();
  const [asked] = await Promise.all([load.ask(), new Promise((resolve) => setTimeout(resolve, lastsMs))]);
  await end();
  const backAt = performance.now();
  const since = await scene.now();
  const answers = () =>
    scene.gateways.map((url) => isWell(`${url}/credits`, { authorization: `Bearer ${scene.apiKey}` }));
  await waitFor('every process to be ready', () => scene.isReady(), RECOVERS_WITHIN_MS);
  await waitFor('answers', async () => (await Promise.all(answers())).every(Boolean), RECOVERS_WITHIN_MS);
  const readyMs = Math.round(performance.now() - backAt);
  const fresh = 'SELECT count(*)::int AS n FROM jobs.jobs WHERE created_at > $1 AND completed_at IS NOT NULL';
  const endsNew = async () => (await scene.one<{ n: number }>(fresh, [since])).n > 0;
  await waitFor('a new line to end', endsNew, RECOVERS_WITHIN_MS);
  const worksMs = Math.round(performance.now() - backAt);
  load.isOutage = false;
  const accepted = load.history.lists.length;
  await waitFor('lists to be accepted', async () => load.history.lists.length > accepted + 3);
  await load.stop();
  const found = await scene.findings();
  const quietMs = Math.round(performance.now() - backAt);
  figure(
    `fleet, ${name}: longest answer ${Math.round(load.longestMs)} ms, all processes ready ${readyMs} ms and a new line ended ${worksMs} ms after it was back, everything ended after ${quietMs} ms; ${load.history.lists.length} lists and ${load.runs.length} runs accepted, answers ${JSON.stringify(load.told)}`,
  );
  return {
    unanswered: asked.filter((status) => status === 0),
    longestMs: load.longestMs,
    found,
    losses: scene.losses - before,
  };
}

const RIGHT = { unanswered: [], found: {}, losses: 0 };

/** @param signal SIGINT is a fast shutdown, SIGQUIT an immediate one: a crash to be recovered from */
const restart = (signal: 'SIGINT' | 'SIGQUIT'): Fault => ({
  name: `PostgreSQL restarted by ${signal}`,
  lastsMs: 0,
  begin: async () => {
    const ended = new Promise<void>((resolve) => scene.server.onLost(() => resolve()));
    process.kill(scene.server.pid, signal);
    await ended;
  },
  end: () => scene.restartServer(),
});

const cut = (heals?: 'never'): Fault => ({
  name: heals ? 'connections dead for ever, server elsewhere after 12 s' : 'connections dead for 12 s',
  lastsMs: OUTAGE_MS,
  begin: () => scene.postgresProxy.set({ kind: 'black-hole', ...(heals ? { heals } : {}) }),
  end: () => scene.postgresProxy.set({ kind: 'pass' }),
});

describe('a fleet whose PostgreSQL goes away under load', () => {
  it.each([restart('SIGINT'), restart('SIGQUIT'), cut(), cut('never')])(
    '$name: answers meanwhile, is well again by itself, and loses and charges nothing twice',
    async (fault) => {
      const { longestMs, ...left } = await survived(fault);
      expect(left).toEqual(RIGHT);
      expect(longestMs).toBeLessThan(FAILS_WITHIN_MS);
    },
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

/** Every write to the disk that the server waits for fails, until all of its processes have ended and begun anew. */
const failedSync: Fault = {
  name: 'fsync fails with EIO',
  lastsMs: 0,
  begin: async () => {
    const traced = descendantsOf(scene.server.pid);
    const calls = 'fsync,fdatasync';
    const strace = spawn(
      'strace',
      [
        ...['-qq', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`],
        ...traced.flatMap((pid) => ['-p', String(pid)]),
      ],
      { stdio: 'ignore' },
    );
    const ended = new Promise<void>((resolve) => strace.once('exit', () => resolve()));
    // The server itself stays, and starts others that nobody looks into.
    await waitFor('the processes of the server to end', async () => !traced.some(isRunning));
    strace.kill('SIGTERM');
    await ended;
    expect(isRunning(scene.server.pid)).toBe(true);
  },
  end: () =>
    waitFor('the server to accept', () =>
      asSuperuser(scene.server.url('quarry'), 'SELECT 1').then(
        () => true,
        () => false,
      ),
    ),
};
const noStrace = withoutStrace();
if (noStrace !== null) figure(`fsync cannot be made to fail here: ${noStrace}`);

describe('a fleet whose PostgreSQL cannot write', () => {
  (noStrace === null ? it : it.skip)(
    'as fsync fails: the server crashes and recovers, and nothing that was acknowledged is lost',
    async () => {
      const { longestMs, ...left } = await survived(failedSync);
      expect(left).toEqual(RIGHT);
      expect(longestMs).toBeLessThan(FAILS_WITHIN_MS);
    },
  );

  (isRoot ? it : it.skip)(
    'as the disk is full: writes are refused in the envelope, reads go on, and all is well when there is room',
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
      const { longestMs, ...left } = await survived({
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
      expect(left).toEqual(RIGHT);
      expect(longestMs).toBeLessThan(FAILS_WITHIN_MS);
    },
  );
});
