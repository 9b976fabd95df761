import { afterEach, describe } from '@jest/globals';
import { itAnswersHeldReads } from './held-reads.fixture.js';
import { GatewayScene } from './spec-kit.js';

afterEach(() => GatewayScene.closeAll());

describe('held reads', () => {
  itAnswersHeldReads({ restarts: 20 });
});
