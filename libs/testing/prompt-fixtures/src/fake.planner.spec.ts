import { describe, it } from '@jest/globals';
import { FakePlanner } from './fake.planner.js';
import { plannerContract } from './planner-contract.js';

describe('the fake planner', () => {
  for (const { name, isKept } of plannerContract(() => new FakePlanner())) it(name, isKept);
});
