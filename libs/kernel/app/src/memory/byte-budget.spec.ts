import { describe, expect, it } from '@jest/globals';
import { ByteBudget } from './byte-budget.js';

describe('a budget of bytes', () => {
  it('refuses what it has not left, and has it again once it is given back', () => {
    const budget = new ByteBudget(100);
    const first = budget.take(60)!;
    expect(budget.take(41)).toBeNull();
    expect([budget.taken, budget.refusals]).toEqual([60, 1]);
    const second = budget.take(40)!;
    expect(budget.take(1)).toBeNull();
    second();
    // Twice is once.
    second();
    expect(budget.take(41)).toBeNull();
    first();
    expect(budget.take(100)).not.toBeNull();
  });

  it('lets something larger than itself in alone', () => {
    const budget = new ByteBudget(100);
    const large = budget.take(1000)!;
    expect(budget.take(1)).toBeNull();
    large();
    expect(budget.take(100)).not.toBeNull();
  });
});
