import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { printMeasurement } from '@quarry/test-servers';
import { survivesPartition, withoutNamespaces } from './partitions.fixture.js';
import { FleetScene } from './spec-kit.js';

/** Lease length of the product in milliseconds. */
const LEASE_MS = 30_000;

let scene: FleetScene;

beforeAll(async () => {
  scene = await FleetScene.open();
});
afterAll(() => FleetScene.closeAll());

const reason = withoutNamespaces();
if (reason !== null)
  printMeasurement(`no network namespace can be made here, so a black hole alone cuts: ${reason}`);

describe('a worker of a fleet that loses PostgreSQL while its vendor answers', () => {
  it('by a black hole gives up its lines before another takes them, and each is charged once', () =>
    survivesPartition(scene, 'a black hole', LEASE_MS));

  (reason === null ? it : it.skip)(
    'by an unplugged network gives up its lines before another takes them, and each is charged once',
    () => survivesPartition(scene, 'a network namespace', LEASE_MS),
  );
});
