import type { ProviderCall } from './lookup.port.js';

/**
 * Returns the prefix of a provider's line. Each provider has its own: after a crash, an earlier one in the waterfall is
 * called again and saves again.
 */
const lineOf = (id: string): string => `${id}:`;

/** @returns the value that a provider saved for this search, on any worker; null when it saved nothing */
export async function savedBy(id: string, { vendorJob }: ProviderCall): Promise<string | null> {
  const lines = ((await vendorJob?.read()) ?? '').split('\n');
  return lines.find((line) => line.startsWith(lineOf(id)))?.slice(lineOf(id).length) ?? null;
}

/**
 * Saves what a provider needs to resume this search. Replaces its previous value.
 * @param text one line
 * @throws SearchLostError when another worker has taken over the search
 */
export async function saveFor(id: string, text: string, { vendorJob }: ProviderCall): Promise<void> {
  const lines = ((await vendorJob?.read()) ?? '').split('\n');
  const others = lines.filter((line) => line !== '' && !line.startsWith(lineOf(id)));
  await vendorJob?.save([...others, lineOf(id) + text.replaceAll('\n', ' ')].join('\n'));
}
