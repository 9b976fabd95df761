import type { ModelTool } from '../language-model.port.js';

/** Claim as submitted by a model. */
export interface SubmittedClaim {
  field: string;
  value: unknown;
  page_id: string;
  quote: string;
  reasoning?: string;
}

/** Valid call of a web tool. */
type WebCall = { name: 'search'; query: string } | { name: 'fetch'; url: string };

const QUERY_CHARACTERS_MAX = 400;
const CLAIMS_MAX = 100;
const text = (description: string) => ({ type: 'string', description });

/** Tools with which a model uses the web. */
export const WEB_TOOLS: readonly ModelTool[] = [
  {
    name: 'search',
    description: 'Searches the web. Answers with addresses that may then be fetched.',
    parameters: {
      type: 'object',
      properties: { query: text('A few words.') },
      required: ['query'],
      additionalProperties: false,
    },
  },
  {
    name: 'fetch',
    description: 'Reads a page at an address that the user, a search or a page that was read has given.',
    parameters: {
      type: 'object',
      properties: { url: text('The address, exactly as it was given.') },
      required: ['url'],
      additionalProperties: false,
    },
  },
];

/** Fields of a model's claim. */
export const CLAIM_FIELDS = {
  field: text('JSON pointer into the output, such as /name or /items/0/price.'),
  value: { description: 'The value, of the type that the schema wants.' },
  page_id: text('Id of the page that says it.'),
  quote: text('At least 12 characters, copied from that page letter by letter, that contain the value.'),
  reasoning: text('One short sentence.'),
};

/** Tools of a model in research; there are no others. */
export const RESEARCH_TOOLS: readonly ModelTool[] = [
  ...WEB_TOOLS,
  {
    name: 'submit',
    description:
      'Hands in values with the words that prove them. Each is checked against the page; what is refused may be handed in again with another quote.',
    parameters: {
      type: 'object',
      properties: {
        claims: {
          type: 'array',
          items: {
            type: 'object',
            properties: CLAIM_FIELDS,
            required: ['field', 'value', 'page_id', 'quote'],
            additionalProperties: false,
          },
        },
        done: { type: 'boolean', description: 'Whether nothing more can be found.' },
      },
      required: ['claims', 'done'],
      additionalProperties: false,
    },
  },
];

/** @returns the call of a web tool, or a sentence about its fault; null for another tool */
export function readWebCall(name: string, input: unknown): WebCall | string | null {
  if (name !== 'search' && name !== 'fetch') return null;
  if (!isObject(input)) return NO_OBJECT;
  const { query, url } = input;
  if (name === 'fetch') return typeof url === 'string' ? { name, url } : 'url must be a text.';
  return typeof query === 'string' && query.trim() !== '' && query.length <= QUERY_CHARACTERS_MAX
    ? { name, query: query.trim() }
    : `query must be a text of 1 to ${QUERY_CHARACTERS_MAX} characters.`;
}

/** @returns the submitted claims, or a sentence about their fault */
export function readSubmission(input: unknown): { claims: SubmittedClaim[]; done: boolean } | string {
  if (!isObject(input)) return NO_OBJECT;
  const { claims, done } = input;
  if (!Array.isArray(claims) || claims.length > CLAIMS_MAX)
    return `claims must be a list of at most ${CLAIMS_MAX}.`;
  if (!claims.every(isClaim)) return 'Each claim must have the texts field, page_id and quote, and a value.';
  return { claims, done: done === true };
}

/** Reply to invalid arguments. */
export const NO_OBJECT = 'The arguments must be an object.';

export function isObject(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function isClaim(claim: unknown): claim is SubmittedClaim {
  if (typeof claim !== 'object' || claim === null) return false;
  const { field, page_id: page, quote, reasoning } = claim as Record<string, unknown>;
  const isText = [field, page, quote].every((each) => typeof each === 'string');
  return isText && 'value' in claim && (reasoning === undefined || typeof reasoning === 'string');
}
