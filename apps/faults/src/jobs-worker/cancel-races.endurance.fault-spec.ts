import { afterEach } from '@jest/globals';
import { itRacesCancellations } from './cancel-races.fixture.js';
import { FaultScene } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

itRacesCancellations(10_000);
