import { industryAt } from './industry-index.js';
import { ownVocabulary } from './own-vocabulary.js';
import { foldText } from './phrase.js';
import { PhraseIndex, type PhraseMatch } from './phrase-index.js';
import {
  DEPARTMENTS,
  SENIORITIES,
  type Department,
  type DepartmentId,
  type Role,
  type SeniorityId,
} from './role.catalogue.js';
import { LEVEL_WORDS, TITLES } from './role-title.catalogue.js';

const titles = new PhraseIndex<Role>();
for (const { name, phrases, seniorities, departments, titleWords } of TITLES)
  titles.add(phrases, { name, seniorities, departments, titleWords });

const levels = new PhraseIndex<SeniorityId>();
for (const { seniority, phrases } of LEVEL_WORDS) levels.add(phrases, seniority);

// "Heads of Sales", "Vice Presidents of Product": the level has the plural, not the last word.
levels.add(['vices president'], 'vp');

const departments = new PhraseIndex<Department & { id: DepartmentId }>();
for (const department of DEPARTMENTS) departments.add([department.name, ...department.synonyms], department);

/** Words with which a department means its people: "sales people", "HR team", "marketing professionals". */
const MEMBER_WORDS = new Set(
  'people person professional professionals staff team teams employee employees leader leaders leadership specialist specialists decision contact contacts folks guys department departments executive executives'.split(
    ' ',
  ),
);
const LEADER_WORDS = new Set(['leader', 'leaders', 'leadership', 'executive', 'executives']);

const seniorityNames = new Map<SeniorityId, string>(SENIORITIES.map(({ id, name }) => [id, name]));
const departmentNames = new Map<string, string>(DEPARTMENTS.map(({ id, name }) => [id, name]));
const HEAD_WORD: Readonly<Record<string, string>> = {
  vp: 'VP of',
  head: 'Head of',
  director: 'Director of',
  manager: 'Manager in',
};

/** @returns the display name of a seniority. */
export function seniorityName(id: SeniorityId): string {
  return seniorityNames.get(id) ?? id;
}

/** @returns the display name of a department. */
export function departmentName(id: DepartmentId): string {
  return departmentNames.get(id) ?? id;
}

/** @returns the level that the whole text names by id, name or synonym, or null. */
export function seniorityNamed(text: string): SeniorityId | null {
  const folded = foldText(text);
  const named = SENIORITIES.find(({ id, name }) => [id, foldText(id), foldText(name)].includes(folded));
  return named?.id ?? levels.get(text);
}

/** @returns the department that the whole text names by id, name or synonym, or null. */
export function departmentNamed(text: string): DepartmentId | null {
  const named = DEPARTMENTS.find(({ id }) => foldText(id) === foldText(text));
  return named?.id ?? departments.get(text)?.id ?? null;
}

/** @returns the department at a position. */
export function departmentAt(
  words: readonly string[],
  at: number,
): PhraseMatch<Department & { id: DepartmentId }> | null {
  return departments.longestAt(words, at);
}

/**
 * Finds the role at a position: a title ("CTOs"), level and department ("VP of Sales", "sales directors"), or a department
 * with a word for its people ("marketing team"). The longest match wins.
 */
export function roleAt(words: readonly string[], at: number): PhraseMatch<Role> | null {
  const readings = [levelOfDepartment(words, at), departmentLevel(words, at), titles.longestAt(words, at)];
  const known = longestOf(readings);
  const own = ownVocabulary()?.titleAt(words, at) ?? null;
  // A title that only imported directories contain has no further meaning if the catalogues know its words.
  const others = [known, departments.longestAt(words, at), industryAt(words, at)];
  return own && own.length > (longestOf<unknown>(others)?.length ?? 0) ? own : known;
}

function longestOf<T>(readings: ReadonlyArray<PhraseMatch<T> | null>): PhraseMatch<T> | null {
  return readings.reduce<PhraseMatch<T> | null>(
    (best, reading) => (reading && reading.length > (best?.length ?? 0) ? reading : best),
    null,
  );
}

function levelOfDepartment(words: readonly string[], at: number): PhraseMatch<Role> | null {
  const level = levels.longestAt(words, at);
  if (!level) return null;
  let next = at + level.length;
  const linked = words[next] === 'of' || words[next] === 'for' || words[next] === 'in';
  if (linked) next += 1;
  if (words[next] === 'the') next += 1;
  // "senior software engineers": a level before a title.
  const title = linked ? null : titles.longestAt(words, next);
  const department = departments.longestAt(words, next);
  if (title && title.meaning.seniorities.length === 0 && title.length > (department?.length ?? 0))
    return {
      length: next + title.length - at,
      meaning: {
        ...title.meaning,
        name: `${seniorityName(level.meaning)} ${title.meaning.name.toLowerCase()}`,
        seniorities: [level.meaning],
      },
    };
  if (!department) return null;
  // "senior sales people": the word for people belongs to the role.
  const after = next + department.length;
  const tail = !linked && MEMBER_WORDS.has(words[after] ?? '') ? 1 : 0;
  return { length: after + tail - at, meaning: composeRole(level.meaning, department.meaning) };
}

function departmentLevel(words: readonly string[], at: number): PhraseMatch<Role> | null {
  const department = departments.longestAt(words, at);
  if (!department) return null;
  const next = at + department.length;
  const level = levels.longestAt(words, next);
  if (level && level.meaning !== 'senior' && !['leader', 'leaders'].includes(words[next] ?? ''))
    return {
      length: department.length + level.length,
      meaning: composeRole(level.meaning, department.meaning),
    };
  const word = words[next] ?? '';
  if (!MEMBER_WORDS.has(word)) return null;
  if (LEADER_WORDS.has(word)) return { length: department.length + 1, meaning: leaderOf(department.meaning) };
  const isDecision = word === 'decision';
  if (isDecision && !/^makers?$/.test(words[next + 1] ?? '')) return null;
  return isDecision
    ? { length: department.length + 2, meaning: leaderOf(department.meaning) }
    : { length: department.length + 1, meaning: memberOf(department.meaning) };
}

function composeRole(seniority: SeniorityId, department: { id: DepartmentId; name: string }): Role {
  const name = HEAD_WORD[seniority]
    ? `${HEAD_WORD[seniority]} ${department.name}`
    : `${seniorityName(seniority)} in ${department.name}`;
  return { name, seniorities: [seniority], departments: [department.id], titleWords: [] };
}

function leaderOf(department: { id: DepartmentId; name: string }): Role {
  return {
    name: `${department.name} leader`,
    seniorities: ['c_level', 'vp', 'head', 'director'],
    departments: [department.id],
    titleWords: [],
  };
}

/** @returns the role of any member of a department. */
export function memberOf(department: { id: DepartmentId; name: string }): Role {
  return { name: department.name, seniorities: [], departments: [department.id], titleWords: [] };
}
