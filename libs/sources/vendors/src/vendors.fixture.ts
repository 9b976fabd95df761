import { apify } from './apify.fixture.js';
import { apollo } from './apollo.fixture.js';
import { dropcontact } from './dropcontact.fixture.js';
import { enrow } from './enrow.fixture.js';
import { findymail } from './findymail.fixture.js';
import type { VendorFixture } from './fixtures.fixture.js';
import { hunter } from './hunter.fixture.js';
import { icypeas } from './icypeas.fixture.js';
import { peopleDataLabs } from './people-data-labs.fixture.js';
import { prospeo } from './prospeo.fixture.js';
import { reacher } from './reacher.fixture.js';
import { brave, exa, searxng, serper } from './search.fixture.js';

/** Fixtures of all vendors, by vendor id. */
export const FIXTURES: Readonly<Record<string, VendorFixture>> = {
  apify,
  apollo,
  brave,
  dropcontact,
  enrow,
  exa,
  findymail,
  hunter,
  icypeas,
  'people-data-labs': peopleDataLabs,
  prospeo,
  reacher,
  searxng,
  serper,
};
