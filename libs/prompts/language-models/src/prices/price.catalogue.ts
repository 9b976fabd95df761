/** Price of a model in US dollars for a million tokens, which is also millionths of a dollar for one. */
interface TokenPrice {
  readonly input: number;
  readonly output: number;
}

/**
 * List prices without discounts for caching or batches, by the beginning of the model's name.
 * Source: the price pages https://docs.anthropic.com/en/docs/about-claude/pricing and https://openai.com/api/pricing, read
 * from stored copies on 2026-11-23; a price that has changed since is changed here. A model that is not listed, as every local
 * one, has no known price.
 */
const PRICES: Readonly<Record<string, TokenPrice>> = {
  'claude-opus-4-1': { input: 15, output: 75 },
  'claude-opus-4-20250514': { input: 15, output: 75 },
  'claude-sonnet-4-20250514': { input: 3, output: 15 },
  'claude-3-7-sonnet': { input: 3, output: 15 },
  'claude-3-5-haiku': { input: 0.8, output: 4 },
  'claude-3-haiku': { input: 0.25, output: 1.25 },
  'gpt-4.1-mini': { input: 0.4, output: 1.6 },
  'gpt-4.1-nano': { input: 0.1, output: 0.4 },
  'gpt-4.1': { input: 2, output: 8 },
  'gpt-4o-mini': { input: 0.15, output: 0.6 },
  'gpt-4o': { input: 2.5, output: 10 },
};

/** Name of a dated release behind the name of the model: `-2025-04-14`, `-20250805`, `-latest`. */
const RELEASE = /^(-\d{4}-\d{2}-\d{2}|-\d{8}|-latest)?$/;

/**
 * @param model name as the endpoint calls it; what routers put in front of a slash is left out
 * @returns millionths of a US dollar, rounded up; null where the model has no known price
 */
export function costOf(model: string, inputTokens: number, outputTokens: number): number | null {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const known = Object.entries(PRICES).find(
    ([each]) => name.startsWith(each) && RELEASE.test(name.slice(each.length)),
  );
  return known ? Math.ceil(inputTokens * known[1].input + outputTokens * known[1].output) : null;
}
