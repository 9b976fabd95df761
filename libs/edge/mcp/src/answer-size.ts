/**
 * Maximum size in bytes of a tool result, text and structured content together. Source:
 * docs/contract.md#8-tools-for-agents.
 */
export const ANSWER_BYTES_MAX = 50_000;
/** Maximum size in bytes of a result's envelope, summary and hints. */
const FRAME_BYTES = 2_000;
/** Maximum size in bytes of the structured content, so that it fits with the envelope. */
const CONTENT_BYTES_MAX = ANSWER_BYTES_MAX - FRAME_BYTES;
/** Part of that reserved for a list's cursor and field names. */
const LIST_FRAME_BYTES = 1_000;

/** Part of that reserved for the sentence about the rest of a partial result, and its copy in the text. */
const PART_FRAME_BYTES = 1_000;
/** Maximum number of entries of other lists in a partial result. */
const ITEMS_BESIDE = 50;

/** Maximum length of a field that is never truncated: longer than a cursor or the message of a run. */
const FIELD_CHARACTERS_MAX = 2_048;

/** @returns the size of a value in bytes as transmitted */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** @returns how many of the first items fit next to the rest of the result; at least one */
export function countFitting(items: readonly unknown[], beside: unknown): number {
  let left = CONTENT_BYTES_MAX - LIST_FRAME_BYTES - bytesOf(beside);
  const end = items.findIndex((item) => (left -= bytesOf(item) + 1) < 0);
  return end === -1 ? items.length : Math.max(1, end);
}

/**
 * Truncates the longest texts of a result with a single item that is too large: a page's text, a row with long cells.
 * @param more sentence about how to read the rest
 * @returns the result with at most {@link CONTENT_BYTES_MAX} bytes
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
    // Only a result with very many keys is too large even without its texts and items; the product has none.
    if (characters === 0) return truncation;
  }
}

/** Part of a result that is too large to be read at once. */
export interface AnswerPart {
  answer: Record<string, unknown>;
  /** Range of items of its list, or of characters of its text, in this part; null when it is complete. */
  place: { unit: string; from: number; to: number; of: number } | null;
}

/**
 * Returns the part of an output from an offset that also fits into the text of a result, for clients that only show the
 * text: of its `items`, or of its `markdown`. Further parts contain only these, and other lists are truncated in the first
 * one.
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

/** @returns the largest number up to `most` that fits, 0 when none does; `fits` must be monotonic */
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
 * Truncates content of lists and objects. Fields of the result itself, such as its cursor, are preserved, and its own list
 * keeps its items: the cursor is the position after the last of them.
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

/** @returns the value with every text limited to `characters`, and every list to `items` */
function shortenValue(value: unknown, characters: number, items: number): unknown {
  if (typeof value === 'string') return cutText(value, characters);
  if (Array.isArray(value)) return value.slice(0, items).map((item) => shortenValue(item, characters, items));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shortenValue(inner, characters, items)]),
  );
}

/** @returns the text, or its first characters with an ellipsis */
export function cutText(text: string, characters: number): string {
  return text.length > characters ? `${withoutHalf(text.slice(0, characters))}…` : text;
}

/** Removes half of a surrogate pair at the end, which cannot be encoded as UTF-8. */
function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

/**
 * Returns the text of a result, for clients that only show the text: its JSON if that fits next to the structured content,
 * as the protocol recommends, else a summary.
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

/** Returns whether a result fits both as structured content and as text. */
function isRepeatedInText(answer: Record<string, unknown>, beside = 0): boolean {
  const json = JSON.stringify(answer);
  return Buffer.byteLength(json) + bytesOf(json) + beside <= CONTENT_BYTES_MAX;
}

function printValue(value: unknown): string {
  const text = String(value);
  return cutText(text, 120);
}
