import { listOf, matchPhrase, parsePhrases } from '../phrase-list.js';
import { COMPANY_FILTERS, type FilterName } from '@quarry/directory';
import {
  departmentAt,
  industryAt,
  placeAt,
  roleAt,
  stateByCode,
  traitAt,
  VENTURE_STAGE_IDS,
  type DepartmentId,
  type TraitKind,
} from '@quarry/vocabulary';
import type { Span } from '../meaning.js';
import { conditionAt, spanAt, type Reading, type Recogniser } from '../recogniser.js';

/** Lines of business: "fintech", "law firms", "healthcare". */
export const industryRecogniser: Recogniser = ({ words, raw }, at) => {
  const found = industryAt(words, at);
  if (!found || isPronounIt(words, raw, at, found.length) || isTheirs(words, at, found.length)) return [];
  const { name, industryIds } = found.meaning;
  const department = bareDepartmentAt(words, raw, at);
  if (department?.length === found.length)
    return [spanAt(at, found.length, { type: 'field', department: department.id, industryIds, name })];
  return [conditionAt(at, found.length, { on: 'industries', ids: industryIds, name })];
};

/** Cities, states, countries, regions, and the adjectives of the latter two. */
export const placeRecogniser: Recogniser = ({ words, raw }, at) => {
  const found = placeAt(words, raw, at);
  const state = stateCodeAt(raw, words, at);
  const spans: Span[] = [];
  if (found) {
    const { place, also = [], isAdjective } = found.meaning;
    const condition = { on: 'places', places: [place, ...also] } as const;
    spans.push(spanAt(at, found.length, { type: 'condition', condition, isAdjective }));
  }
  if (state) spans.push(conditionAt(at, 1, { on: 'places', places: [state] }));
  return spans;
};

/** Titles and levels: "CTOs", "VP of Sales", "marketing directors". */
export const roleRecogniser: Recogniser = ({ words, raw }, at) => {
  const found = roleAt(words, at);
  if (found && !isPronounIt(words, raw, at, found.length))
    return [conditionAt(at, found.length, { on: 'roles', roles: [found.meaning] })];
  const department = bareDepartmentAt(words, raw, at);
  if (!department || industryAt(words, at)?.length === department.length) return [];
  const { id, name, length } = department;
  return [spanAt(at, length, { type: 'field', department: id, industryIds: [], name })];
};

/** Filters that compare the values of a trait. */
const TRAIT_FILTERS = COMPANY_FILTERS.flatMap(({ name, type, attributes: [first] }) =>
  type === 'trait' && first?.named
    ? [{ on: name as FilterName<'trait'>, kind: first.named as TraitKind }]
    : [],
);
/** Words such as "funding" and "company" that only complete the trait before them: "Series A funding". */
const TRAIT_TAILS: Readonly<Record<TraitKind, readonly string[]>> = {
  funding: ['funding', 'funded', 'stage', 'round', 'rounds', 'backed'],
  business_model: ['model', 'models'],
  ownership: ['ownership'],
  technology: ['stack'],
};

/** Funding stage, business model, ownership, technologies. */
export const traitRecogniser: Recogniser = ({ words }, at) =>
  TRAIT_FILTERS.flatMap(({ on, kind }) => {
    const found = traitAt(kind, words, at);
    if (!found) return [];
    const tail = words[at + found.length] ?? '';
    // "Series A funded by X" names an investor.
    const hasTail = TRAIT_TAILS[kind].includes(tail) && words[at + found.length + 1] !== 'by';
    return [conditionAt(at, found.length + (hasTail ? 1 : 0), { on, ids: [found.meaning.id] })];
  });

const VENTURE_PHRASES = parsePhrases(
  `venture backed | vc backed | venture funded | vc funded | venture capital backed | backed by venture capital
    | backed by vcs | funded | with funding | venture funding | vc funding`,
);

/** "Venture-backed", "VC-funded": any stage that outside investors paid for. "Funded by X" names an investor. */
export const ventureRecogniser: Recogniser = ({ words }, at) => {
  const length = matchPhrase(words, at, VENTURE_PHRASES);
  if (length === 0 || ['by', 'through', 'with'].includes(words[at + length] ?? '')) return [];
  return [conditionAt(at, length, { on: 'funding_stages', ids: VENTURE_STAGE_IDS })];
};

/** Departments whose bare name people use for the people in it. Others ("growth", "content") are too common. */
const BARE_DEPARTMENTS = new Set(
  listOf(`sales | marketing | engineering | product | design | finance | hr | human resources | legal | operations
  | customer success | customer support | customer service | it | security | procurement | r&d | research
  | business development | data science | accounting | recruiting | talent acquisition | purchasing
  | information technology`),
);

function bareDepartmentAt(words: readonly string[], raw: readonly string[], at: number) {
  const found = departmentAt(words, at);
  if (!found || isPronounIt(words, raw, at, found.length)) return null;
  if (!BARE_DEPARTMENTS.has(words.slice(at, at + found.length).join(' '))) return null;
  return { length: found.length, id: found.meaning.id as DepartmentId, name: found.meaning.name };
}

/** "With their technologies" asks what companies use: it does not widen their line of business. */
function isTheirs(words: readonly string[], at: number, length: number): boolean {
  return (
    length === 1 &&
    words[at] === 'technologies' &&
    ['their', 'with', 'and', ','].includes(words[at - 1] ?? '')
  );
}

/** "it" is a pronoun and "IT" a department; "its" is never the department, whatever follows ("its staff"). */
function isPronounIt(words: readonly string[], raw: readonly string[], at: number, length: number): boolean {
  return words[at] === 'its' || (length === 1 && words[at] === 'it' && raw[at] !== 'IT');
}

/** Two-letter codes count in capitals and after a comma or "in": "Austin, TX". Elsewhere "OR" and "IN" are words. */
function stateCodeAt(raw: readonly string[], words: Reading['words'], at: number) {
  const isPlaced =
    raw[at - 1] === ',' || (raw[at - 1] === 'in' && !['IN', 'OR', 'ME'].includes(raw[at] ?? ''));
  return isPlaced && words[at]?.length === 2 ? stateByCode(raw[at] ?? '') : null;
}
