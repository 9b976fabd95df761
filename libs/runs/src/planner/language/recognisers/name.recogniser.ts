import type { Span } from '../meaning.js';
import { matchPhrase, phrases } from '../phrase-list.js';
import { WEIGHT, type Recogniser } from '../recogniser.js';

const TABLE_NAME_LEADS = phrases(
  'call it',
  'name it',
  'call the table',
  'name the table',
  'a table called',
  'a table named',
  'table called',
  'table named',
  'title it',
  'named',
  'call the list',
  'name the list',
  'a list called',
  'a list named',
  'list called',
  'list named',
  'save as',
  'save it as',
  'into a table called',
  'save them as',
  'titled',
  'called',
);
const DOMAIN = /^(?:https?:\/\/)?(?:www\.)?([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,})(?:\/.*)?$/iu;

/** Quoted names: of the table to make, of companies; and bare domains. */
export const nameRecogniser: Recogniser = {
  name: 'name',
  recognise({ tokens, words }, at) {
    const lead = matchPhrase(words, at, TABLE_NAME_LEADS);
    const named = tokens[at + lead];
    const spans: Span[] = [];
    if (lead > 0 && named?.kind === 'quoted')
      spans.push({
        start: at,
        end: at + lead + 1,
        weight: WEIGHT.certain,
        meaning: { type: 'table_name', name: named.text.trim() },
      });
    const token = tokens[at];
    if (token?.kind === 'quoted') {
      const condition = { on: 'names', names: [token.text.trim()] } as const;
      spans.push({
        start: at,
        end: at + 1,
        weight: WEIGHT.condition,
        meaning: { type: 'condition', condition },
      });
    }
    const domain = token?.kind === 'word' ? DOMAIN.exec(token.text)?.[1] : undefined;
    if (domain !== undefined && !/\.(js|net)$/i.test(domain)) {
      const condition = { on: 'domains', domains: [domain.toLowerCase()] } as const;
      spans.push({
        start: at,
        end: at + 1,
        weight: WEIGHT.column,
        meaning: { type: 'condition', condition },
      });
    }
    return spans;
  },
};
