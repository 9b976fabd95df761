import { tokenise } from './language/tokenise.js';

// Every word is compared with those after it, so reading is quadratic in the worst case: 50 ms of CPU time for this number.
// Typical prompts have about twenty tokens, and pasted lists a few hundred.
const TOKENS_MAX = 420;
const CHARACTERS_MAX = 8_000;

/**
 * Cuts a text to the length that can be read without delaying other tasks.
 * @returns the part that is read, and the rest; an empty rest when everything is read
 */
export function readablePart(text: string): { head: string; rest: string } {
  const tokens = tokenise(text.slice(0, CHARACTERS_MAX));
  const isLong = text.length > CHARACTERS_MAX;
  // The last token may be half of one.
  const first = tokens[TOKENS_MAX] ?? (isLong && tokens.length > 1 ? tokens.at(-1) : undefined);
  const end = first?.start ?? (isLong ? CHARACTERS_MAX : text.length);
  return { head: text.slice(0, end), rest: text.slice(end) };
}
