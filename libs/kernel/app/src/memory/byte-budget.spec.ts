import { describe, expect, it } from '@jest/globals';
import { ByteBudget } from './byte-budget.js';

describe('a budget of bytes', () => {
  it('refuses what it has not left, and has it again once it is given back', () => {
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

  it('lets something larger than itself in alone', () => {
    const budget = new ByteBudget(100);
    const large = budget.takeBytes(1000)!;
    expect(budget.takeBytes(1)).toBeNull();
    large();
    expect(budget.takeBytes(100)).not.toBeNull();
  });
});
