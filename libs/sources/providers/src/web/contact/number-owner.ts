import { foldWord } from '@quarry/directory';
import type { NumberLine } from '../pages/page.js';
import { isTitle } from './person-name.js';

/** Words before a number of one person's telephone. What is not among them is no telephone, or not known to be one person's. */
const PHONE_WORDS = new Set(
  `t p m tel tele telefon telefono telefone telefoon telephone phone fon ph direct directe directo diretto direkt direktwahl direktnummer
  durchwahl dw line ligne linea linia mobile mobil mobiel movil mobiltelefon mobilnummer handy cell cellphone cellulare cel celular portable
  gsm kom komorkowy komorka telefonszam mob mobiltlf tlf tlfn puh puhelin matkapuhelin number nummer numero nr no whatsapp and und
  icon call me`.split(/\s+/),
);
/** Words that alone say nothing of a telephone. */
const HALF_WORDS = new Set([
  'nr',
  'no',
  'number',
  'nummer',
  'numero',
  'and',
  'und',
  'me',
  'icon',
  'line',
  'linea',
]);
/** Words of tasks, which are written like names in some languages. */
const TASK =
  /(officer|partner|director|manager|head|lead|chief|president|founder|owner|engineer|develop|design|sales|market|account|consult|advis|analyst|architect|counsel|associat|coordinat|specialist|support|service|research|operation|finance|legal|human|resource|product|project|business|team|department|office|leit|führer|führung|vertrieb|verkauf|einkauf|buchhalt|personal|technik|entwick|berat|anwalt|direct|direkt|respons|gerent|ventas|compras|commerc|kierownik|dyrektor|prezes|ufficio|amminist|vendite|contab|compta|gestion|chef|secret|vorstand|inhaber|professor|lecturer|editor|trainer|agent|broker|phone|telefon|mobil|e-?mail|contact|kontakt|our|your|meet|the|gmbh|ltd|inc|llc|srl|sarl)/i;
const PARTICLES = new Set(
  'von van vom zu zur de der den di da do du des del della dei la le ter ten dos das y af av bin ibn al el st freiherr graf'.split(
    ' ',
  ),
);
const NAME_WORD = /^\p{Lu}(?:[\p{L}\p{M}'’-]*\.?)$/u;
const NAME_WORDS_MAX = 6;
/** It is looked for from the start of each word only: from within one it takes the square of its length. */
const EMAIL = /(?<!\S)\S+(?:@|\s?[([{](?:at|ät)[)\]}]\s?)\S+/giu;
/** What parts one thing from the next in a line. */
const BETWEEN = /[,;|•·–—()[\]]|\s[-/]\s|:(?=\s|$)/;
/** A line of a card that has another number, of a fax or the office, and says nothing of the next one. */
const OTHER_LINE = /^(?:tele)?(?:fax|office|büro)[.:]?\s*[+(\d][\d\s()./-]{5,30}$/i;
/** A line of a card is no sentence. */
const LINE_WORDS_MAX = 14;
/** Figures that are written like numbers and are none: dates, years, coordinates. */
const NO_NUMBER =
  /^(?:\d{1,2}[./-]\s?\d{1,2}[./-]\s?\d{2,4}|(?:19|20)\d\d[./-]\d{1,2}[./-]\d{1,2}|(?:19|20)\d\d\s?[-–/]\s?(?:19|20)\d\d|\d{1,3}\.\d{3,})$/;

/**
 * Judges whether the text around a number says that it is one person's telephone: its line, or the lines above it in the same card, name
 * one person, and the words right before it, if any, are of a telephone. A line that may name a second one tells of nobody.
 * @param text the number as it is written
 * @returns words from the name to the number, at most 300 characters; null where they do not say so
 */
export function ownerWords(text: string, { before, after, column, above }: NumberLine): string | null {
  if (NO_NUMBER.test(text) || !isEndOf(after)) return null;
  if (column !== null && !isPhoneLabel(column)) return null;
  const { label, rest } = labelled(before);
  let isLabelled = column !== null || label !== '';
  if (label !== '' && !isPhoneLabel(label)) return null;
  const own = thingsIn(rest).filter((thing) => !isPhoneLabel(thing));
  if (own.length > 0) return isCard(own) && isPhone(text, isLabelled) ? wordsOf([rest], before) : null;
  const passed: string[] = [];
  for (const [at, line] of above.entries()) {
    const things = thingsIn(line.text);
    // A label in a line of its own is that of the line below.
    if (at === 0 && !isLabelled && things.length > 0 && things.every(isPhoneLabel)) {
      isLabelled = true;
      continue;
    }
    if (isName(things[0] ?? '') || isReversed(things)) {
      const upper = above[at + 1];
      const isShared =
        upper && (upper.isSameBlock || !line.isSameBlock) && isName(thingsIn(upper.text)[0] ?? '');
      const card = [...things, ...passed.toReversed().flatMap(thingsIn)];
      return !isShared && isCard(card) && isPhone(text, isLabelled)
        ? wordsOf([line.text, ...passed.toReversed()], before)
        : null;
    }
    if (line.isHeading || /:\s*$/.test(line.text) || line.text.split(' ').length > LINE_WORDS_MAX)
      return null;
    if (!OTHER_LINE.test(line.text)) passed.push(line.text);
  }
  return null;
}

function wordsOf(lines: readonly string[], before: string): string {
  return [...lines, ...(lines.includes(before) ? [] : [before])]
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300);
}

/** Without a label it has to look like one: a figure without a sign in it may be anything. */
function isPhone(text: string, isLabelled: boolean): boolean {
  return isLabelled || /^(?:\+|0|\()/.test(text) || /\d[\s./()-]+\d/.test(text);
}

/** The words right before a number, and what stands before them. */
function labelled(before: string): { label: string; rest: string } {
  const text = before.replace(EMAIL, ', ').trimEnd().replace(/:$/, '');
  const words = text.split(/(?<=[\s:,;|•·–—()])/);
  let at = words.length;
  while (at > 0 && (/^[\s.:/–—-]*$/.test(words[at - 1]!) || isPhoneWord(words[at - 1]!))) at -= 1;
  const rest = words.slice(0, at).join('').trim();
  const label = words
    .slice(at)
    .join('')
    .replace(/[\s.:/–—-]+$/, '')
    .trim();
  // "Order 1234": a word that is no part of a name and stands right before the number is its label.
  const last = text.split(BETWEEN).at(-1)!.trim();
  if (label === '' && last !== '' && !/\d\W*$/.test(last) && !isName(last)) return { label: last, rest };
  return { label, rest };
}

function isPhoneWord(word: string): boolean {
  return PHONE_WORDS.has(bare(word));
}

function isPhoneLabel(text: string): boolean {
  const words = text
    .split(/[\s.:/,–—()-]+/)
    .filter(Boolean)
    .map(bare);
  return (
    words.length > 0 &&
    words.every((word) => PHONE_WORDS.has(word)) &&
    words.some((word) => !HALF_WORDS.has(word))
  );
}

function bare(word: string): string {
  return foldWord(word.replace(/[^\p{L}\p{M}]/gu, ''));
}

/** Behind a number its line ends, or something else begins that is no extension of it. */
function isEndOf(after: string): boolean {
  const text = after.replace(EMAIL, ', ').trim();
  if (/^[,;(|–—\s-]*(?:ext|extension|x|int|interno|durchwahl|dw|poste|wew|toestel|anknytning)\b/i.test(text))
    return false;
  const [next = ''] = text.split(/[\s.:]/);
  return (
    text === '' ||
    /^[,;|•·–—()]/.test(text) ||
    /^[-/.]?\s*$/.test(next) ||
    isPhoneWord(next) ||
    /^(?:tele)?fax$/i.test(next)
  );
}

/** Parts of a line that have words. */
function thingsIn(line: string): string[] {
  return line
    .replace(EMAIL, ', ')
    .replace(/["“”„«»]\S+["“”„«»]/g, ' ')
    .split(BETWEEN)
    .map((part) => part.replace(/[\d+]+/g, ' ').trim())
    .filter((part) => /\p{L}/u.test(part));
}

/** They begin with a name, and name nobody else. */
function isCard(things: readonly string[]): boolean {
  const others = things.slice(isReversed(things) ? 2 : 1);
  return (
    (isName(things[0] ?? '') || isReversed(things)) &&
    !others.some((each) => isName(each) || isSentence(each))
  );
}

function isSentence(thing: string): boolean {
  return thing.split(' ').length > LINE_WORDS_MAX;
}

/** "Lovelace", "Ada". */
function isReversed([last = '', first = '']: readonly string[]): boolean {
  const words = [...last.split(' '), ...first.split(' ')];
  return !isName(last) && words.length <= 4 && isName(`${first} ${last}`) && last.split(' ').length === 1;
}

/** Whether words may be a name: two or more that begin with capitals and are not those of a task. */
function isName(text: string): boolean {
  if (TASK.test(text)) return false;
  const words = text
    .split(/\s+/)
    .filter((word) => word !== '' && !isTitle(word.replace(/\.$/, '')) && !/[-.]Ing\.?$/.test(word));
  const own = words.filter((word) => !PARTICLES.has(word.toLowerCase()));
  return own.length >= 2 && words.length <= NAME_WORDS_MAX && own.every((word) => NAME_WORD.test(word));
}
