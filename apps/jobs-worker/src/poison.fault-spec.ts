import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort } from '@quarry/platform';
import { figure, waitFor, type AppProcess, type ProcessFaults } from '@quarry/testing';
import { FaultScene } from './spec-kit.js';

afterEach(() => FaultScene.closeAll(), 60_000);

const SILENT_MS = 2000;

/** Two workers under a supervisor that ends whoever does not answer /healthz, and starts another for each that ended. */
class Supervised {
  deaths = 0;
  private isOver = false;
  private readonly places: Array<Promise<void>>;

  constructor(
    private readonly scene: FaultScene,
    private readonly faults: ProcessFaults,
  ) {
    this.places = [this.watch(), this.watch()];
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.places);
  }

  private async watch(): Promise<void> {
    while (!this.isOver) {
      const port = await freePort();
      const worker = await this.scene.startWorker({ ...this.faults, env: { METRICS_PORT: String(port) } });
      await waitFor('the worker to die', () => this.isDead(worker, port), 200_000);
      if (this.isOver) return;
      this.deaths += 1;
      await worker.stop('SIGKILL');
    }
  }

  private async isDead(worker: AppProcess, port: number): Promise<boolean> {
    if (worker.hasEnded || this.isOver) return true;
    const answer = fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(SILENT_MS) });
    return answer.then(
      async (response) => (await response.text()) === 'never',
      () => true,
    );
  }
}

describe('an input that ends whoever works on it', () => {
  it.each([
    ['a busy loop', { crashes: [{ at: 'provider_answered', action: 'spin', line: 'poison' }] }],
    ['a full heap', { crashes: [{ at: 'provider_answered', action: 'hoard', line: 'poison' }], heapMb: 120 }],
  ] as Array<[string, ProcessFaults]>)(
    'by %s is given up after two deaths, at no charge, and the others go on',
    async (_, faults) => {
      const scene = await FaultScene.open({ backend: 'postgres' });
      const fleet = new Supervised(scene, faults);
      const poison = { first_name: 'poison', last_name: 'Doe', domain: 'acme.example' };
      await waitFor('workers', async () => scene.workers.length === 2);
      await scene.send([poison]);
      await waitFor(
        'the poison to be given up',
        async () => {
          await scene.send(scene.people(5, 0));
          await scene.until("state = 'completed'", 1, 60_000);
          return (await scene.count("state = 'failed' AND input ->> 'first_name' = 'poison'")) === 1;
        },
        90_000,
      );
      await scene.allEnded(60_000);
      await fleet.stop();
      const line = await scene.one(
        "SELECT error ->> 'code' AS code, attempt FROM jobs.jobs WHERE input ->> 'first_name' = 'poison'",
      );
      const charged = await scene.one(
        "SELECT count(*)::int AS posts FROM credits.transfers t JOIN jobs.jobs j ON j.id = t.job_id WHERE t.kind = 'post' AND input ->> 'first_name' = 'poison'",
      );
      const others = await scene.all<{ state: string; n: number }>(
        "SELECT state, count(*)::int AS n FROM jobs.jobs WHERE input ->> 'first_name' <> 'poison' GROUP BY state",
      );
      figure(`poison by ${_}: ${fleet.deaths} workers died, other lines ${JSON.stringify(others)}`);
      expect(line).toEqual({ code: 'worker_lost', attempt: 2 });
      expect(charged).toEqual({ posts: 0 });
      expect(others.map(({ state }) => state)).toEqual(['completed']);
      expect(fleet.deaths).toBeLessThanOrEqual(5);
      expect(await scene.close()).toEqual({});
    },
    200_000,
  );
});
