import { hash } from 'node:crypto';
import type { CompanyRecord, PersonRecord } from '@quarry/directory';
import {
  type DepartmentId,
  foldText,
  foldWords,
  ownWordId,
  roleOfTitle,
  SENIORITIES,
  type SeniorityId,
} from '@quarry/vocabulary';
import { linkedInAddress, linkedInSlug, registrableDomain } from '@quarry/dto';
import type { TraitKind } from '@quarry/vocabulary';
import type { FieldReader } from './field-reader.js';
import { memoize } from './remembered.js';
import { parsedDollars, parsedSize, parsedYear } from './normalise-numbers.js';
import { RejectedLine } from './rejected-line.js';
import { departmentIn, industryIn, placeIn, seniorityIn, traitIn } from './normalise-words.js';

/** Value of a column of `directory.companies` or `directory.people`; a list is a PostgreSQL array. */
export type Cell = string | number | boolean | null | readonly string[];
export type Cells = Readonly<Record<string, Cell>>;

// A file of millions of lines has a few thousand different values.
const industryOf = memoize(industryIn, (text) => text);
const placeOfWords = memoize(placeIn, ({ city, state, country, location }) =>
  [city, state, country, location].join('\n'),
);
const roleOf = memoize(roleOfTitle, (text) => text);

const NAME_MAX = 300;
/** Maximum length of a technology's name. */
const OWN_WORD_MAX = 60;
const TRUE = new Set(['true', 't', 'yes', 'y', '1']);
const FALSE = new Set(['false', 'f', 'no', 'n', '0']);

/**
 * @returns the cells of a company by column, without its position
 * @throws RejectedLine
 */
export function companyCells(read: FieldReader): Cells {
  const name = nameIn(read, 'name');
  if (name === null) throw new RejectedLine('It has no company name.');
  const website = read.text('website');
  const domain = domainIn(read, website);
  const linkedin = linkedinIn(read, 'companies');
  const place = placeOf(read);
  const industry = read.parsed('industry', industryOf, ({ id }) => id !== null);
  const size = read.parsed('headcount', parsedSize) ?? read.parsed('size', parsedSize);
  return {
    id: idIn(read, 'co', domain ?? linkedin.slug ?? `${foldText(name)}|${place.country_code}|${place.city}`),
    name,
    name_folded: foldText(name),
    domain,
    website: website ?? (domain === null ? null : `https://${domain}`),
    linkedin_url: linkedin.url,
    linkedin_slug: linkedin.slug,
    industry_id: industry?.id ?? null,
    industry: industry?.name ?? null,
    description: read.text('description'),
    ...place,
    headcount: size?.exact ?? null,
    headcount_min: size?.min ?? null,
    headcount_max: size?.max ?? null,
    founded_year: read.parsed('founded_year', parsedYear),
    funding_stage: traitOf(read, 'funding_stage', 'funding'),
    funding_amount_usd: read.parsed('funding_amount_usd', parsedDollars),
    revenue_usd: read.parsed('revenue_usd', parsedDollars),
    business_model: traitOf(read, 'business_model', 'business_model'),
    ownership: traitOf(read, 'ownership', 'ownership'),
    technologies: read.list('technologies', technologyIn),
    keywords: read.list('keywords', (text) => text),
    is_hiring: read.parsed('is_hiring', flagIn),
    hiring_departments: read.list('hiring_departments', departmentIn),
    phone: read.text('phone'),
  } satisfies Cells & Record<keyof CompanyRecord, Cell>;
}

/** Returns the id of a technology. One that is in no catalogue becomes a word of its own, normalised for comparison. */
function technologyIn(text: string): string | null {
  const known = traitIn('technology', text);
  const folded = foldText(text);
  return known ?? (folded === '' || folded.length > OWN_WORD_MAX ? null : ownWordId(folded));
}

const RANKS = new Map<string, number>(SENIORITIES.map(({ id }, rank) => [id, rank]));

/**
 * @returns the cells of a person by column, without their position; those of the company start with `company_`
 * @throws RejectedLine
 */
export function personCells(read: FieldReader): Cells {
  const company = companyCells(read.within('company_'));
  const { first, last, full } = personNames(read);
  const linkedin = linkedinIn(read, 'people');
  const title = read.text('title');
  const ofTitle = title === null ? null : roleOf(title);
  const seniority: SeniorityId | null = read.parsed('seniority', seniorityIn) ?? ofTitle?.seniority ?? null;
  const department: DepartmentId | null =
    read.parsed('department', departmentIn) ?? ofTitle?.department ?? null;
  return {
    id: idIn(read, 'pe', linkedin.slug ?? `${foldText(full)}|${String(company.id)}`),
    first_name: first,
    last_name: last,
    full_name: full,
    full_name_folded: foldText(full),
    title,
    title_words: foldWords(title ?? ''),
    seniority,
    seniority_rank: RANKS.get(seniority ?? '') ?? SENIORITIES.length,
    department,
    ...placeOf(read),
    linkedin_url: linkedin.url,
    linkedin_slug: linkedin.slug,
    experiences: read.parsed('experiences', recordsIn(['title', 'company', 'start_year'])) ?? '[]',
    educations: read.parsed('educations', recordsIn(['school', 'degree', 'field', 'end_year'])) ?? '[]',
    ...Object.fromEntries(Object.entries(company).map(([column, cell]) => [`company_${column}`, cell])),
  } satisfies Cells & Record<keyof Omit<PersonRecord, 'company'>, Cell>;
}

function personNames(read: FieldReader): { first: string; last: string; full: string } {
  const given = nameIn(read, 'full_name');
  const words = (given ?? '').split(/\s+/);
  const first = nameIn(read, 'first_name') ?? (words.length > 1 ? words[0]! : null);
  const last = nameIn(read, 'last_name') ?? (words.length > 1 ? words.at(-1)! : null);
  if (first === null || last === null) throw new RejectedLine('It has no first and last name of a person.');
  return { first, last, full: given ?? `${first} ${last}` };
}

function nameIn(read: FieldReader, key: string): string | null {
  const name = read.text(key);
  if (name !== null && name.length > NAME_MAX)
    throw new RejectedLine(`A name is longer than ${NAME_MAX} characters.`);
  return name;
}

/** Returns the id from the file, else one derived from the subject of the line, which is the same at each import. */
function idIn(read: FieldReader, prefix: string, key: string): string {
  const given = read.text('id');
  if (given !== null && given.length <= 100) return given;
  return `${prefix}_${hash('sha1', given ?? key, 'base64url')}`;
}

function domainIn(read: FieldReader, website: string | null): string | null {
  const domain = read.parsed('domain', registrableDomain);
  if (domain !== null || website === null) return domain;
  return read.parsed('website', registrableDomain);
}

/**
 * Reads a LinkedIn URL. An address that is not a LinkedIn profile is stored as in the file, but does not identify anybody.
 */
function linkedinIn(
  read: FieldReader,
  page: 'companies' | 'people',
): { url: string | null; slug: string | null } {
  const slug = read.parsed('linkedin_url', (text) => linkedInSlug(page, text));
  if (slug !== null) return { url: linkedInAddress(page, slug), slug };
  const text = read.text('linkedin_url');
  return { url: text?.includes('/') ? text : null, slug: null };
}

function placeOf(read: FieldReader): {
  city: string | null;
  state: string | null;
  country: string | null;
  country_code: string | null;
} {
  const given = {
    city: read.text('city'),
    state: read.text('state'),
    country: read.text('country'),
    location: read.text('location'),
  };
  const { city, state, country, countryCode } = placeOfWords(given);
  if (country !== null) read.note('country', country, countryCode !== null);
  return { city, state, country, country_code: countryCode };
}

function traitOf(read: FieldReader, key: string, kind: TraitKind): string | null {
  return read.parsed(key, (text) => traitIn(kind, text));
}

function flagIn(text: string): boolean | null {
  const plain = text.toLowerCase();
  return TRUE.has(plain) ? true : FALSE.has(plain) ? false : null;
}

/** @returns a parser that accepts a JSON list of records unchanged if each has these members */
function recordsIn(members: readonly string[]): (text: string) => string | null {
  return (text) => {
    try {
      const records: unknown = JSON.parse(text);
      const isRecord = (each: unknown): boolean =>
        typeof each === 'object' && each !== null && members.every((member) => member in each);
      return Array.isArray(records) && records.every(isRecord) ? text : null;
    } catch {
      return null;
    }
  };
}
