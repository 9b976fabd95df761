import { apify } from './apify.vendor.js';
import { apollo } from './apollo.vendor.js';
import { brave } from './brave.vendor.js';
import { dropcontact } from './dropcontact.vendor.js';
import { enrow } from './enrow.vendor.js';
import { exa } from './exa.vendor.js';
import { findymail } from './findymail.vendor.js';
import { hunter } from './hunter.vendor.js';
import { icypeas } from './icypeas.vendor.js';
import { peopleDataLabs } from './people-data-labs.vendor.js';
import { prospeo } from './prospeo.vendor.js';
import { reacher } from './reacher.vendor.js';
import { searxng } from './searxng.vendor.js';
import { serper } from './serper.vendor.js';
import type { Vendor } from './vendor.js';

/**
 * Every vendor that the product can ask, in the order in which they are asked where PROVIDERS_FILE names none: who verifies
 * what it finds before who does not, who answers at once before who answers later, own servers before bought searches.
 */
export const VENDORS: readonly Vendor[] = [
  hunter,
  findymail,
  prospeo,
  icypeas,
  dropcontact,
  enrow,
  peopleDataLabs,
  apollo,
  reacher,
  apify,
  searxng,
  brave,
  serper,
  exa,
];

/** @returns ids of the vendors that can answer a service, in that order */
export function vendorsOf(service: string): string[] {
  return VENDORS.filter(({ services, searches = {} }) => service in services || service in searches).map(
    ({ id }) => id,
  );
}
