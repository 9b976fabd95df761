/** Maximum number of lines in which quotations are searched; a longer text is returned unchanged. */
const LINES_MAX = 5_000;
/** Maximum number of lines of the sentence that introduces a quotation. */
const ATTRIBUTION_LINES = 3;
const ATTRIBUTION_MAX = 400;

/** Sentences with which mail programs introduce a quotation. */
const ATTRIBUTIONS: readonly RegExp[] = [
  /^On .+ wrote:$/i,
  /^Am .+ schrieb(?: .+)?:$/i,
  /^Le .+ a écrit ?:$/i,
  /^El .+ escribió:$/i,
  /^Il .+ ha scritto:$/i,
  /^Op .+ schreef .+:$/i,
  /^Em (?:\S+ ){0,3}\d.* escreveu:$/i,
  /^W dniu (?:\S+ ){0,3}\d.* (?:napisał(?:\(a\)|a)?|pisze):$/i,
  /^(?:pon|wt|śr|czw|pt|sob|niedz)\.,? .+ napisał(?:\(a\)|a)?:$/i,
  /^Den (?:\S+ ){0,3}\d.* skrev .+:$/i,
  /^(?:man|tir|ons|tor|fre|lør|søn)\. .+ skrev .+:$/i,
];
/** Sentence that starts with a name, so it is only searched within one line. */
const NAMED_ATTRIBUTION = /^.+ schrieb am .+:$/i;
const SEPARATOR =
  /^\s*-{2,}\s*(?:original message|original-nachricht|ursprüngliche nachricht|forwarded message|weitergeleitete nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original|wiadomość oryginalna|ursprungligt meddelande|oprindelig meddelelse|opprinnelig melding)\s*-{2,}\s*$/i;
/** First line of the header block with which Outlook introduces a quotation; a time in it belongs to an appointment. */
const BLOCK_START =
  /^\s*\*?(?:from|von|de|da|van|od|från|fra)\s?:\*?\s+(?!(?:kl\.? ?)?\d{1,2}(?:[:.h]\d{2})?(?:\s?(?:h|am|pm|uhr))?\s*$)\S/i;
const BLOCK_LINE =
  /^\s*\*?(?:sent|gesendet|date|data|dato|datum|envoyé|enviad[ao](?: em)?|inviato|verzonden|wysłano|skickat|sendt|to|an|à|a|para|aan|do|till?|cc|dw|subject|betreff|objet|asunto|oggetto|onderwerp|assunto|temat|ämne|emne)\s?:\*?(?:\s|$)/i;
const RULE = /^\s*_{10,}\s*$/;

/**
 * Separates the text that a person wrote from the text it quotes. If nothing would be left, all of it counts as written.
 * @param text with any type of line breaks
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

/** @returns the line after a sentence such as "On Monday, Ada wrote:"; null when none starts here */
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

/** @returns the line after the part whose lines are quoted without a `>` marker */
function quotationEnd(lines: readonly string[], start: number): number {
  const body = attributionEnd(lines, start) ?? start + 1;
  const next = lines.slice(body).find((line) => line.trim() !== '');
  // The `>` markers show where the quotation ends: lines between and below them are written by the author.
  return next !== undefined && isMarked(next) ? body : lines.length;
}
