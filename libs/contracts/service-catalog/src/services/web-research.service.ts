import { z } from 'zod';
import type { SlowService } from '../service-definition.js';

const input = z.strictObject({
  question: z.string().trim().min(1).max(4000).describe('What to find out'),
  effort: z.enum(['low', 'medium', 'high']).optional().describe('Effort of the search; medium by default'),
  urls: z.array(z.string().max(2000)).max(20).optional().describe('Addresses of pages to start from'),
});
type Input = z.infer<typeof input>;

const PRICE = { low: 3000, medium: 6000, high: 12_000 } as const;
const priceOf = ({ effort = 'medium' }: Input): number => PRICE[effort];

export const webResearch: SlowService<Input> = {
  name: 'webResearch',
  mode: 'slow',
  title: 'Research a question on the web',
  description: 'Reads pages about a question and answers it, with sources.',
  category: 'research',
  queue: 'service-web-research',
  input,
  output: z.strictObject({
    found: z.boolean(),
    answer: z.string().nullable(),
    confidence: z.enum(['low', 'medium', 'high']).nullable(),
    sources: z.array(
      z.strictObject({
        url: z.string(),
        title: z.string().nullable(),
        excerpt: z.string().nullable(),
        retrieved_at: z.string(),
      }),
    ),
    provider: z.string(),
  }),
  examples: [{ question: 'Which markets did analytical.example enter last year?', effort: 'low' }],
  cellField: 'answer',
  promptPattern: /\b(?:research\w*|find out|investigat\w*|whether|what|why|who|how)\b/i,
  chargeRule: '3 credits with low effort, 6 with medium, 12 with high, for each finished research.',
  reuseSeconds: 0,
  pricedBy: ['effort'],
  price: { unit: 'call', hit: PRICE.medium, miss: PRICE.medium, max: PRICE.high },
  worstCase: priceOf,
  charge: priceOf,
  tooThin: () => null,
  reuseKey: () => null,
  deadlineMs: 300_000,
};
