/** White space, and invisible characters of Unicode: zero-width ones, marks of the text direction, soft hyphens. */
const UNSEEN = /^[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069]+/;

/**
 * Removes white space and invisible characters around a text. Programs add them to copied text, for example marks of the
 * text direction around a telephone number, so that two texts differ although they look the same.
 */
export function trimPasted(text: string): string {
  return trimPastedEnd(text.replace(UNSEEN, ''));
}

/** Removes white space and invisible characters from the end of a text. */
export function trimPastedEnd(text: string): string {
  let end = text.length;
  // Not by a pattern, which would start anew at each invisible character of a long text.
  while (end > 0 && UNSEEN.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}
