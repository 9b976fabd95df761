import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { restart, survivesWithoutPostgres } from './lost-postgres.fixture.js';
import { EMPTIED, survivesWithoutRedis } from './lost-redis.fixture.js';
import { survivesPartition } from './partitions.fixture.js';
import { FleetScene } from './spec-kit.js';

/**
 * Half of the product's: what a partition waits for is the end of a lease. A third of it is left to renew in, 5 s: with a
 * dozen processes on two cores, 2 s are not enough at all times.
 */
const LEASE_MS = 15_000;

let scene: FleetScene;

beforeAll(async () => {
  scene = await FleetScene.open({ env: { LEASE_MS: String(LEASE_MS) } });
});
afterAll(() => FleetScene.closeAll());

describe('a fleet under load', () => {
  it('whose PostgreSQL crashes is well again by itself, and loses and charges nothing twice', () =>
    survivesWithoutPostgres(scene, restart('SIGQUIT')));

  it('whose Redis is emptied refuses nobody, and loses no line', () => survivesWithoutRedis(scene, EMPTIED));

  it('of which a worker is cut off from PostgreSQL gives its lines up before another takes them', () =>
    survivesPartition(scene, 'a black hole', LEASE_MS));
});
