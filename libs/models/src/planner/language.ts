import { foldWords } from '@quarry/directory';

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Small words that only one of the languages has, folded. Words that both have, such as "in" and "an", say nothing. */
const ENGLISH = set(`
  the of with and that for from who which are is have has at by not or more than less between their only all all find show
  give me list companies company people founded based employees staff where without excluding`);
const OTHER = set(`
  der die das den dem des ein eine und mit bis von aus im nicht ohne oder fur alle aller sind uber unter nur zwischen firmen unternehmen
  le la les des du une et avec dans sans entre plus moins pas pour qui sont entreprises societes au aux chez
  el los las una unos unas con sin y del en para que empresas entre menos mas
  il lo gli dei delle con senza tra piu meno aziende nel nella e di per
  het een met van tot niet zonder bedrijven tussen meer minder
  o os as um uma com sem dos das em nas empresas ate mais
  med och utan foretag till fran w z bez oraz firmy`);

/** As many letters of another script as this are no English prompt, whatever names stand in it. */
const FOREIGN_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Devanagari}]/gu;
const FOREIGN_LETTERS_MIN = 3;

/**
 * @returns whether the rules read a prompt's language, which is English alone. A prompt of names only counts as English: what the
 * rules know of it holds in every language
 */
export function isEnglish(prompt: string): boolean {
  if ((prompt.match(FOREIGN_SCRIPT)?.length ?? 0) >= FOREIGN_LETTERS_MIN) return false;
  const words = foldWords(prompt);
  const count = (known: ReadonlySet<string>): number => words.filter((word) => known.has(word)).length;
  return count(OTHER) <= count(ENGLISH);
}
