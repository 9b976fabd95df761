import { z } from 'zod';
import { COMPANY_PROFILE, PERSON_PROFILE } from './profile.outputs.js';

// Fields, and what is null: docs/contract.md#5-services-jobs-credits, Outputs of the fast services.

const provider = { provider: z.string() };
const known = z.string().nullable();
const time = z.iso.datetime({ offset: true });
const confidence = z.enum(['high', 'medium', 'low']);

const answer = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject({ ...shape, ...provider });
const list = <Shape extends z.ZodRawShape>(item: Shape) => answer({ items: z.array(z.strictObject(item)) });
const page = { title: known, url: z.string(), snippet: known, published_at: known };

/** Output of each fast service that is no search of a directory. */
export const LOOKUP_OUTPUTS = {
  webSearch: list(page),
  newsSearch: list(page),
  scrapeUrl: answer({
    /** Address of the answer, behind all redirects. */
    url: z.string(),
    status: z.int(),
    title: known,
    description: known,
    /** Language tag of the page's own words, such as `en`. */
    language: known,
    markdown: z.string(),
    links: z.array(z.strictObject({ url: z.string(), text: z.string() })),
    metadata: z.record(z.string(), z.string()),
    retrieved_at: time,
  }),
  mapWebsite: list({ url: z.string(), title: known, last_modified: known }),
  extractData: answer({
    data: z.unknown(),
    /** One entry for each leaf of the schema. Source: docs/contract.md#6-go. */
    basis: z.array(
      z.strictObject({
        /** JSON pointer. */
        field: z.string(),
        value: z.unknown(),
        reasoning: known,
        confidence: confidence.nullable(),
        citations: z.array(
          z.strictObject({ url: z.string(), title: known, excerpt: known, retrieved_at: time }),
        ),
      }),
    ),
  }),
  findDomain: answer({ domain: known, confidence: confidence.nullable() }),
  domainInfo: answer({
    domain: z.string(),
    registered_at: known,
    expires_at: known,
    registrar: known,
    nameservers: z.array(z.string()),
    mx: z.array(z.strictObject({ priority: z.int(), host: z.string() })),
    spf: known,
    dmarc: known,
    /** Null when it could not be found out. */
    has_website: z.boolean().nullable(),
    title: known,
  }),
  detectTech: list({ name: z.string(), category: z.string(), evidence: z.string() }),
  findSocials: answer({
    linkedin_url: known,
    x_url: known,
    facebook_url: known,
    instagram_url: known,
    youtube_url: known,
    github_url: known,
    tiktok_url: known,
  }),
  getJobPostings: list({
    title: z.string(),
    url: z.string(),
    location: known,
    department: known,
    posted_at: known,
    board: z.string(),
  }),
  // As an item of searchCompanies or searchPeople, whose fields the directory's table of attributes gives.
  enrichCompany: answer(COMPANY_PROFILE),
  enrichPerson: answer(PERSON_PROFILE),
  findLinkedInUrl: answer({ linkedin_url: known, confidence: confidence.nullable() }),
  findEmailPattern: answer({
    /** With `{first}`, `{last}`, `{f}` and `{l}` for names and their first letters, such as `{first}.{last}`. */
    pattern: known,
    confidence: confidence.nullable(),
    examples: z.array(z.string()),
  }),
  classifyText: answer({ label: known, confidence: confidence.nullable(), reasoning: known }),
  verifyEmail: answer({
    email: z.string(),
    status: z.enum(['valid', 'invalid', 'catch_all', 'disposable', 'role', 'unknown']),
    /** One sentence on how that was found out. */
    reason: z.string(),
    mx_host: known,
  }),
  validatePhone: answer({
    /** E.164; null when it cannot be a number. */
    phone: known,
    valid: z.boolean(),
    /** ISO 3166-1 alpha-2. */
    country: known,
    line_type: known,
  }),
} as const satisfies Record<string, z.ZodType>;

/** Names of the fast services that are no search of a directory. */
export type LookupName = keyof typeof LOOKUP_OUTPUTS;
