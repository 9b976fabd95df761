/** The most bytes of one result of a tool, text and structured content together. Source: docs/contract.md#8-tools-for-agents. */
export const ANSWER_BYTES_MAX = 50_000;
/** Bytes that the frame of a result, its summary and its hints take at most. */
const FRAME_BYTES = 2_000;
/** The structured content of a result: with its frame it still fits then. */
const CONTENT_BYTES_MAX = ANSWER_BYTES_MAX - FRAME_BYTES;
/** Of that, what the items of a list leave for its cursor and the names of its fields. */
const LIST_FRAME_BYTES = 1_000;

/** Of that, what the sentence about the rest of an answer and its twin in the text take. */
const PART_FRAME_BYTES = 1_000;
/** Entries of other lists beside such a part. */
const ITEMS_BESIDE = 50;

/** Longer than a cursor or the message of a run. */
const FIELD_CHARACTERS_MAX = 2_048;

/** @returns the bytes of a value as it goes over the wire */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** @returns how many items from the first on fit beside what the answer has anyway; at least one */
export function countFitting(items: readonly unknown[], beside: unknown): number {
  let left = CONTENT_BYTES_MAX - LIST_FRAME_BYTES - bytesOf(beside);
  const end = items.findIndex((item) => (left -= bytesOf(item) + 1) < 0);
  return end === -1 ? items.length : Math.max(1, end);
}

/**
 * Cuts the longest texts of an answer in which one thing alone is too large: a page's text, a row of wide cells.
 * @param more says how to read on
 * @returns the answer, at most {@link CONTENT_BYTES_MAX} bytes
 */
export function cutToSize(answer: Record<string, unknown>, more: string): Record<string, unknown> {
  if (bytesOf(answer) <= CONTENT_BYTES_MAX) return answer;
  const truncation = { truncated: true, more };
  const cutTo = (characters: number, items: number): Record<string, unknown> => ({
    ...cutWithin(answer, characters, items),
    ...truncation,
  });
  for (let characters = 32_768; ; characters >>= 1) {
    const items = mostThat(1_000, (count) => bytesOf(cutTo(characters, count)) <= CONTENT_BYTES_MAX);
    if (items > 0) return cutTo(characters, items);
    // Only an answer with very many keys is too large even without its texts and items; the product has none.
    if (characters === 0) return truncation;
  }
}

/** A part of an answer that is too large to be read at once. */
export interface AnswerPart {
  answer: Record<string, unknown>;
  /** Items of its list, or characters of its text, that are shown; null where it is whole. */
  place: { unit: string; from: number; to: number; of: number } | null;
}

/**
 * Returns the part of an output from a place on that a client can read which shows the text of a result only: of its `items`, or of
 * its `markdown`. Further parts have these alone, and other lists of the first one end early.
 */
export function partOf(
  output: Record<string, unknown>,
  from: number,
  answerWith: (output: Record<string, unknown>) => Record<string, unknown>,
): AnswerPart {
  const [name, unit] = Array.isArray(output.items) ? ['items', 'items'] : ['markdown', 'characters'];
  const whole = output[name] as unknown[] | string | undefined;
  if (whole === undefined || (from === 0 && isRepeatedInText(answerWith(output))))
    return { answer: answerWith(output), place: null };
  const beside = from === 0 ? (shortenValue(output, FIELD_CHARACTERS_MAX, ITEMS_BESIDE) as object) : {};
  const partUpTo = (to: number): Record<string, unknown> =>
    answerWith({ ...beside, [name]: whole.slice(from, to) });
  const left = Math.max(0, whole.length - from);
  const most = Math.min(left, CONTENT_BYTES_MAX);
  const fitting = mostThat(most, (count) => isRepeatedInText(partUpTo(from + count), PART_FRAME_BYTES));
  const count = Math.min(left, Math.max(1, fitting));
  const to = from + (typeof whole === 'string' ? withoutHalf(whole.slice(from, from + count)).length : count);
  return { answer: partUpTo(to), place: { unit, from, to, of: whole.length } };
}

/** @returns the largest number up to a most that fits, 0 when none does; what fits, fits with less, too */
function mostThat(most: number, fits: (count: number) => boolean): number {
  let least = 0;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  return least;
}

/**
 * Cuts what is in lists and objects. Fields of the answer itself, such as its cursor, stay whole, and its own list keeps its
 * items: the cursor stands behind the last of them.
 */
function cutWithin(
  answer: Record<string, unknown>,
  characters: number,
  items: number,
): Record<string, unknown> {
  const cut = (value: unknown): unknown => {
    if (typeof value === 'string')
      return shortenValue(value, Math.max(characters, FIELD_CHARACTERS_MAX), items);
    if (Array.isArray(value)) return value.map((item) => shortenValue(item, characters, items));
    return shortenValue(value, characters, items);
  };
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, cut(value)]));
}

/** @returns the value with every text cut to so many characters, and every list to so many items */
function shortenValue(value: unknown, characters: number, items: number): unknown {
  if (typeof value === 'string') return cutText(value, characters);
  if (Array.isArray(value)) return value.slice(0, items).map((item) => shortenValue(item, characters, items));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shortenValue(inner, characters, items)]),
  );
}

/** @returns the text, or so many of its characters with an ellipsis */
export function cutText(text: string, characters: number): string {
  return text.length > characters ? `${withoutHalf(text.slice(0, characters))}…` : text;
}

/** Half of a surrogate pair cannot be written as UTF-8. */
function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

/**
 * Returns the text of a result, for clients that show the text only: its JSON where that fits beside the structured content, as the
 * protocol asks for, else what it holds.
 */
export function textOf(answer: Record<string, unknown>): string {
  if (isRepeatedInText(answer)) return JSON.stringify(answer);
  const parts = Object.entries(answer).map(([key, value]) =>
    Array.isArray(value)
      ? `${key}: ${value.length}`
      : typeof value === 'object'
        ? key
        : `${key}: ${printValue(value)}`,
  );
  return `${parts.join(', ')}. The full answer is in structuredContent; to get it here as text, ask for less (a smaller limit, fewer columns).`;
}

/** Returns whether an answer fits both as structured content and as text. */
function isRepeatedInText(answer: Record<string, unknown>, beside = 0): boolean {
  const json = JSON.stringify(answer);
  return Buffer.byteLength(json) + bytesOf(json) + beside <= CONTENT_BYTES_MAX;
}

function printValue(value: unknown): string {
  const text = String(value);
  return cutText(text, 120);
}
