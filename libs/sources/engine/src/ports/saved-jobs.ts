import type { ProviderCall } from './lookup.port.js';

/** Begins a provider's line. Each has its own: the one before it in a waterfall is asked again after a crash, and saves anew. */
const lineOf = (id: string): string => `${id}:`;

/** @returns what a provider has saved for this search, by whichever worker; null when nothing was */
export async function savedBy(id: string, { vendorJob }: ProviderCall): Promise<string | null> {
  const lines = ((await vendorJob?.read()) ?? '').split('\n');
  return lines.find((line) => line.startsWith(lineOf(id)))?.slice(lineOf(id).length) ?? null;
}

/**
 * Saves what a provider would need to go on with this search, in place of what it has saved before.
 * @param text one line
 * @throws SearchLostError when the search is another's now
 */
export async function saveFor(id: string, text: string, { vendorJob }: ProviderCall): Promise<void> {
  const lines = ((await vendorJob?.read()) ?? '').split('\n');
  const others = lines.filter((line) => line !== '' && !line.startsWith(lineOf(id)));
  await vendorJob?.save([...others, lineOf(id) + text.replaceAll('\n', ' ')].join('\n'));
}
