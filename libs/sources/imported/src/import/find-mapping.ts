import { AppError } from '@quarry/error-codes';
import { countryNamed, foldText } from '@quarry/vocabulary';
import { registrableDomain } from '@quarry/dto';
import type { DirectoryFile } from './directory-file.js';
import { type FieldMapping, parsedSize } from '@quarry/extraction';
import { fieldsOf, type DirectoryKind } from '../tables/target-fields.catalogue.js';

/** Number of lines whose values are inspected when a heading is not conclusive. */
const SAMPLE_LINES = 200;
/** Share of values that must match for a column to be recognised; a few errors in a file are usual. */
const ALIKE_SHARE = 0.9;
/** Minimum number of values for a guess. */
const VALUES_MIN = 3;
const VALUES_SHOWN = 3;

/**
 * Minimum share of different domains. The links of a register share one domain; the companies' own websites mostly do not.
 */
const OWN_SHARE = 0.5;

/** Column recognised by its values, to be confirmed before the import. */
export interface MappingGuess {
  readonly field: string;
  readonly column: number;
  /** Up to three of its distinct values. */
  readonly values: readonly string[];
}

/**
 * Tests for values, by the field without its prefix, and the words of headings with a similar meaning. Ambiguous values,
 * such as a plain number or a year, are omitted.
 */
const LOOKS: ReadonlyArray<readonly [key: string, isAlike: (text: string) => boolean, words: string]> = [
  [
    'linkedin_url',
    (text) => /linkedin\.com\/(company|school|showcase|in)\//i.test(text),
    'linkedin link profile profil url page seite',
  ],
  [
    'website',
    (text) => /^https?:\/\//i.test(text) && registrableDomain(text) !== null,
    'web website webseite homepage site sitio url link www internet adresse',
  ],
  [
    'domain',
    (text) => /^[a-z0-9.-]+\.[a-z]{2,}$/i.test(text) && registrableDomain(text) !== null,
    'domain domane web website webseite homepage site sitio url www internet adresse',
  ],
  [
    'size',
    (text) => /\d\s*(-|–|to)\s*\d|\d\+$/.test(text) && parsedSize(text) !== null,
    'size grosse taille tamano employees employee mitarbeiter beschaftigte effectif empleados staff range number of anzahl',
  ],
  ['country', (text) => countryNamed(text) !== null, 'country land pays pais paese pais kraj nation'],
];
/** Headings without meaning: empty, or a number with or without a word for a column. */
const SAYS_NOTHING = /^(?:(?:unnamed|column|col|field|feld|spalte|f|c|x|var|v)?[ :]*\d*)$/;

/**
 * Maps the columns of a file to fields: as the caller specifies, else by their headings.
 * @param columnMap fields by the heading of their column; an empty field excludes the column
 * @throws AppError invalid_request when `columnMap` names an unknown column or field, or no column can be the name
 */
export function findMapping(
  kind: DirectoryKind,
  header: readonly string[],
  columnMap: ReadonlyMap<string, string> = new Map(),
): FieldMapping {
  const mapping = new Map<string, number>();
  const taken = new Set<number>();
  takeColumns(explicitMapping(kind, header, columnMap, taken), mapping, taken);
  takeColumns(byHeading(kind, header, mapping, taken), mapping, taken);
  const needed = kind === 'companies' ? [['name']] : [['full_name', 'first_name'], ['company_name']];
  for (const any of needed)
    if (!any.some((key) => mapping.has(key)))
      throw new AppError(
        'invalid_request',
        `No column was recognised as ${any.join(' or ')}. Map one: --map "<column>=${any[0]}". The columns are: ${header.join(', ')}`,
      );
  return mapping;
}

/**
 * Guesses by their values the fields of columns whose headings are not conclusive and do not contradict.
 * @param mapping known so far
 * @param columnMap as for {@link findMapping}; excluded columns are not guessed either
 */
export async function guessMapping(
  kind: DirectoryKind,
  file: DirectoryFile,
  mapping: FieldMapping,
  columnMap: ReadonlyMap<string, string> = new Map(),
): Promise<MappingGuess[]> {
  const taken = new Set([
    ...mapping.values(),
    ...[...columnMap.keys()].map((heading) => file.header.indexOf(heading)),
  ]);
  const folded = file.header.map(foldHeading);
  const samples = await samplesOf(file);
  const guesses: MappingGuess[] = [];
  for (const [name, isAlike, words] of LOOKS) {
    const field = fieldGuessed(kind, name);
    if (mapping.has(field)) continue;
    const column = samples.findIndex(
      (values, at) =>
        !taken.has(at) &&
        isOpenTo(folded[at]!, words) &&
        values.length >= VALUES_MIN &&
        values.filter(isAlike).length >= values.length * ALIKE_SHARE &&
        (!['website', 'domain'].includes(name) || areOwn(values)),
    );
    if (column < 0) continue;
    taken.add(column);
    guesses.push({ field, column, values: [...new Set(samples[column])].slice(0, VALUES_SHOWN) });
  }
  return guesses;
}

/** Returns the field for a guess. In a file of people, a LinkedIn profile and a country belong to the person. */
function fieldGuessed(kind: DirectoryKind, name: string): string {
  return kind === 'companies' || ['linkedin_url', 'country'].includes(name) ? name : `company_${name}`;
}

/** @returns whether a folded heading has no meaning, or consists only of these words */
function isOpenTo(heading: string, words: string): boolean {
  if (SAYS_NOTHING.test(heading)) return true;
  const known = words.split(' ');
  return heading.split(/[^a-z0-9]+/).every((word) => word === '' || known.includes(word));
}

function takeColumns(
  found: Iterable<readonly [string, number]>,
  mapping: Map<string, number>,
  taken: Set<number>,
): void {
  for (const [key, at] of found) {
    mapping.set(key, at);
    taken.add(at);
  }
}

function explicitMapping(
  kind: DirectoryKind,
  header: readonly string[],
  columnMap: ReadonlyMap<string, string>,
  taken: Set<number>,
): Array<[string, number]> {
  const known = fieldsOf(kind).map(({ key }) => key);
  return [...columnMap].flatMap(([heading, key]): Array<[string, number]> => {
    const at = header.indexOf(heading);
    if (at < 0)
      throw new AppError(
        'invalid_request',
        `--map: there is no column ${heading}; the columns are ${header.join(', ')}`,
      );
    taken.add(at);
    if (key === '') return [];
    if (known.includes(key)) return [[key, at]];
    throw new AppError(
      'invalid_request',
      `--map: there is no field ${key}; the fields are ${known.join(', ')}`,
    );
  });
}

function byHeading(
  kind: DirectoryKind,
  header: readonly string[],
  mapping: FieldMapping,
  taken: ReadonlySet<number>,
): Map<string, number> {
  const folded = header.map(foldHeading);
  const found = new Map<string, number>();
  const free = (at: number): boolean => at >= 0 && !taken.has(at) && ![...found.values()].includes(at);
  for (const { key, headings } of fieldsOf(kind)) {
    if (mapping.has(key)) continue;
    const at = headings.map((heading) => folded.indexOf(heading)).find(free);
    if (at !== undefined) found.set(key, at);
  }
  return found;
}

/** @returns a heading as words: "year_founded", "YearFounded" and " Year founded" are equal */
function foldHeading(heading: string): string {
  return foldText(heading.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_.#]+/g, ' '));
}

function areOwn(addresses: readonly string[]): boolean {
  return new Set(addresses.map(registrableDomain)).size >= addresses.length * OWN_SHARE;
}

/** @returns the non-empty values of each column in the first lines */
async function samplesOf(file: DirectoryFile): Promise<string[][]> {
  const samples: string[][] = file.header.map(() => []);
  let lines = 0;
  for await (const batch of file.batches()) {
    for (const { fields } of batch)
      fields.forEach((text, at) => void (text.trim() !== '' && samples[at]?.push(text.trim())));
    lines += batch.length;
    if (lines >= SAMPLE_LINES) break;
  }
  return samples;
}
