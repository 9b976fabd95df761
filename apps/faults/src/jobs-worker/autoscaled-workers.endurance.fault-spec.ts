import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import type { AppProcess } from '@quarry/testing';
import pg from 'pg';
import { parseAllDocuments } from 'yaml';
import { FaultScene, onBoth } from './spec-kit.js';

const QUEUE = 'service-get-email';
const MANIFESTS = join(import.meta.dirname, '../../../../k8s/components/keda/scaled-objects.yaml');
/** Maximum number of workers, as in the small overlay. */
const WORKERS_MAX = 2;
const CHECK_TIMEOUT_MS = 120_000;

interface ScaledObject {
  minReplicaCount: number;
  maxReplicaCount: number;
  triggers: [{ metadata: Record<'query' | 'targetQueryValue' | 'activationTargetQueryValue', string> }];
}

/** The ScaledObject in the manifests that are applied. */
const SCALED = parseAllDocuments(readFileSync(MANIFESTS, 'utf8'))
  .map((document) => document.toJS() as { kind: string; metadata: { name: string }; spec: ScaledObject })
  .find(({ kind, metadata }) => kind === 'ScaledObject' && metadata.name === QUEUE)!.spec;
SCALED.maxReplicaCount = WORKERS_MAX;

/**
 * Starts and stops workers as KEDA would: with its query and its role. Harsher than a cluster, where a cooldown and a
 * stabilisation window precede a stop.
 */
class Scaler {
  readonly workers: AppProcess[] = [];
  /** Numbers of workers over time. */
  readonly steps: number[] = [0];

  private constructor(
    private readonly scene: FaultScene,
    private readonly client: pg.Client,
  ) {}

  static async open(scene: FaultScene): Promise<Scaler> {
    const client = new pg.Client({ connectionString: scene.test.metricsUrl });
    // The scene may be closed while the connection is open.
    client.on('error', () => undefined);
    await client.connect();
    return new Scaler(scene, client);
  }

  /** Queries once, and starts or stops workers accordingly. A stopped worker must exit with code 0. */
  async look(): Promise<void> {
    const wanted = await this.wanted();
    if (wanted !== this.workers.length) this.steps.push(wanted);
    while (this.workers.length < wanted)
      this.workers.push(await this.scene.startWorker({ env: { WORKER_QUEUES: QUEUE } }));
    const surplus = this.workers.splice(wanted);
    const codes = await Promise.all(surplus.map((worker) => worker.stop('SIGTERM')));
    expect(codes).toEqual(surplus.map(() => 0));
  }

  /** Repeats {@link look} until a condition holds. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const check = async (): Promise<boolean> => {
      await this.look();
      return holds();
    };
    await waitFor(what, check, CHECK_TIMEOUT_MS);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** Returns 0 up to the activation value, then ceil(value / target) within the limits. Source: KEDA, scaling deployments. */
  private async wanted(): Promise<number> {
    const { query, targetQueryValue, activationTargetQueryValue } = SCALED.triggers[0].metadata;
    const { rows } = await this.client.query<[string]>({ text: query, rowMode: 'array' });
    const value = Number(rows[0]![0]);
    const { minReplicaCount: least, maxReplicaCount: most } = SCALED;
    if (value <= Number(activationTargetQueryValue)) return least;
    return Math.min(most, Math.max(least, 1, Math.ceil(value / Number(targetQueryValue))));
  }
}

/** Releases held calls, repeatedly: a line that a stopped worker handed back calls the vendor again, and is held again. */
function released({ vendor }: FaultScene): true {
  vendor.release();
  return true;
}

afterEach(() => FaultScene.closeAll());

describe("workers scaled by the autoscaler's metric", () => {
  it('scale from zero and to zero, again and again, and no line is lost', () =>
    onBoth(async (backend) => {
      const scene = await FaultScene.open({ backend });
      const scaler = await Scaler.open(scene);
      await scaler.look();
      expect([scaler.workers.length, SCALED.minReplicaCount]).toEqual([0, 0]);

      await scene.send(scene.heldPeople(100));
      await scaler.until(
        'all lines to be worked on',
        async () => (await scene.count("state = 'running'")) === 100,
      );
      expect(scaler.workers).toHaveLength(SCALED.maxReplicaCount);
      await scaler.until('no worker', () => released(scene) && scaler.workers.length === 0);
      expect(await scene.states()).toEqual({ completed: 100 });

      // The number falls while lines are in progress: a stopped worker hands them back, and the others continue them.
      await scene.send([...scene.heldPeople(30), ...scene.people(60, 0)]);
      await scaler.until(
        'one worker to have all that is left',
        () => scaler.workers.length === 1 && scene.vendor.openCalls === 30,
      );
      await scaler.until('no worker again', () => released(scene) && scaler.workers.length === 0);
      expect(await scene.states()).toEqual({ completed: 190 });
      // From zero to two and back, twice; it may pass through one on its way down.
      expect(scaler.steps.join(' ')).toMatch(/^0 (1 )*2 ([12] )*0 (1 )*2 ([12] )*0$/);
      printMeasurement(`workers by the autoscaler's number (${backend}): ${scaler.steps.join(' → ')}`);
      await scaler.close();
      await scene.queueIsEmpty();
      expect(await scene.close()).toEqual({});
    }));
});
