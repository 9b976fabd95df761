import { describe, expect, it } from '@jest/globals';
import { costOf } from './price.catalogue.js';

describe('the price of tokens', () => {
  it.each([
    ['gpt-4.1-mini', 1_600_000 + 400_000],
    ['openai/gpt-4.1-mini-2025-04-14', 2_000_000],
    ['GPT-4o', 12_500_000],
    ['claude-3-5-haiku-latest', 4_800_000],
    ['gpt-4.1-mini-tuned', null],
    ['qwen3:32b', null],
  ])('of %s is %p millionths of a dollar', (model, cost) => {
    expect(costOf(model, 1_000_000, 1_000_000)).toBe(cost);
  });
});
