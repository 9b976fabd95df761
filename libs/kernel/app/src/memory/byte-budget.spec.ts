import { describe, expect, it } from '@jest/globals';
import { ByteBudget } from './byte-budget.js';

describe('a byte budget', () => {
  it('refuses what exceeds the rest, and has it back after the release', () => {
    const budget = new ByteBudget(100);
    const first = budget.takeBytes(60)!;
    expect(budget.takeBytes(41)).toBeNull();
    expect([budget.taken, budget.refusals]).toEqual([60, 1]);
    const second = budget.takeBytes(40)!;
    expect(budget.takeBytes(1)).toBeNull();
    second();
    // A second release has no effect.
    second();
    expect(budget.takeBytes(41)).toBeNull();
    first();
    expect(budget.takeBytes(100)).not.toBeNull();
  });

  it('admits something larger than itself if it is alone', () => {
    const budget = new ByteBudget(100);
    const large = budget.takeBytes(1000)!;
    expect(budget.takeBytes(1)).toBeNull();
    large();
    expect(budget.takeBytes(100)).not.toBeNull();
  });
});
