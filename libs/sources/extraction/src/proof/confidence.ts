export type Confidence = 'high' | 'medium' | 'low';

/**
 * Returns the confidence of a value by its sources. Source: docs/contract.md#6-go, with this rule: the subject's own site
 * or two independent sites make it high, one site medium; an indirect or disputed value is low.
 * @param domains registrable domains of the pages that prove it
 * @param ownDomains registrable domains of the subject itself
 */
export function confidenceOf(
  domains: readonly string[],
  ownDomains: ReadonlySet<string>,
  { isDisputed = false }: { isDisputed?: boolean } = {},
): Confidence {
  if (isDisputed || domains.length === 0) return 'low';
  const isOwn = domains.some((domain) => ownDomains.has(domain));
  return isOwn || new Set(domains).size > 1 ? 'high' : 'medium';
}
