import { APOLLO_SEARCHES } from './apollo.search.js';
import { defineVendor } from './vendor.js';

/** A directory alone: it gives telephone numbers only to a server of the caller's own, later. */
export const apollo = defineVendor({
  id: 'apollo',
  title: 'Apollo',
  base: 'https://api.apollo.io',
  docs: 'https://docs.apollo.io/reference/organization-search',
  key: { env: 'APOLLO_KEY', header: 'X-Api-Key' },
  // Of its smallest account, per interface.
  limits: { perMinute: 50, concurrency: 5 },
  services: {},
  searches: APOLLO_SEARCHES,
});
