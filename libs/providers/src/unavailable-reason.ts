import type { Mode } from '@quarry/platform';
import { VENDORS } from './vendors/vendors.js';

/** What beside a vendor's key makes a service answer. */
const OTHERWISE: Readonly<Record<string, string>> = {
  webResearch: 'It takes a language model and somebody who searches the web, which the operator sets up.',
};

/**
 * Why nobody answers a service, and who could.
 * @param service name of the catalogue
 * @param mode that of the key which asks
 * @returns one or two sentences without a secret, for customers
 */
export function unavailableReason(service: string, mode: Mode): string {
  const nobody = 'No provider for this service is configured.';
  if (mode === 'test') return `${nobody} Test keys reach the sandbox alone, which does not answer it.`;
  const vendors = VENDORS.filter(({ services, searches = {} }) => service in services || service in searches);
  if (vendors.length === 0) return `${nobody} ${OTHERWISE[service] ?? 'The operator has switched it off.'}`;
  const named = new Intl.ListFormat('en', { type: 'disjunction' }).format(vendors.map(({ id }) => id));
  const also = service.startsWith('search') ? ' So does a directory that the operator has imported.' : '';
  return `${nobody} A key at ${named} answers it: the operator's, or one of your own (PUT /v1/providers/{vendor}).${also}`;
}
