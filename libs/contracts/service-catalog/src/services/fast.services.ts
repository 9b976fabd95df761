import type { FastService } from '../service-definition.js';
import {
  detectTech,
  domainInfo,
  enrichCompany,
  findDomain,
  findEmailPattern,
  findSocials,
  getJobPostings,
} from './company.lookups.js';
import { enrichPerson, findLinkedInUrl, validatePhone, verifyEmail } from './person.lookups.js';
import { classifyText, extractData, mapWebsite, newsSearch, scrapeUrl, webSearch } from './web.lookups.js';
import { serviceOf, type Lookup } from './lookup.js';
import { searchCompanies, searchPeople } from './search.services.js';

/** Fast services except the directory searches, in catalogue order. */
const LOOKUPS = {
  webSearch,
  newsSearch,
  scrapeUrl,
  mapWebsite,
  extractData,
  findDomain,
  domainInfo,
  detectTech,
  enrichCompany,
  enrichPerson,
  findLinkedInUrl,
  getJobPostings,
  verifyEmail,
  findEmailPattern,
  validatePhone,
  classifyText,
  findSocials,
} as const satisfies Readonly<Record<string, Lookup>>;

/** Names of the fast services except the directory searches. */
export type LookupName = keyof typeof LOOKUPS;

/** Output schemas of the fast services except the directory searches. */
export const LOOKUP_OUTPUTS = Object.fromEntries(
  Object.entries<Lookup>(LOOKUPS).map(([name, { output }]) => [name, output]),
) as { readonly [Name in LookupName]: (typeof LOOKUPS)[Name]['output'] };

export const FAST_SERVICES: Readonly<Record<string, FastService>> = {
  searchCompanies,
  searchPeople,
  ...Object.fromEntries(
    Object.entries<Lookup>(LOOKUPS).map(([name, declared]) => [name, serviceOf(name, declared)]),
  ),
};
