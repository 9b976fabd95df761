import { afterEach, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import {
  ApiClient,
  AppProcess,
  createTestDatabase,
  dropWhenLeft,
  descendantsOf,
  isRunning,
  type TestDatabase,
} from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewaysIn, READY, READY_MS } from './fleet-screen.fixture.js';

/** A fleet as `npm run fleet` starts it, and its database. */
class FleetScene {
  private static readonly unclosed = new Set<FleetScene>();
  /** Ids of processes that can no longer be found as descendants of this fleet. */
  orphans: number[] = [];

  private constructor(
    readonly test: TestDatabase,
    readonly app: AppProcess,
    readonly gateways: string[],
    readonly apiKey: string,
    private readonly dir: string,
  ) {}

  static async open(env: Record<string, string> = {}): Promise<FleetScene> {
    const test = await createTestDatabase();
    const { apiKey } = await createOrganisation(test.database, { name: 'Fleet', credits: 10_000 });
    const dir = mkdtempSync(join(tmpdir(), 'quarry-fleet-'));
    const variables = { DATABASE_URL: test.url, DATA_DIR: dir, PORT: '0', RATE_LIMIT_SCALE: '1000', ...env };
    const app = AppProcess.start('fleet', variables);
    const gateways: string[] = [];
    const scene = new FleetScene(test, app, gateways, apiKey, dir);
    FleetScene.unclosed.add(scene);
    await app.printed(READY, READY_MS);
    gateways.push(...gatewaysIn(app.output));
    return scene;
  }

  static async closeAll(): Promise<void> {
    await Promise.all([...FleetScene.unclosed].map((scene) => scene.close()));
  }

  /** Returns the ids of the running processes whose command line contains a text. */
  pidsOf(word: string): number[] {
    return descendantsOf(this.app.pid).filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
      } catch {
        return false; // The process has ended meanwhile.
      }
    });
  }

  async close(): Promise<void> {
    FleetScene.unclosed.delete(this);
    const below = descendantsOf(this.app.pid);
    await this.app.stop('SIGKILL');
    for (const pid of [...below, ...this.orphans].filter(isRunning)) process.kill(pid, 'SIGKILL');
    await dropWhenLeft(this.test);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

afterEach(() => FleetScene.closeAll());

describe('a fleet on one machine', () => {
  it('loses no read and no accepted command while its processes are killed, and restarts each', async () => {
    const scene = await FleetScene.open();
    const clients = scene.gateways.map((url) => new ApiClient(url, scene.apiKey));
    const { id: workspace } = (await clients[0]!.post<{ id: string }>('/v1/workspaces', { name: 'Kept' }))
      .body;
    const faults: string[] = [];
    const batches: string[] = [];
    let reads = 0;
    let isOver = false;
    const readers = clients.map(async (api) => {
      while (!isOver) {
        const { status, body } = await api.get(`/v1/workspaces/${workspace}`);
        if (status !== 200) faults.push(`read: ${status} ${JSON.stringify(body)}`);
        reads += 1;
      }
    });
    const writer = (async () => {
      for (let n = 0; !isOver; n += 1) {
        const { status, body } = await clients[n % 2]!.post<{ batch_id: string }>('/v1/services/jobs/batch', {
          service: 'getEmail',
          inputs: [{ first_name: `N${n}`, last_name: 'Kept', domain: 'ok.sandbox.test' }],
        });
        // The single process that accepts batches is not killed here. 200: the batch had ended before the response.
        if (status === 202 || status === 200) batches.push(body.batch_id);
        else faults.push(`write: ${status} ${JSON.stringify(body)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const killAndWait = async (word: string, name: RegExp) => {
      const [pid] = scene.pidsOf(word);
      const before = scene.pidsOf(word).length;
      const seen = reads;
      process.kill(pid!, 'SIGKILL');
      await waitFor(`${word} to be said lost`, async () => name.test(scene.app.output));
      await waitFor(`${word} to be back`, async () => scene.pidsOf(word).length === before);
      await waitFor('reads to go on', async () => reads > seen + 200);
    };
    await killAndWait('apps/tables/', /tables-\d ended \(SIGKILL\); it is started again in 0\.5 s/);
    // The workers of all queues; one of them works on these batches. The last process is the one that accepts batches.
    for (const pid of scene.pidsOf('apps/jobs-worker/').slice(0, -1)) process.kill(pid, 'SIGKILL');
    await waitFor('the workers to be said lost', async () =>
      /service-get-email +ended/.test(scene.app.output),
    );
    const seen = reads;
    await waitFor('reads to go on', async () => reads > seen + 200);
    isOver = true;
    await Promise.all([...readers, writer]);
    printMeasurement(`${reads} reads and ${batches.length} lists while processes were killed`);
    expect(faults).toEqual([]);
    for (const id of batches)
      await waitFor('an accepted list to end', async () => {
        const { body } = await clients[0]!.get<{ status: string }>(
          `/v1/services/jobs/batch/${id}?wait_seconds=30`,
        );
        return body.status === 'completed';
      });
  });

  it('stops all its processes in order at a SIGTERM, and leaves none when it is killed itself', async () => {
    const small = { GATEWAYS: '1', TABLES: '1' };
    const orderly = await FleetScene.open(small);
    const below = descendantsOf(orderly.app.pid);
    expect(below.length).toBeGreaterThanOrEqual(9);
    const askedAt = performance.now();
    expect(await orderly.app.stop('SIGTERM')).toBe(0);
    printMeasurement(
      `${below.length} processes were gone ${Math.round(performance.now() - askedAt)} ms after a SIGTERM`,
    );
    expect(below.filter(isRunning)).toEqual([]);
    expect(orderly.app.output).not.toContain('started again in');
    await orderly.close();

    const killed = await FleetScene.open(small);
    const left = descendantsOf(killed.app.pid);
    killed.orphans = left;
    await killed.app.stop('SIGKILL');
    // Its Redis is not a child of a Node process: the next fleet in the folder would stop it; here the scene does.
    const isRedis = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('redis-server');
    await waitFor('its processes to end', async () => left.filter(isRunning).every(isRedis));
  });
});
