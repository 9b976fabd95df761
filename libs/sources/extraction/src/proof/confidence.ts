export type Confidence = 'high' | 'medium' | 'low';

/**
 * Returns how sure a value is, by who says it. Source: docs/contract.md#6-go, and its rule: the subject's own site or two sites that
 * are independent of each other make it high, one site medium, and what follows only indirectly or is disputed low.
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
