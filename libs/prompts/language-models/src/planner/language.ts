import { foldWords } from '@quarry/vocabulary';
import type { Span } from './words.js';

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/**
 * Folded function words that only one of the languages has. Words that both have, such as "in" and "an", are not
 * conclusive.
 */
const ENGLISH = set(`
  the of with and that for from who which are is have has at by not or more than less between their only all all find show
  give me list companies company people founded based employees staff where without excluding`);
const OTHER = set(`
  der die das den dem des ein eine und mit bis von aus nicht ohne oder fur alle aller sind uber unter nur zwischen firmen unternehmen
  de le la les des du une et avec dans sans entre moins pas pour qui sont entreprises societes au aux chez
  el los las una unos unas con sin del en para que empresas entre menos mas
  il lo gli dei delle con senza tra piu meno aziende nel nella di
  het een met van tot niet zonder bedrijven tussen meer minder
  os um uma com sem dos das em nas empresas ate mais
  med och utan foretag till fran bez oraz firmy`);

/** Folded words of those languages that request a list, or name rows. */
const ASKING = set(`
  suche such finde find zeige gib liste bitte unternehmen firmen firma gesellschaften mitarbeiter mitarbeitern mitarbeitende
  cherche chercher trouve trouver liste entreprise entreprises societe societes employes salaries
  busca buscar encuentra lista empresa empresas empleados compania companias
  cerca trova elenco azienda aziende societa dipendenti imprese
  zoek vind lijst bedrijf bedrijven medewerkers werknemers procura encontre funcionarios
  personen leute menschen kontakte personnes gens contacts personas gente contactos persone contatti mensen contacten pessoas
  contatos`);
/** Minimum number of letters of a content word, in scripts with word separators. */
const WORD_LETTERS_MIN = 4;

/** @returns the content words of a prompt in another language, without those that only request a list */
export function contentWords(prompt: string): Span[] {
  return [...prompt.matchAll(/[\p{L}\p{M}]+/gu)]
    .filter(([word]) => {
      const [folded = ''] = foldWords(word);
      const isSmall = /^\p{Script=Latin}+$/u.test(folded) && word.length < WORD_LETTERS_MIN;
      return !isSmall && !OTHER.has(folded) && !ASKING.has(folded);
    })
    .map((match) => ({ start: match.index, end: match.index + match[0].length }));
}

/** Number of letters of another script with which a prompt is not English, whatever names it contains. */
const FOREIGN_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Devanagari}]/gu;
const FOREIGN_LETTERS_MIN = 3;

/**
 * @returns whether the rules support a prompt's language, which is only English. A prompt of names only counts as English:
 *   the rules' knowledge of names holds in every language
 */
export function isEnglish(prompt: string): boolean {
  if ((prompt.match(FOREIGN_SCRIPT)?.length ?? 0) >= FOREIGN_LETTERS_MIN) return false;
  const count = (words: readonly string[], known: ReadonlySet<string>): number =>
    words.flatMap(foldWords).filter((word) => known.has(word)).length;
  const words = prompt.match(/[\p{L}\p{M}]+/gu) ?? [];
  // Function words are in lower case; "Los Angeles" is not Spanish.
  const small = words.filter((word) => word === word.toLowerCase());
  return count(small, OTHER) <= count(words, ENGLISH);
}
