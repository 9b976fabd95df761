import { afterEach, describe } from '@jest/globals';
import { itStopsInOrder } from './orderly-stops.fixture.js';
import { FaultScene } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

describe('workers that are shutting down', () => {
  itStopsInOrder(10);
});
