import { describe } from '@jest/globals';
import { itReplacesEveryService } from './spec-kit.js';

describe('a rollout under reads and writes', () => {
  itReplacesEveryService({ replacements: 2 });
});
