import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { printMeasurement } from '@quarry/test-servers';
import { survivesPartition, withoutNamespaces } from './partitions.fixture.js';
import { FleetScene } from './spec-kit.js';

/** The product's own. */
const LEASE_MS = 30_000;

let scene: FleetScene;

beforeAll(async () => {
  scene = await FleetScene.open();
});
afterAll(() => FleetScene.closeAll());

const reason = withoutNamespaces();
if (reason !== null)
  printMeasurement(`no network namespace can be made here, so a black hole alone cuts: ${reason}`);

describe('a worker of a fleet that is cut off from PostgreSQL while its vendor answers', () => {
  it('by a black hole gives its lines up before another takes them, and each is charged once', () =>
    survivesPartition(scene, 'a black hole', LEASE_MS));

  (reason === null ? it : it.skip)(
    'by a pulled link of a network namespace gives its lines up before another takes them, and each is charged once',
    () => survivesPartition(scene, 'a network namespace', LEASE_MS),
  );
});
