import { AsyncLocalStorage } from 'node:async_hooks';

const organisations = new AsyncLocalStorage<string>();

/**
 * Runs work that reads pages for an organisation, so that these reads take turns with those of others. It is kept beside the
 * calls, and not among their parameters: some thirty functions lie between who knows the organisation and who waits for a turn.
 */
export function readForOrganisation<T>(orgId: string, work: () => T): T {
  return organisations.run(orgId, work);
}

/** Returns the organisation that pages are read for; an empty text where that is nobody's matter. */
export function readingOrganisation(): string {
  return organisations.getStore() ?? '';
}
