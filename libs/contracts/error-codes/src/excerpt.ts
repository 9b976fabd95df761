/** Maximum length of an excerpt. Source: security decisions; a key or value of a request can be as long as its body. */
const EXCERPT_CHARACTERS_MAX = 200;

/**
 * Returns the part of a request's text that a response may contain.
 * @returns the text, or its first 200 characters with an ellipsis
 */
export function excerpt(text: string): string {
  if (text.length <= EXCERPT_CHARACTERS_MAX) return text;
  const cut = text.slice(0, EXCERPT_CHARACTERS_MAX - 1);
  // Half of a surrogate pair cannot be encoded as UTF-8.
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
