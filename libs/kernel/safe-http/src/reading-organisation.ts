import { AsyncLocalStorage } from 'node:async_hooks';

const organisations = new AsyncLocalStorage<string>();

/**
 * Runs work that reads pages for an organisation, so that organisations take turns. It is an async context and not a
 * parameter, because some thirty functions lie between the code that knows the organisation and the one that waits for a
 * turn.
 */
export function readForOrganisation<T>(orgId: string, work: () => T): T {
  return organisations.run(orgId, work);
}

/** Returns the organisation for which pages are read; an empty text if there is none. */
export function readingOrganisation(): string {
  return organisations.getStore() ?? '';
}
