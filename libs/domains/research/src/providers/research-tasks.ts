import { foldText } from '@quarry/vocabulary';
import { linkedInSlug, registrableDomain } from '@quarry/dto';
import type { BasisEntry, OutputSchema } from '@quarry/extraction';

type Input = Readonly<Record<string, unknown>>;
/** Evidence of a research, per field. */
export type Proofs = readonly BasisEntry[];

/**
 * Parses telephone numbers into a service result; `source` is their origin.
 * @returns null if none is an internationally dialable number
 */
export type ReadPhones = (numbers: ReadonlyArray<{ number: string }>, source: string) => object | null;

/** Research for a service. */
export interface ResearchTaskOf {
  /** Returns the prompt for the model. */
  prompt: (input: Input) => string;
  schema: OutputSchema;
  /** Returns the pages to start with. */
  urls: (input: Input) => readonly string[];
  /** Returns the maximum budget: pages and model calls cost 1, searches 0.5. */
  most: (input: Input) => number;
  timeMs: number;
  /** True if it runs only after other providers found nothing, and only if the input requests it. */
  isDeep: boolean;
  /** @returns the service's result except `found` and `provider`; null if nothing was found */
  answer: (proofs: Proofs, input: Input, readPhones: ReadPhones) => Record<string, unknown> | null;
}

/** Maximum budgets, like those of a Go run of the same effort. Source: docs/contract.md#6-go. */
const MOST = { low: 5, medium: 20, high: 60 } as const;
/** Time limit before the deadline of the service, so that the results so far are returned. */
const RESEARCH_MS = 270_000;
/** Shorter, because the other providers of the waterfall have used time before. */
const DEEP_MS = 60_000;
const DEEP_MOST = 12;
const CONFIDENCES = ['low', 'medium', 'high'] as const;

export const RESEARCH_TASKS: Readonly<Record<string, ResearchTaskOf>> = {
  webResearch: {
    prompt: ({ question }) => String(question),
    schema: {
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          description:
            'The words of a page that answer the question best, as they stand there: a name, a number, a sentence.',
        },
        details: {
          type: 'array',
          items: {
            type: 'string',
            description: 'A further sentence that belongs to the answer, as it stands on a page.',
          },
        },
      },
    },
    urls: ({ urls }) => (Array.isArray(urls) ? (urls as string[]) : []),
    most: ({ effort = 'medium' }) => MOST[effort as keyof typeof MOST],
    timeMs: RESEARCH_MS,
    isDeep: false,
    answer: outputOf,
  },
  getEmail: {
    prompt: (input) =>
      `Find the work e-mail address of ${personOf(input)}. It must be this person's own address, not that of a colleague or a general one.`,
    schema: {
      type: 'object',
      properties: { email: { type: 'string', format: 'email', description: 'The address of this person.' } },
    },
    urls: siteOf,
    most: () => DEEP_MOST,
    timeMs: DEEP_MS,
    isDeep: true,
    answer: emailFound,
  },
  getPhoneNumber: {
    prompt: (input) =>
      `Find a telephone number under which ${personOf(input)} can be called. It must be this person's own number, not that of a switchboard.`,
    schema: {
      type: 'object',
      properties: {
        phone: { type: 'string', description: 'The number as the page has it, with its country code.' },
      },
    },
    urls: siteOf,
    most: () => DEEP_MOST,
    timeMs: DEEP_MS,
    isDeep: true,
    answer: phoneFound,
  },
};

function outputOf(proofs: Proofs): Record<string, unknown> | null {
  const answered = proofs.filter(({ value }) => typeof value === 'string' && value !== '');
  if (answered.length === 0) return null;
  const places = answered.flatMap(({ citations }) => citations);
  const sources = places.filter(
    ({ url, excerpt }, i) => places.findIndex((each) => each.url === url && each.excerpt === excerpt) === i,
  );
  const sureness = answered.map(({ confidence }) => CONFIDENCES.indexOf(confidence ?? 'low'));
  return {
    answer: [...new Set(answered.map(({ value }) => String(value)))].join('\n'),
    confidence: CONFIDENCES[Math.min(...sureness)],
    sources,
  };
}

function emailFound(proofs: Proofs, input: Input): Record<string, unknown> | null {
  const proof = proofs.find(({ value }) => typeof value === 'string');
  const email = proof && String(proof.value).toLowerCase();
  if (!proof || !email || !isMailboxOf(namesOf(input), email, proof)) return null;
  const { domain } = input;
  // A personal address, or one of another company, is not a result.
  if (typeof domain === 'string' && registrableDomain(email.split('@')[1]!) !== registrableDomain(domain))
    return null;
  return { email, status: 'unverified', confidence: proof.confidence };
}

function phoneFound(proofs: Proofs, input: Input, readPhones: ReadPhones): Record<string, unknown> | null {
  const proof = proofs.find(({ value }) => typeof value === 'string');
  if (!proof || !standsBehind(namesOf(input), String(proof.value), proof, /\+?\d[\d\s().-]{6,}\d/g))
    return null;
  const found = readPhones([{ number: String(proof.value) }], new URL(proof.citations[0]!.url).hostname);
  return found && { ...found };
}

/** Names of the person, folded; for a profile, the first words of its URL. */
interface Names {
  first: string;
  last: string;
}

/**
 * Checks that an email address is this person's, because being on the page does not prove it. The mailbox must be built
 * from their names. If these are not in Latin letters, the address must directly follow them.
 */
function isMailboxOf({ first, last }: Names, email: string, proof: BasisEntry): boolean {
  const isLatin = /^[a-z]*$/.test(first + last);
  if (!isLatin) return standsBehind({ first, last }, email, proof, /[^\s@<>]+@[^\s@<>]+/g);
  const mailbox = foldText(email.split('@')[0]!).replace(/[^a-z]/g, '');
  const [f = '', l = ''] = [first[0], last[0]];
  const made = [first + last, last + first, f + last, last + f, first + l, l + first];
  if (first && last && made.includes(mailbox)) return true;
  if (last.length > 2 && mailbox === last) return true;
  // A first name alone is ambiguous: the last name must also be in the quote.
  return (
    first.length > 2 &&
    mailbox === first &&
    proof.citations.some(({ excerpt }) => wordsOf(excerpt).includes(last))
  );
}

/** @returns whether both names precede a value in a quote, without another value of its kind in between */
function standsBehind(
  { first, last }: Names,
  value: string,
  { citations }: BasisEntry,
  kind: RegExp,
): boolean {
  const isThere = (name: string, words: readonly string[]): boolean => name === '' || words.includes(name);
  return citations.some(({ excerpt }) => {
    const at = excerpt.toLowerCase().indexOf(value.toLowerCase());
    if (at < 0 || (first === '' && last === '')) return false;
    const before = excerpt.slice(0, at);
    const others = [...before.matchAll(kind)];
    const since =
      others.length === 0 ? before : before.slice(others.at(-1)!.index + others.at(-1)![0].length);
    const words = wordsOf(since);
    return isThere(first, words) && isThere(last, words);
  });
}

function namesOf({ first_name: first, last_name: last, linkedin_url: profile }: Input): Names {
  const whole = (name: unknown): string => (typeof name === 'string' ? wordsOf(name).join('') : '');
  if (whole(first) !== '' || whole(last) !== '') return { first: whole(first), last: whole(last) };
  const slug = linkedInSlug('people', typeof profile === 'string' ? profile : '') ?? '';
  const words = wordsOf(slug).filter((word) => /^\p{L}+$/u.test(word));
  return words.length === 1
    ? { first: '', last: words[0]! }
    : { first: words[0] ?? '', last: words[1] ?? '' };
}

function wordsOf(text: string): string[] {
  return foldText(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

function personOf({
  first_name: first,
  last_name: last,
  company,
  domain,
  linkedin_url: profile,
}: Input): string {
  const name = [first, last].filter(Boolean).join(' ') || `the person with the profile ${String(profile)}`;
  const at = company ?? domain;
  return at === undefined
    ? name
    : `${name}, who works for ${String(at)}${company && domain ? ` (${String(domain)})` : ''}`;
}

function siteOf({ domain }: Input): string[] {
  const host = typeof domain === 'string' ? registrableDomain(domain) : null;
  return host ? [`https://${host}/`] : [];
}
