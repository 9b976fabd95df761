import { z } from 'zod';
import type { FastService, Millicredits } from '../service-definition.js';
import { LOOKUP_OUTPUTS, type LookupName } from './lookup.outputs.js';
import { searchCompanies, searchPeople } from './search.services.js';

const text = z.string().trim().min(1).max(2000);
const limit = z.int().min(1).max(100).optional();
const url = { url: text.describe('Address of the page') };
const domain = { domain: text.describe('Domain of the company') };
const query = { query: text.describe('What to look for'), limit };
const object = z.record(z.string(), z.unknown());

interface Sold {
  title: string;
  description: string;
  category: FastService['category'];
  input: z.ZodRawShape;
  example: Record<string, unknown>;
  cellField: string;
  /** Left out, what follows from the prices. */
  chargeRule?: string;
  /** Thousandths of a credit for a find and for a negative answer; equal when every call costs the same. */
  hit: Millicredits;
  miss: Millicredits;
}

/** Fast services that are no search of a directory, by name. Prices: docs/contract.md#5-services-jobs-credits. */
const LOOKUPS: Readonly<Record<LookupName, Sold>> = {
  webSearch: {
    title: 'Search the web',
    description: 'Finds pages about a query.',
    category: 'web',
    input: query,
    example: { query: 'quarry machines' },
    cellField: 'items.url',
    hit: 500,
    miss: 500,
  },
  newsSearch: {
    title: 'Search the news',
    description: 'Finds news about a query.',
    category: 'web',
    input: query,
    example: { query: 'analytical engines' },
    cellField: 'items.title',
    hit: 500,
    miss: 500,
  },
  scrapeUrl: {
    title: 'Read a page',
    description: 'Reads a page as text.',
    category: 'web',
    input: {
      ...url,
      render: z
        .boolean()
        .optional()
        .describe(
          "Run the page's scripts in a browser first, for pages that are empty without; needs one at the operator's",
        ),
    },
    example: { url: 'https://analytical.example' },
    cellField: 'markdown',
    hit: 1000,
    miss: 0,
  },
  mapWebsite: {
    title: 'Map a website',
    description: 'Lists the pages of a website.',
    category: 'web',
    input: { ...url, limit },
    example: { url: 'https://analytical.example' },
    cellField: 'items.url',
    hit: 500,
    miss: 500,
  },
  extractData: {
    title: 'Extract data from pages',
    description: 'Reads pages and fills a schema with what they say.',
    category: 'web',
    input: { urls: z.array(text).min(1).max(20), schema: object, prompt: text.optional() },
    example: {
      urls: ['https://analytical.example'],
      schema: { type: 'object', properties: { name: { type: 'string' } } },
    },
    cellField: 'data',
    hit: 3000,
    miss: 0,
  },
  findDomain: {
    title: 'Find the domain of a company',
    description: 'Finds the web domain of a company from its name.',
    category: 'company',
    input: { company: text },
    example: { company: 'Ormont' },
    cellField: 'domain',
    hit: 500,
    miss: 0,
  },
  domainInfo: {
    title: 'Facts about a domain',
    description: 'Says what is registered and served at a domain.',
    category: 'company',
    input: domain,
    example: { domain: 'analytical.example' },
    cellField: 'registered_at',
    hit: 100,
    miss: 100,
  },
  detectTech: {
    title: 'Detect technologies',
    description: 'Says which technologies a website uses.',
    category: 'company',
    input: domain,
    example: { domain: 'analytical.example' },
    cellField: 'items.name',
    hit: 500,
    miss: 500,
  },
  enrichCompany: {
    title: 'Enrich a company',
    description: 'Gives what is known of a company.',
    category: 'company',
    input: { domain: text.optional(), linkedin_url: text.optional(), name: text.optional() },
    example: { domain: 'analytical.example' },
    cellField: 'name',
    hit: 1000,
    miss: 0,
  },
  enrichPerson: {
    title: 'Enrich a person',
    description: 'Gives what is known of a person.',
    category: 'person',
    input: {
      linkedin_url: text.optional(),
      first_name: text.optional(),
      last_name: text.optional(),
      domain: text.optional(),
    },
    example: { linkedin_url: 'https://www.linkedin.com/in/sandbox-ada-lovelace' },
    cellField: 'title',
    hit: 1000,
    miss: 0,
  },
  findLinkedInUrl: {
    title: 'Find a LinkedIn address',
    description: 'Finds the LinkedIn address of a person or a company.',
    category: 'linkedin',
    input: { name: text, company: text.optional(), domain: text.optional() },
    example: { name: 'Ada Lovelace', domain: 'analytical.example' },
    cellField: 'linkedin_url',
    hit: 500,
    miss: 0,
  },
  getJobPostings: {
    title: 'Open positions',
    description: 'Lists the open positions of a company.',
    category: 'company',
    input: { ...domain, limit },
    example: { domain: 'ormont.example' },
    cellField: 'items.title',
    hit: 1000,
    miss: 0,
  },
  verifyEmail: {
    title: 'Verify an e-mail address',
    description: 'Says whether an address takes mail.',
    category: 'validation',
    input: { email: text },
    example: { email: 'ada@analytical.example' },
    cellField: 'status',
    chargeRule: 'A verdict is charged; where nobody can tell (unknown), the call is free.',
    hit: 200,
    miss: 0,
  },
  findEmailPattern: {
    title: 'Find an e-mail pattern',
    description: 'Says how addresses of a company are formed.',
    category: 'contact',
    input: domain,
    example: { domain: 'analytical.example' },
    cellField: 'pattern',
    hit: 500,
    miss: 0,
  },
  validatePhone: {
    title: 'Validate a phone number',
    description: 'Says whether a number can exist, and where.',
    category: 'validation',
    input: { phone: text, country: text.optional() },
    example: { phone: '+12125550123' },
    cellField: 'phone',
    hit: 50,
    miss: 50,
  },
  classifyText: {
    title: 'Classify a text',
    description: 'Says which of some labels fit a text.',
    category: 'research',
    input: { text: z.string().min(1).max(20_000), labels: z.array(text).min(2).max(50) },
    example: { text: 'We build engines for industry.', labels: ['industry', 'retail'] },
    cellField: 'label',
    hit: 500,
    miss: 500,
  },
  findSocials: {
    title: 'Find social profiles',
    description: 'Finds the social profiles of a company.',
    category: 'company',
    input: domain,
    example: { domain: 'analytical.example' },
    cellField: 'linkedin_url',
    hit: 200,
    miss: 200,
  },
};

const lookups = Object.entries(LOOKUPS).map(
  ([name, { title, description, category, input, example, cellField, chargeRule, hit, miss }]): [
    string,
    FastService,
  ] => [
    name,
    {
      name,
      mode: 'fast',
      title,
      description,
      category,
      input: z.strictObject(input),
      output: LOOKUP_OUTPUTS[name as LookupName],
      examples: [example],
      cellField,
      chargeRule:
        chargeRule ??
        (hit === miss
          ? 'Every answered call costs the same.'
          : 'A find is charged, a negative answer is free.'),
      price: { unit: 'call', hit, miss, max: hit },
      worstCase: () => hit,
      charge: (items) => (items > 0 ? hit : miss),
    },
  ],
);

export const FAST_SERVICES: Readonly<Record<string, FastService>> = {
  searchCompanies,
  searchPeople,
  ...Object.fromEntries(lookups),
};
