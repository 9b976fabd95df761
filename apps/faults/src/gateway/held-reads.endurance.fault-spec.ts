import { afterEach, describe } from '@jest/globals';
import { itAnswersHeldReads } from './held-reads.fixture.js';
import { GatewayScene } from './spec-kit.js';

afterEach(() => GatewayScene.closeAll());

describe('waiting reads', () => {
  itAnswersHeldReads({ restarts: 20 });
});
