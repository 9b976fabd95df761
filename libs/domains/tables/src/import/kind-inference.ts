import { parse } from 'tldts';
import { isCalendarDay, type ColumnKind } from '@quarry/dto';
import { isJsonObject } from './column-kinds.js';

interface Candidate {
  kind: ColumnKind;
  accepts(value: unknown): boolean;
}

const text = (test: (value: string) => boolean) => (value: unknown) =>
  typeof value === 'string' && test(value);
const matches = (pattern: RegExp) => text((value) => pattern.test(value));

/** @returns whether every item of a list is an object with one of these members. */
const objectsWith = (members: string[]) => (value: unknown) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((item) => isJsonObject(item) && members.some((member) => Object.hasOwn(item, member)));

const SCHOOL_MEMBERS = ['school', 'degree', 'school_name', 'field_of_study', 'institution'];
const JOB_MEMBERS = ['title', 'company', 'company_name', 'position'];

/** Kinds from the narrowest to the widest. A column gets the first one that accepts all its values. */
const CANDIDATES: readonly Candidate[] = [
  { kind: 'number', accepts: (value) => typeof value === 'number' },
  { kind: 'boolean', accepts: (value) => typeof value === 'boolean' },
  { kind: 'email', accepts: matches(/^[^\s@"<>]{1,64}@[^\s@"<>]+\.[^\s@"<>.]{2,}$/) },
  { kind: 'linkedin_url', accepts: matches(/^(https?:\/\/)?([a-z0-9-]{1,20}\.){0,2}linkedin\.com\/\S+$/i) },
  { kind: 'url', accepts: matches(/^https?:\/\/[^\s/]\S*$/i) },
  { kind: 'date', accepts: text(isDate) },
  // A leading + distinguishes a telephone number from any other digits.
  { kind: 'phone', accepts: matches(/^\+[1-9][\d ().-]{5,22}$/) },
  { kind: 'domain', accepts: text(isDomain) },
  { kind: 'text', accepts: text(() => true) },
  { kind: 'educations', accepts: objectsWith(SCHOOL_MEMBERS) },
  { kind: 'experiences', accepts: objectsWith(JOB_MEMBERS) },
  { kind: 'list', accepts: Array.isArray },
  { kind: 'object', accepts: isJsonObject },
];

/**
 * Infers the kind of a column from its values, one at a time: a kind that rejects one value is ruled out. null, empty strings and
 * empty lists are ignored. Without any evidence, or with no kind left, it is text.
 */
export class KindInference {
  private candidates = CANDIDATES;
  private emptyList = false;

  observe(value: unknown): void {
    if (value === null || value === '') return;
    if (Array.isArray(value) && value.length === 0) {
      this.emptyList = true;
      this.candidates = this.candidates.filter(({ kind }) => LIST_KINDS.has(kind));
      return;
    }
    // Most columns have one candidate left after the first row, so a value usually costs one test.
    if (!this.candidates.every((candidate) => candidate.accepts(value)))
      this.candidates = this.candidates.filter((candidate) => candidate.accepts(value));
  }

  get kind(): ColumnKind {
    if (this.candidates.length === CANDIDATES.length) return 'text';
    // A column of empty lists does not show the kind of its items.
    if (this.emptyList && this.candidates.length === LIST_KINDS.size) return 'list';
    return this.candidates[0]?.kind ?? 'text';
  }
}

const LIST_KINDS: ReadonlySet<ColumnKind> = new Set(['educations', 'experiences', 'list']);

function isDate(value: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/.exec(value);
  return match !== null && isCalendarDay(match[1]!);
}

function isDomain(value: string): boolean {
  if (value.length > 253 || /[\s/:@]/.test(value)) return false;
  const found = parse(value);
  return found.hostname === value.toLowerCase() && found.isIcann === true && found.domain !== null;
}
