import { APOLLO_SEARCHES } from './apollo.search.js';
import { defineVendor } from './vendor.js';

/** A directory only: phone numbers are sent later, and only to a webhook of the caller. */
export const apollo = defineVendor({
  id: 'apollo',
  title: 'Apollo',
  base: 'https://api.apollo.io',
  docs: 'https://docs.apollo.io/reference/organization-search',
  key: { env: 'APOLLO_KEY', header: 'X-Api-Key' },
  // Limits of the smallest account, per endpoint.
  limits: { perMinute: 50, concurrency: 5 },
  services: {},
  searches: APOLLO_SEARCHES,
});
