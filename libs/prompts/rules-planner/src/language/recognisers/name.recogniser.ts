import type { Span } from '../meaning.js';
import { matchPhrase, parsePhrases } from '../phrase-list.js';
import { conditionAt, spanAt, WEIGHT, type Recogniser } from '../recogniser.js';

const TABLE_NAME_LEADS =
  parsePhrases(`call it | name it | call the table | name the table | a table called | a table named | table called
  | table named | title it | call the list | name the list | a list called | a list named | list called
  | list named | save as | save it as | into a table called | save them as`);
const PARTICIPLES = new Set(['named', 'called', 'titled']);
/** Only of these do "named" and "called" say how the result is to be called; companies have names of their own. */
const TABLE_NOUNS = new Set(
  'table list sheet spreadsheet file csv export selection tab output result results'.split(' '),
);
const DOMAIN = /^(?:https?:\/\/)?(?:www\.)?([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,})(?:\/.*)?$/iu;

/** Quoted names: of the table to make, of companies; and bare domains. */
export const nameRecogniser: Recogniser = ({ tokens, words }, at) => {
  const isOfTable = PARTICIPLES.has(words[at] ?? '') && TABLE_NOUNS.has(words[at - 1] ?? '');
  const lead = isOfTable ? 1 : matchPhrase(words, at, TABLE_NAME_LEADS);
  const named = tokens[at + lead];
  const spans: Span[] = [];
  if (lead > 0 && named?.kind === 'quoted')
    spans.push(spanAt(at, lead + 1, { type: 'table_name', name: named.text.trim() }, WEIGHT.certain));
  // "People titled “Head of Growth”" speaks of a job, which a name is not.
  if (!isOfTable && words[at] === 'titled' && tokens[at + 1]?.kind === 'quoted')
    spans.push(spanAt(at, 2, { type: 'unsupported' }, WEIGHT.certain));
  const token = tokens[at];
  if (token?.kind === 'quoted') spans.push(conditionAt(at, 1, { on: 'names', names: [token.text.trim()] }));
  const domain = token?.kind === 'word' ? DOMAIN.exec(token.text)?.[1] : undefined;
  if (domain !== undefined && !/\.(js|net)$/i.test(domain))
    spans.push(conditionAt(at, 1, { on: 'domains', domains: [domain.toLowerCase()] }, WEIGHT.column));
  return spans;
};
