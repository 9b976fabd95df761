import { afterEach, describe } from '@jest/globals';
import { itKillsAtRandom } from './killed-workers.fixture.js';
import { FaultScene } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

describe('workers that keep crashing', () => {
  itKillsAtRandom(90);
});
