import { roleNamed } from './named.js';
import { foldWords } from './phrase.js';
import { departmentAt, seniorityNamed } from './role-index.js';
import type { DepartmentId, SeniorityId } from './role.catalogue.js';

/** Level and department of a title; null when not in the vocabulary. */
export interface TitleMeaning {
  readonly seniority: SeniorityId | null;
  readonly department: DepartmentId | null;
}

/** Separators between two titles of one person: "Founder & CEO", "Co-Founder / Head of Sales". */
const BETWEEN = /\s*[&/,|+]\s*|\s+and\s+/i;

/** Maximum length of a title: each of its words is looked up several times. */
const TITLE_CHARACTERS_MAX = 500;

/** Returns the level and the department in a title. A founder with other titles is primarily a founder. */
export function roleOfTitle(text: string): TitleMeaning {
  const title = text.slice(0, TITLE_CHARACTERS_MAX);
  const whole = meaningOf(title);
  const parts = title.split(BETWEEN);
  if (parts.length < 2) return whole;
  const meanings = parts.map(meaningOf);
  if (!meanings.some(({ seniority }) => seniority === 'founder')) return whole;
  const department = meanings.find((each) => each.department !== null)?.department ?? null;
  return { seniority: 'founder', department };
}

function meaningOf(title: string): TitleMeaning {
  const role = roleNamed(title);
  const words = foldWords(title);
  // "Director Engineering EMEA": not a role of the vocabulary, but its words contain departments.
  const named = words.flatMap((_, at) => departmentAt(words, at)?.meaning.id ?? []);
  return {
    seniority: onlyId(role?.seniorities) ?? levelIn(words),
    department: onlyId(role?.departments) ?? onlyId([...new Set(named)]),
  };
}

function onlyId<T>(ids: readonly T[] | undefined): T | null {
  return ids?.length === 1 ? ids[0]! : null;
}

/** Returns the level in a title. "Assistant to the director" is not a director, so only the first word counts. */
function levelIn(words: readonly string[]): SeniorityId | null {
  const [first = '', second = ''] = words;
  if (first === 'chief' && words.at(-1) === 'officer') return 'c_level';
  return seniorityNamed(`${first} ${second}`) ?? seniorityNamed(first);
}
