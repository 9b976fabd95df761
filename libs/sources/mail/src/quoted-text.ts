/** Lines of a text that are looked at; what is longer is kept as it is. */
const LINES_MAX = 5_000;
/** A sentence that begins a quotation may be broken over so many lines. */
const ATTRIBUTION_LINES = 3;
const ATTRIBUTION_MAX = 400;

/** Lines by which mail programs begin a quotation. */
const ATTRIBUTIONS: readonly RegExp[] = [
  /^On .+ wrote:$/i,
  /^Am .+ schrieb(?: .+)?:$/i,
  /^Le .+ a écrit ?:$/i,
  /^El .+ escribió:$/i,
  /^Il .+ ha scritto:$/i,
  /^Op .+ schreef .+:$/i,
];
/** Begins with a name, so it is looked for within one line only. */
const NAMED_ATTRIBUTION = /^.+ schrieb am .+:$/i;
const SEPARATOR =
  /^\s*-{2,}\s*(?:original message|original-nachricht|ursprüngliche nachricht|forwarded message|weitergeleitete nachricht|message d'origine|mensaje original)\s*-{2,}\s*$/i;
/** The block of headers that Outlook quotes with. */
const BLOCK_START = /^\s*\*?(?:from|von|de)\s?:\*?\s+\S/i;
const BLOCK_LINE =
  /^\s*\*?(?:sent|gesendet|date|datum|envoyé|to|an|à|cc|subject|betreff|objet|enviado|para|asunto)\s?:\*?(?:\s|$)/i;
const RULE = /^\s*_{10,}\s*$/;

/**
 * Separates what a person has written from what it quotes. When nothing would be left, all of it counts as written.
 * @param text with any kind of line breaks
 */
export function splitQuoted(text: string): { text: string; quoted: string | null } {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const whole = { text: lines.join('\n').trim(), quoted: null };
  if (lines.length > LINES_MAX) return whole;
  const start = lines.findIndex((_, at) => beginsQuotation(lines, at));
  const end = start < 0 ? start : quotationEnd(lines, start);
  const isQuoted = (line: string, at: number): boolean => isMarked(line) || (at >= start && at < end);
  const own = lines.filter((line, at) => !isQuoted(line, at));
  const quoted = lines.filter(isQuoted);
  const written = own.join('\n').trim();
  if (written === '' || quoted.length === 0) return whole;
  return { text: written.replace(/\n{3,}/g, '\n\n'), quoted: quoted.join('\n').trim() };
}

const isMarked = (line: string): boolean => line.startsWith('>');

function beginsQuotation(lines: readonly string[], at: number): boolean {
  const line = lines[at]!;
  if (SEPARATOR.test(line)) return true;
  if (RULE.test(line)) return isBlock(lines, at + 1);
  return isBlock(lines, at) || attributionEnd(lines, at) !== null;
}

function isBlock(lines: readonly string[], at: number): boolean {
  if (!BLOCK_START.test(lines[at] ?? '')) return false;
  return lines.slice(at + 1, at + 6).filter((line) => BLOCK_LINE.test(line)).length >= 2;
}

/** @returns the line after a sentence such as "On Monday, Ada wrote:"; null when none begins here */
function attributionEnd(lines: readonly string[], at: number): number | null {
  if (NAMED_ATTRIBUTION.test(lines[at]!.slice(0, ATTRIBUTION_MAX))) return at + 1;
  let sentence = '';
  for (const [offset, line] of lines.slice(at, at + ATTRIBUTION_LINES).entries()) {
    if (line.trim() === '' || isMarked(line)) return null;
    sentence = `${sentence} ${line.trim()}`.trimStart();
    if (sentence.length > ATTRIBUTION_MAX) return null;
    if (ATTRIBUTIONS.some((form) => form.test(sentence))) return at + offset + 1;
  }
  return null;
}

/** @returns the line after the part whose lines are quoted without being marked */
function quotationEnd(lines: readonly string[], start: number): number {
  const body = attributionEnd(lines, start) ?? start + 1;
  const next = lines.slice(body).find((line) => line.trim() !== '');
  // A quotation with marked lines shows where it ends: answers below and between them are their writer's own.
  return next !== undefined && isMarked(next) ? body : lines.length;
}
