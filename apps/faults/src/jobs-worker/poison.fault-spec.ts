import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort } from '@quarry/local-postgres';
import { type ProcessFaults } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { BACKENDS, FaultScene, TAKES_LINES, type Backend } from './spec-kit.js';

/** Milliseconds that a started worker may leave /healthz unanswered. It answers within 50 ms; a busy loop never does. */
const SILENT_MS = 5000;
const STARTS_WITHIN_MS = 120_000;
/** Milliseconds. Two deaths, with a lease and a round of the reconciler after each, take half a minute. */
const GIVEN_UP_WITHIN_MS = 300_000;

/** Two workers under a supervisor that kills a worker without a response on /healthz, and replaces each one that has ended. */
class Supervised {
  private static readonly unstopped = new Set<Supervised>();
  deaths = 0;
  /** Error of the supervisor itself. */
  fault: Error | null = null;
  private isOver = false;
  private readonly places: Array<Promise<void>>;

  constructor(
    private readonly scene: FaultScene,
    private readonly faults: ProcessFaults,
  ) {
    Supervised.unstopped.add(this);
    this.places = [0, 1].map(() => this.watch().catch((fault: Error) => void (this.fault = fault)));
  }

  /** Stops supervisors that a failed test left running; called before the scene is closed. */
  static async stopAll(): Promise<void> {
    await Promise.all([...Supervised.unstopped].map((fleet) => fleet.stop()));
  }

  /** Stops supervising; the workers continue. */
  async stop(): Promise<void> {
    Supervised.unstopped.delete(this);
    this.isOver = true;
    await Promise.all(this.places);
  }

  private async watch(): Promise<void> {
    while (!this.isOver) {
      const port = await freePort();
      const worker = await this.scene.spawnWorker({ ...this.faults, env: { METRICS_PORT: String(port) } });
      const bornAt = performance.now();
      // The worker may take the poison, and die of it, before its first output is written.
      const isDead = async (): Promise<boolean> => {
        if (worker.hasEnded || this.isOver) return true;
        if (worker.output.includes(TAKES_LINES)) return isSilent(port);
        return performance.now() - bornAt > STARTS_WITHIN_MS;
      };
      await waitFor('the worker to die', isDead, GIVEN_UP_WITHIN_MS);
      if (this.isOver) return;
      this.deaths += 1;
      // The poison leads to an end by a signal. With an exit code the worker ended by itself, and would do so for ever.
      if ((await worker.stop('SIGKILL')) !== null) throw new Error(`A worker ended: ${worker.output}`);
    }
  }
}

async function isSilent(port: number): Promise<boolean> {
  const answer = fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(SILENT_MS) });
  return answer.then(
    async (response) => (await response.text()) === 'never',
    () => true,
  );
}

afterEach(async () => {
  await Supervised.stopAll();
  await FaultScene.closeAll();
});

const BESIDE = 20;
const POISON = { first_name: 'poison', last_name: 'Doe', domain: 'ok.vendor.test' };
const IS_POISON = "input ->> 'first_name' = 'poison'";

async function fedWithPoison(faults: ProcessFaults, backend: Backend) {
  const scene = await FaultScene.open({ backend });
  const fleet = new Supervised(scene, faults);
  await scene.send([POISON]);
  await waitFor(
    'the poison to be given up',
    async () => {
      // Other lines beside the poison, but never so many that it waits behind them.
      if ((await scene.count("state = 'queued'")) < BESIDE) await scene.send(scene.people(5, 0));
      if (fleet.fault) throw fleet.fault;
      return (await scene.count(`state = 'failed' AND ${IS_POISON}`)) === 1;
    },
    GIVEN_UP_WITHIN_MS,
  );
  // Later lines find running workers.
  const later = await scene.send(scene.people(20, 0));
  await scene.allEnded();
  await fleet.stop();
  const poison = await scene.one(
    `SELECT error ->> 'code' AS code, attempt,
       (SELECT count(*)::int FROM credits.transfers t WHERE t.job_id = j.id AND t.kind = 'post') AS posts
     FROM audit.own_lines j WHERE ${IS_POISON}`,
  );
  const afterwards = await scene.all(
    `SELECT DISTINCT j.state FROM audit.own_lines j JOIN jobs.lines l ON l.job_id = j.id WHERE l.batch_id = $1`,
    [later],
  );
  // A line that was in progress in both dead workers cannot be distinguished from the poison; any other must have completed.
  const wronged = await scene.count(
    `NOT ${IS_POISON} AND state <> 'completed' AND NOT (state = 'failed' AND attempt = 2 AND error ->> 'code' = 'worker_lost')`,
  );
  const states = await scene.states();
  const broken = await scene.close();
  return { poison, afterwards, wronged, states, deaths: fleet.deaths, broken };
}

const WAYS_TO_DIE: Array<[string, ProcessFaults]> = [
  ['a busy loop', { failpoints: [{ at: 'provider_answered', action: 'spin', line: 'poison' }] }],
  [
    'a full heap',
    { failpoints: [{ at: 'provider_answered', action: 'hoard', line: 'poison' }], heapMb: 120 },
  ],
];

describe('an input that crashes its worker', () => {
  it.each(WAYS_TO_DIE)(
    'by %s is given up after two crashes, at no charge, and other lines continue',
    async (way, faults) => {
      for (const backend of BACKENDS) {
        const { states, deaths, ...outcome } = await fedWithPoison(faults, backend);
        printMeasurement(
          `poison by ${way} (${backend}): ${deaths} workers died, lines ${JSON.stringify(states)}`,
        );
        expect(outcome).toEqual({
          poison: { code: 'worker_lost', attempt: 2, posts: 0 },
          afterwards: [{ state: 'completed' }],
          wronged: 0,
          broken: {},
        });
      }
    },
  );
});
