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
 * All vendors of the product, in the default call order if PROVIDERS_FILE defines none: verifying vendors before others,
 * immediate results before polled ones, self-hosted servers before paid searches.
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

/** @returns ids of the vendors that support a service, in the same order */
export function vendorsOf(service: string): string[] {
  return VENDORS.filter(({ services, searches = {} }) => service in services || service in searches).map(
    ({ id }) => id,
  );
}
