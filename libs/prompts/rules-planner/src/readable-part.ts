import { tokenise } from './language/tokenise.js';

// Every word is compared with those behind it, so reading costs the square of their number in the worst case: 50 ms for these
// on one core. Prompts that people write have some twenty tokens, and pasted lists some hundreds.
const TOKENS_MAX = 420;
const CHARACTERS_MAX = 8_000;

/**
 * Cuts a text where reading it would begin to take others' time.
 * @returns the part that is read, and what follows it; an empty text where all is read
 */
export function readablePart(text: string): { head: string; rest: string } {
  const tokens = tokenise(text.slice(0, CHARACTERS_MAX));
  const isLong = text.length > CHARACTERS_MAX;
  // The last token may be half of one.
  const first = tokens[TOKENS_MAX] ?? (isLong && tokens.length > 1 ? tokens.at(-1) : undefined);
  const end = first?.start ?? (isLong ? CHARACTERS_MAX : text.length);
  return { head: text.slice(0, end), rest: text.slice(end) };
}
