import type { PlanIntent } from '@quarry/plan';
import { isOfDirectory } from './directory-filters.js';
import { directoryPredicates } from './directory-predicates.js';

/** Filters that name a table, in order: their words come from the vocabulary, so that no person's name gets into it. */
const NAMING = ['roles', 'industries', 'places'];
const NAMES_SHOWN = 2;
const NAME_CHARACTERS_MAX = 80;

/** @returns the name of a table by the description of its rows, as in “People: CFO, Fintech, Germany” */
export function tableNameOf({ entity, filters }: Pick<PlanIntent, 'entity' | 'filters'>): string {
  const noun = entity === 'company' ? 'Companies' : 'People';
  const words = NAMING.flatMap((name) => {
    const naming = filters.filter((each) => isOfDirectory(each) && each.filter === name);
    return directoryPredicates({ filters: naming, exclusions: [] }, entity).map(({ text }) => namesIn(text));
  });
  const name = words.length === 0 ? noun : `${noun}: ${[...new Set(words)].join(', ')}`;
  const characters = [...name];
  return characters.length <= NAME_CHARACTERS_MAX
    ? name
    : `${characters.slice(0, NAME_CHARACTERS_MAX - 1).join('')}…`;
}

/** Returns the names in a condition's text, such as “industry: Fintech or Insurance”, and shortens a long list. */
function namesIn(text: string): string {
  const names = text.slice(text.indexOf(': ') + 2).split(' or ');
  return names.slice(0, NAMES_SHOWN).join(' or ') + (names.length > NAMES_SHOWN ? ' …' : '');
}
