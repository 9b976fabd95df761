import { z } from 'zod';
import { answer, confidence, domain, known, limit, list, defineLookup, text } from './lookup.js';
import { COMPANY_PROFILE } from './profile.outputs.js';

// Services about companies and their domains. Fields, and which are null: docs/contract.md#5-services-jobs-credits, Outputs
// of the fast services.

export const findDomain = defineLookup({
  title: 'Find the domain of a company',
  description: 'Finds the web domain of a company from its name.',
  category: 'company',
  input: { company: text },
  output: answer({ domain: known, confidence: confidence.nullable() }),
  example: { company: 'Ormont' },
  cellField: 'domain',
  promptPattern: /\b(?:domains?|websites?)\b/i,
  hit: 500,
  miss: 0,
});

export const domainInfo = defineLookup({
  title: 'Look up a domain',
  description: 'Returns what is registered and served at a domain.',
  category: 'company',
  input: domain,
  output: answer({
    domain: z.string(),
    registered_at: known,
    expires_at: known,
    registrar: known,
    nameservers: z.array(z.string()),
    mx: z.array(z.strictObject({ priority: z.int(), host: z.string() })),
    spf: known,
    dmarc: known,
    /** Null when unknown. */
    has_website: z.boolean().nullable(),
    title: known,
  }),
  example: { domain: 'analytical.example' },
  cellField: 'registered_at',
  promptPattern: /\b(?:domains?|dns|registrars?|whois|mx|spf|dmarc|name ?servers?|mail servers?)\b/i,
  hit: 100,
  miss: 100,
});

export const detectTech = defineLookup({
  title: 'Detect technologies',
  description: 'Detects the technologies that a website uses.',
  category: 'company',
  input: domain,
  output: list({ name: z.string(), category: z.string(), evidence: z.string() }),
  example: { domain: 'analytical.example' },
  cellField: 'items.name',
  promptPattern: /\b(?:tech\w*|stack|cms)\b/i,
  hit: 500,
  miss: 500,
});

export const enrichCompany = defineLookup({
  title: 'Enrich a company',
  description: 'Returns what is known about a company.',
  category: 'company',
  input: { domain: text.optional(), linkedin_url: text.optional(), name: text.optional() },
  output: answer(COMPANY_PROFILE),
  example: { domain: 'analytical.example' },
  cellField: 'name',
  promptPattern: /\b(?:enrich\w*|firmographics?)\b/i,
  hit: 1000,
  miss: 0,
});

export const getJobPostings = defineLookup({
  title: 'Open positions',
  description: 'Lists the open positions of a company.',
  category: 'company',
  input: { ...domain, limit },
  output: list({
    title: z.string(),
    url: z.string(),
    location: known,
    department: known,
    posted_at: known,
    board: z.string(),
  }),
  example: { domain: 'ormont.example' },
  cellField: 'items.title',
  promptPattern: /\b(?:job\w*|open (?:positions?|roles?)|openings?|vacanc\w+)\b/i,
  hit: 1000,
  miss: 0,
});

export const findEmailPattern = defineLookup({
  title: 'Find an e-mail pattern',
  description: 'Finds the pattern of the e-mail addresses of a company.',
  category: 'contact',
  input: domain,
  output: answer({
    /** Pattern with `{first}`, `{last}`, `{f}` and `{l}` for names and their initials, such as `{first}.{last}`. */
    pattern: known,
    confidence: confidence.nullable(),
    examples: z.array(z.string()),
  }),
  example: { domain: 'analytical.example' },
  cellField: 'pattern',
  promptPattern: /\b(?:e-?mail|address) (?:patterns?|formats?|schemes?)\b/i,
  hit: 500,
  miss: 0,
});

export const findSocials = defineLookup({
  title: 'Find social profiles',
  description: 'Finds the social profiles of a company.',
  category: 'company',
  input: domain,
  output: answer({
    linkedin_url: known,
    x_url: known,
    facebook_url: known,
    instagram_url: known,
    youtube_url: known,
    github_url: known,
    tiktok_url: known,
  }),
  example: { domain: 'analytical.example' },
  cellField: 'linkedin_url',
  promptPattern:
    /\b(?:socials?|social (?:media|profiles?|accounts?)|twitter|facebook|instagram|youtube|github|tiktok)\b/i,
  hit: 200,
  miss: 200,
});
