import { afterEach, describe, expect, it } from '@jest/globals';
import { ERROR_CODES } from '@quarry/error-codes';
import { printMeasurement } from '@quarry/test-servers';
import { RolloutScene, type Service } from '../gateway/rollouts/spec-kit.js';
import { addedMigrations, versionBefore, VersionScene, type Versions } from './spec-kit.js';

afterEach(async () => {
  await VersionScene.closeAll();
  await RolloutScene.closeAll();
});

const OLD: Versions = { gateway: 'old', tables: 'old', 'runs-agent': 'old', services: 'old', worker: 'old' };

/** Combinations of versions during an upgrade, in the order of docs/operations.md. */
const ALLOWED: ReadonlyArray<readonly [string, Versions]> = [
  ['the new schema alone', OLD],
  ['new services, old worker', { ...OLD, services: 'new' }],
  ['new worker, old services', { ...OLD, worker: 'new' }],
  ['new services and worker', { ...OLD, services: 'new', worker: 'new' }],
  ['new services, worker and tables', { ...OLD, services: 'new', worker: 'new', tables: 'new' }],
  [
    'an old gateway before the new',
    { gateway: 'old', tables: 'new', 'runs-agent': 'new', services: 'new', worker: 'new' },
  ],
  [
    'both of everything behind an old gateway',
    { gateway: 'old', tables: 'both', 'runs-agent': 'both', services: 'both', worker: 'both' },
  ],
];

/** Combinations that docs/operations.md forbids: the caller is newer than the server. */
const FORBIDDEN: ReadonlyArray<readonly [string, Versions]> = [
  ['a new gateway before the old', { ...OLD, gateway: 'new' }],
  ['a new agent before old services', { ...OLD, 'runs-agent': 'new' }],
];

/** @returns whether it is a temporary refusal with a code of the contract; an internal error (500) is not */
function isDocumented(answer: unknown): boolean {
  const { refused, status } = (answer ?? {}) as { refused?: string; status?: number };
  const temporary = Object.entries(ERROR_CODES).filter(([, code]) => code.status === 503);
  return status === 503 && temporary.some(([code]) => code === refused);
}

const isSchemaNewer = addedMigrations().length > 0;
if (!isSchemaNewer)
  printMeasurement(
    'both versions have the same migrations: that an old worker refuses a newer schema is not tried',
  );

describe('two versions side by side', () => {
  it.each(ALLOWED)(
    '%s: every scenario ends correctly, every process does some work, each line is looked up and charged once',
    async (name, versions) => {
      const scene = await VersionScene.open(versions);
      expect(await scene.play()).toEqual(scene.right);
      printMeasurement(`versions, ${name}, work done: ${JSON.stringify(await scene.workDone())}`);
      expect(await scene.findings()).toEqual({});
      await scene.close();
    },
  );

  it.each(FORBIDDEN)(
    '%s: a scenario ends correctly or is refused with a documented code, and nothing is corrupted',
    async (name, versions) => {
      const scene = await VersionScene.open(versions);
      const played = await scene.play();
      const outcomes = Object.entries(scene.right).map(([key, right]) => {
        const answer = played[key];
        if (JSON.stringify(answer) === JSON.stringify(right)) return 'right';
        return `${isDocumented(answer) ? 'refused' : 'WRONG'}, ${key}: ${JSON.stringify(answer)}`;
      });
      printMeasurement(`versions, ${name}: ${JSON.stringify(outcomes)}`);
      expect(outcomes.filter((outcome) => outcome.startsWith('WRONG'))).toEqual([]);
      expect(await scene.findings()).toEqual({});
      await scene.close();
    },
  );

  it.each(['old', 'new'] as const)(
    'lines of a killed worker are ended by one of the other version (killed: %s), each charged once',
    async (killed) => {
      const scene = await VersionScene.open({ ...OLD, services: 'new', worker: 'both' });
      if (killed === 'new') scene.turnWorkers();
      scene.freezeOtherWorkers();
      const batch = await scene.sendHeld(20);
      await scene.killFirstWorker();
      expect(await scene.endOf(batch)).toEqual({ completed: 20, failed: 0 });
      expect(await scene.findings()).toEqual({});
      await scene.close();
    },
  );

  (isSchemaNewer ? it : it.skip)(
    'an old worker that is started with a newer schema reports that and exits',
    async () => {
      const scene = await VersionScene.open(OLD);
      await expect(scene.startWorker('old')).rejects.toThrow(
        /(brought up to date|migrated) by a newer version of Quarry/,
      );
      await scene.close();
    },
  );
});

const ORDER: readonly Service[] = ['jobs-worker', 'tables', 'runs-agent', 'gateway'];

describe('an upgrade under load', () => {
  it('in the documented order resets no connection, answers no 5xx, and loses no write', async () => {
    const scene = await RolloutScene.open(undefined, versionBefore());
    const clients = await scene.clients().start();
    const exits: Array<number | null> = [];
    for (const service of ORDER) exits.push((await scene.replace(service)).exit);
    const answer = await clients.stop();
    printMeasurement(`an upgrade under load: ${JSON.stringify(answer)}`);
    expect(clients.faults).toEqual([]);
    expect(exits).toEqual(Array(ORDER.length).fill(0));
    for (const [table, ids] of [
      ['tables.workspaces', clients.acknowledged.workspaces],
      ['jobs.batches', clients.acknowledged.batches],
      ['runs.runs', clients.acknowledged.runs],
    ] as const) {
      expect(ids.length).toBeGreaterThan(ORDER.length);
      const kept = `SELECT count(*)::int AS n FROM ${table} WHERE id = ANY ($1)`;
      expect(await scene.count(kept, [ids])).toBe(ids.length);
    }
    await scene.close();
  });
});
