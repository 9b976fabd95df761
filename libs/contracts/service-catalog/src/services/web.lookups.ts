import { readObjectSchema } from '@quarry/dto';
import { z } from 'zod';
import {
  answer,
  confidence,
  known,
  limit,
  list,
  defineLookup,
  object,
  page,
  query,
  text,
  time,
  url,
} from './lookup.js';

// Services about pages, news and texts. Fields, and which are null: docs/contract.md#5-services-jobs-credits, Outputs of
// the fast services.

export const webSearch = defineLookup({
  title: 'Search the web',
  description: 'Finds web pages that match a query.',
  category: 'web',
  input: query,
  output: list(page),
  example: { query: 'quarry machines' },
  cellField: 'items.url',
  promptPattern: /\b(?:web ?search\w*|search results?|google)\b/i,
  hit: 500,
  miss: 500,
});

export const newsSearch = defineLookup({
  title: 'Search the news',
  description: 'Finds news that match a query.',
  category: 'web',
  input: query,
  output: list(page),
  example: { query: 'analytical engines' },
  cellField: 'items.title',
  promptPattern: /\b(?:news|headlines?|press)\b/i,
  hit: 500,
  miss: 500,
});

export const scrapeUrl = defineLookup({
  title: 'Read a page',
  description: 'Reads a web page as text.',
  category: 'web',
  input: {
    ...url,
    render: z
      .boolean()
      .optional()
      .describe(
        'Run the scripts of the page in a browser first, for pages that are empty without them; the operator must have configured one',
      ),
  },
  output: answer({
    /** Final address, after all redirects. */
    url: z.string(),
    status: z.int(),
    title: known,
    description: known,
    /** Language tag that the page declares, such as `en`. */
    language: known,
    markdown: z.string(),
    links: z.array(z.strictObject({ url: z.string(), text: z.string() })),
    metadata: z.record(z.string(), z.string()),
    retrieved_at: time,
  }),
  example: { url: 'https://analytical.example' },
  cellField: 'markdown',
  promptPattern: /\b(?:scrap\w+|(?:web)?(?:page|site) (?:text|content)s?|home ?pages?)\b/i,
  hit: 1000,
  miss: 0,
});

export const mapWebsite = defineLookup({
  title: 'Map a website',
  description: 'Lists the pages of a website.',
  category: 'web',
  input: { ...url, limit },
  output: list({ url: z.string(), title: known, last_modified: known }),
  example: { url: 'https://analytical.example' },
  cellField: 'items.url',
  promptPattern: /\b(?:site ?maps?|pages of (?:the|their|its) (?:web)?site)\b/i,
  hit: 500,
  miss: 500,
});

const objectSchema = object.superRefine((schema, ctx) => {
  for (const { path, message } of readObjectSchema(schema).faults)
    ctx.addIssue({ code: 'custom', path, message });
});

export const extractData = defineLookup({
  title: 'Extract data from pages',
  description: 'Extracts data from pages into the fields of a JSON Schema.',
  category: 'web',
  input: { urls: z.array(text).min(1).max(20), schema: objectSchema, prompt: text.optional() },
  output: answer({
    data: z.unknown(),
    /** One entry per leaf of the schema. Source: docs/contract.md#6-go. */
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
  example: {
    urls: ['https://analytical.example'],
    schema: { type: 'object', properties: { name: { type: 'string' } } },
  },
  cellField: 'data',
  promptPattern: /\bextract\w*\b/i,
  hit: 3000,
  miss: 0,
});

export const classifyText = defineLookup({
  title: 'Classify a text',
  description: 'Picks the label that fits a text best.',
  category: 'research',
  input: { text: z.string().min(1).max(20_000), labels: z.array(text).min(2).max(50) },
  output: answer({ label: known, confidence: confidence.nullable(), reasoning: known }),
  example: { text: 'We build engines for industry.', labels: ['industry', 'retail'] },
  cellField: 'label',
  promptPattern: /\b(?:classif\w*|categor\w*|labels?|labelled|whether)\b/i,
  hit: 500,
  miss: 500,
});
