import type { ModelTool } from '../language-model.port.js';
import {
  CLAIM_FIELDS,
  isObject,
  NO_OBJECT,
  readSubmission,
  WEB_TOOLS,
  type SubmittedClaim,
} from '../research/research-tools.js';

/** Candidate as proposed by a model. */
export interface ProposedCandidate {
  name: string;
  url: string;
  page_id: string;
  quote: string;
}

/** Verdict as submitted by a model. */
export interface SubmittedVerdict {
  /** Number of the criterion, from 1. */
  criterion: number;
  holds: boolean;
  page_id: string;
  quote: string;
  reason?: string;
}

const CANDIDATES_MAX = 50;
const VERDICTS_MAX = 40;
const NAME_CHARACTERS_MAX = 200;
const text = (description: string) => ({ type: 'string', description });
const listOf = (properties: Readonly<Record<string, unknown>>, optional: readonly string[] = []) => ({
  type: 'array',
  items: {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  },
});

/** Tools of a model that searches candidates. */
export const FINDING_TOOLS: readonly ModelTool[] = [
  ...WEB_TOOLS,
  {
    name: 'propose',
    description:
      'Hands in candidates that pages name. Each is checked against the page and judged by itself.',
    parameters: {
      type: 'object',
      properties: {
        candidates: listOf({
          name: text('As the page writes it.'),
          url: text('Address of its own site or page, as the search or the page has given it.'),
          page_id: text('Id of the page that names it.'),
          quote: text(
            'At least 12 characters, copied from that page letter by letter, with the name in them.',
          ),
        }),
        done: { type: 'boolean', description: 'Whether no further candidate can be found.' },
      },
      required: ['candidates', 'done'],
      additionalProperties: false,
    },
  },
];

/** Tools of a model that evaluates one candidate. */
export const EVALUATION_TOOLS: readonly ModelTool[] = [
  ...WEB_TOOLS,
  {
    name: 'judge',
    description:
      'Hands in verdicts on criteria and values of fields, each with the words of a page that show it. What is refused may be handed in again with another quote.',
    parameters: {
      type: 'object',
      properties: {
        verdicts: listOf(
          {
            criterion: { type: 'integer', description: 'Number of the criterion.' },
            holds: {
              type: 'boolean',
              description: 'Whether the page says that it is so, or that it is not.',
            },
            page_id: text('Id of the page that says it.'),
            quote: text('At least 12 characters, copied from that page letter by letter, that show it.'),
            reason: text('One short sentence.'),
          },
          ['reason'],
        ),
        claims: listOf(CLAIM_FIELDS, ['reasoning']),
        done: { type: 'boolean', description: 'Whether nothing more can be found of this candidate.' },
      },
      required: ['verdicts', 'claims', 'done'],
      additionalProperties: false,
    },
  },
];

/** @returns the proposed candidates, or a sentence about their fault */
export function readProposal(input: unknown): { candidates: ProposedCandidate[]; done: boolean } | string {
  if (!isObject(input)) return NO_OBJECT;
  const { candidates = [], done } = input;
  if (!Array.isArray(candidates) || candidates.length > CANDIDATES_MAX)
    return `candidates must be a list of at most ${CANDIDATES_MAX}.`;
  if (!candidates.every(isCandidate))
    return 'Each candidate must have the texts name, url, page_id and quote.';
  return { candidates, done: done === true };
}

/** @returns the verdicts on a candidate, or a sentence about their fault */
export function readVerdicts(
  input: unknown,
): { verdicts: SubmittedVerdict[]; claims: SubmittedClaim[]; done: boolean } | string {
  if (!isObject(input)) return NO_OBJECT;
  const { verdicts = [], claims = [] } = input;
  const submission = readSubmission({ ...input, claims });
  if (typeof submission === 'string') return submission;
  if (!Array.isArray(verdicts) || verdicts.length > VERDICTS_MAX)
    return `verdicts must be a list of at most ${VERDICTS_MAX}.`;
  if (!verdicts.every(isVerdict))
    return 'Each verdict must have the number criterion, holds as true or false, and the texts page_id and quote.';
  return { verdicts, ...submission };
}

function isCandidate(each: unknown): each is ProposedCandidate {
  if (!isObject(each)) return false;
  const { name, url, page_id: page, quote } = each;
  const isText = [name, url, page, quote].every((one) => typeof one === 'string');
  return isText && String(name).trim() !== '' && String(name).length <= NAME_CHARACTERS_MAX;
}

function isVerdict(each: unknown): each is SubmittedVerdict {
  if (!isObject(each)) return false;
  const { criterion, holds, page_id: page, quote, reason } = each;
  const isText = typeof page === 'string' && typeof quote === 'string';
  const isReason = reason === undefined || typeof reason === 'string';
  return Number.isInteger(criterion) && typeof holds === 'boolean' && isText && isReason;
}
