/** Price of a model in US dollars per million tokens, which equals millionths of a dollar per token. */
interface TokenPrice {
  readonly input: number;
  readonly output: number;
}

/**
 * List prices without discounts for caching or batches, by the prefix of the model's name. Source: the price pages
 * https://docs.anthropic.com/en/docs/about-claude/pricing and https://openai.com/api/pricing, from stored copies of
 * 2026-11-23; later price changes are entered here. A model that is not listed, such as any local one, has no known price.
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

/** Suffix of a dated release of a model: `-2025-04-14`, `-20250805`, `-latest`. */
const RELEASE = /^(-\d{4}-\d{2}-\d{2}|-\d{8}|-latest)?$/;

/**
 * @param model name at the endpoint; a prefix of a router up to a slash is ignored
 * @returns millionths of a US dollar, rounded up; null for a model without a known price
 */
export function costOf(model: string, inputTokens: number, outputTokens: number): number | null {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const known = Object.entries(PRICES).find(
    ([each]) => name.startsWith(each) && RELEASE.test(name.slice(each.length)),
  );
  return known ? Math.ceil(inputTokens * known[1].input + outputTokens * known[1].output) : null;
}
