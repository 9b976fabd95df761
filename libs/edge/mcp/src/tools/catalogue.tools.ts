import { SERVICES_RPC } from '@quarry/dto';
import { countFitting } from '../answer-size.js';
import type { ToolCall } from '../tool-call.js';
import { defineTool, EFFECTS, FREE } from '../tool.js';
import { args, cursor, id, limit } from './arguments.js';
import { z } from 'zod';

/** Larger than the catalogue: it is searched here, by words. */
const CATALOGUE_MAX = 1000;

interface Summary {
  name: string;
  title: string;
  description: string;
  category: string;
  [field: string]: unknown;
}

export const serviceDiscover = defineTool({
  ...FREE,
  name: 'service_discover',
  title: 'Find a data service',
  description:
    'Searches the catalogue of data services (find an e-mail address or telephone number, search companies and people, enrich, scrape, verify), or reads one (as the only item) with its input schema, examples and price. Start here. Fast services answer at once (service_execute), slow ones work on lists (service_batch_execute). Free.',
  input: args({
    query: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('What you are looking for, such as "e-mail of a person".'),
    service: id('Name of one service, to read its schemas.').optional(),
    mode: z.enum(['fast', 'slow']).optional(),
    limit: limit(50, 10),
    cursor,
  }),
  effects: EFFECTS.reads,
  style: 'services',
  holdsForeignText: false,
  async run({ query, service, mode, limit: most, cursor: from }, call) {
    if (service !== undefined)
      return {
        items: [await call.readRpc(SERVICES_RPC.getService, { name: service })],
        next_cursor: null,
        truncated: false,
      };
    const of = { query: query ?? null, mode: mode ?? null };
    const all = rankServices(await readCatalogue(call, mode ?? null), query);
    const position = call.cursors.positionOf(call.ctx, 'service_discover', of, from);
    const page = all.slice(position, position + most).map(briefOf);
    const end = position + countFitting(page, {});
    return {
      items: page.slice(0, end - position),
      next_cursor: end < all.length ? call.cursors.cursorAt(call.ctx, 'service_discover', of, end) : null,
      truncated: end - position < page.length,
    };
  },
});

export const serviceEstimate = defineTool({
  ...FREE,
  name: 'service_estimate',
  title: 'Estimate a list',
  description:
    'Estimates the cost of a list of inputs for a slow service, how many lines already have an answer, and what can be spent: min and max credits, new_lines, reused_lines, rejected_lines, affordable, remaining. Call it before service_batch_execute. Free.',
  input: args({
    service: id('Name of a slow service.'),
    inputs: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .max(100)
      .describe('Matches the input schema of the service.'),
  }),
  effects: EFFECTS.reads,
  style: 'services',
  holdsForeignText: false,
  async run({ service, inputs }, call) {
    const estimate = await call.readRpc(SERVICES_RPC.estimate, { service, inputs });
    const { remaining } = await call.readRpc(SERVICES_RPC.getCredits, {});
    return { ...estimate, remaining };
  },
});

async function readCatalogue(call: ToolCall, mode: 'fast' | 'slow' | null): Promise<Summary[]> {
  const { items } = await call.readRpc(SERVICES_RPC.listServices, {
    limit: CATALOGUE_MAX,
    offset: 0,
    q: null,
    mode,
  });
  return items as Summary[];
}

/** Ranks services by the number of matching words: the route matches literally, but a model uses words of its own. */
function rankServices(services: Summary[], query: string | undefined): Summary[] {
  if (query === undefined) return services;
  const words = foldWords(query).filter((word) => word.length > 2);
  const hits = ({ name, title, description, category }: Summary): number => {
    const text = foldWords(
      `${name.replace(/(?=[A-Z])/g, ' ')} ${name} ${title} ${description} ${category}`,
    ).join(' ');
    return words.filter((word) => text.includes(word)).length;
  };
  return services
    .map((service) => ({ service, found: hits(service) }))
    .filter(({ found }) => found > 0)
    .sort((a, b) => b.found - a.found)
    .map(({ service }) => service);
}

/** Returns words without inflection: "e-mails" becomes "email", and "addresses" "address". */
function foldWords(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/-/g, '')
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/(ies|(?<=ss|x|ch|sh)es|(?<!s)s)$/, ''))
    .filter((word) => word !== '');
}

function briefOf({ name, title, description, category, mode, available, price }: Summary) {
  return { name, title, description, category, mode, available, price };
}
