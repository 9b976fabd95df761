import { foldText } from '@quarry/vocabulary';
import { linkedInSlug, registrableDomain } from '@quarry/dto';
import type { BasisEntry, OutputSchema } from '@quarry/extraction';

type Input = Readonly<Record<string, unknown>>;
/** Proofs of a research, field by field. */
export type Proofs = readonly BasisEntry[];

/**
 * Reads telephone numbers as a service answers them; `source` is who says so.
 * @returns null when none is a number that can be called from abroad
 */
export type ReadPhones = (numbers: ReadonlyArray<{ number: string }>, source: string) => object | null;

/** Research that answers a service. */
export interface ResearchTaskOf {
  /** Returns the question to the model. */
  prompt: (input: Input) => string;
  schema: OutputSchema;
  /** Pages to begin with. */
  urls: (input: Input) => readonly string[];
  /** Most that it may use: pages and calls of the model count 1, searches 0.5. */
  most: (input: Input) => number;
  timeMs: number;
  /** It goes on where others have found nothing, and only where the input asks for it. */
  isDeep: boolean;
  /** @returns the service's answer beside `found` and `provider`; null where nothing was found */
  answer: (proofs: Proofs, input: Input, readPhones: ReadPhones) => Record<string, unknown> | null;
}

/** Source: docs/contract.md#6-go: what a Go run of the same effort may spend. */
const MOST = { low: 5, medium: 20, high: 60 } as const;
/** Ends before the deadline of the service, so that what is proved by then is told. */
const RESEARCH_MS = 270_000;
/** The others of a waterfall have had their time before it. */
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
  // A private address, or one of another company, is no find.
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

/** Names of the person, folded; of a profile the first words of its address. */
interface Names {
  first: string;
  last: string;
}

/**
 * That an address stands on a page does not make it this person's. Its mailbox has to be made of their names; one of names that are
 * not written in Latin letters has to stand right behind them.
 */
function isMailboxOf({ first, last }: Names, email: string, proof: BasisEntry): boolean {
  const isLatin = /^[a-z]*$/.test(first + last);
  if (!isLatin) return standsBehind({ first, last }, email, proof, /[^\s@<>]+@[^\s@<>]+/g);
  const mailbox = foldText(email.split('@')[0]!).replace(/[^a-z]/g, '');
  const [f = '', l = ''] = [first[0], last[0]];
  const made = [first + last, last + first, f + last, last + f, first + l, l + first];
  if (first && last && made.includes(mailbox)) return true;
  if (last.length > 2 && mailbox === last) return true;
  // A first name alone is that of many: the last name must stand in the quote, too.
  return (
    first.length > 2 &&
    mailbox === first &&
    proof.citations.some(({ excerpt }) => wordsOf(excerpt).includes(last))
  );
}

/** @returns whether both names stand before a value in a quote, and no other value of its kind between them */
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
