import { AppError } from '@quarry/error-codes';
import { countryNamed, foldText } from '@quarry/directory';
import { registrableDomain } from '@quarry/dto';
import type { DirectoryFile } from '../directory-file.js';
import { parsedSize } from './normalise-numbers.js';
import { fieldsOf, type DirectoryKind } from './target-fields.catalogue.js';

/** Which column of a file holds what: fields of {@link fieldsOf}, each with the number of its column, from 0. */
export type FieldMapping = ReadonlyMap<string, number>;

/** Lines whose values are looked at where a heading says nothing. */
const SAMPLE_LINES = 200;
/** A column is taken for what its values look like when nearly all do; a slip or two in a file is usual. */
const ALIKE_SHARE = 0.9;
/** Fewer values than this prove nothing. */
const VALUES_MIN = 3;

/** A register's address of each company is at one domain; of what is a company's own, at least half are different. */
const OWN_SHARE = 0.5;

/** What values give away, by the field without its prefix. What many things look like, such as a bare number, is left out. */
const LOOKS: ReadonlyArray<readonly [key: string, isAlike: (text: string) => boolean]> = [
  ['linkedin_url', (text) => /linkedin\.com\/(company|school|showcase|in)\//i.test(text)],
  ['website', (text) => /^https?:\/\//i.test(text) && registrableDomain(text) !== null],
  ['domain', (text) => /^[a-z0-9.-]+\.[a-z]{2,}$/i.test(text) && registrableDomain(text) !== null],
  ['size', (text) => /\d\s*(-|–|to)\s*\d|\d\+$/.test(text) && parsedSize(text) !== null],
  ['founded_year', (text) => /^(1[89]|20)\d\d(\.0)?$/.test(text)],
  ['country', (text) => countryNamed(text) !== null],
];

/**
 * Finds out which column of a file holds what: as the caller says, else by its heading, else by what its values look like.
 * @param said fields by the heading of their column; an empty field leaves the column out
 * @throws AppError invalid_request when `said` names a column or a field that is not there, or nothing can be a name
 */
export async function findMapping(
  kind: DirectoryKind,
  file: DirectoryFile,
  said: ReadonlyMap<string, string> = new Map(),
): Promise<FieldMapping> {
  const mapping = new Map<string, number>();
  const taken = new Set<number>();
  take(saidMapping(kind, file.header, said, taken), mapping, taken);
  take(byHeading(kind, file.header, mapping, taken), mapping, taken);
  take(await byValues(kind, file, mapping, taken), mapping, taken);
  const needed = kind === 'companies' ? [['name']] : [['full_name', 'first_name'], ['company_name']];
  for (const any of needed)
    if (!any.some((key) => mapping.has(key)))
      throw new AppError(
        'invalid_request',
        `No column is known as ${any.join(' or ')}. Say which it is: --map "<column>=${any[0]}". The columns are: ${file.header.join(', ')}`,
      );
  return mapping;
}

function take(
  found: Iterable<readonly [string, number]>,
  mapping: Map<string, number>,
  taken: Set<number>,
): void {
  for (const [key, at] of found) {
    mapping.set(key, at);
    taken.add(at);
  }
}

function saidMapping(
  kind: DirectoryKind,
  header: readonly string[],
  said: ReadonlyMap<string, string>,
  taken: Set<number>,
): Array<[string, number]> {
  const known = fieldsOf(kind).map(({ key }) => key);
  return [...said].flatMap(([heading, key]): Array<[string, number]> => {
    const at = header.indexOf(heading);
    if (at < 0)
      throw new AppError('invalid_request', `--map names no column of: ${header.join(', ')}: ${heading}`);
    taken.add(at);
    if (key === '') return [];
    if (known.includes(key)) return [[key, at]];
    throw new AppError('invalid_request', `--map names no field of: ${known.join(', ')}: ${key}`);
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

/** @returns a heading as words: "year_founded", "YearFounded" and " Year founded" are one */
function foldHeading(heading: string): string {
  return foldText(heading.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_.#]+/g, ' '));
}

async function byValues(
  kind: DirectoryKind,
  file: DirectoryFile,
  mapping: FieldMapping,
  taken: ReadonlySet<number>,
): Promise<Map<string, number>> {
  const samples = await samplesOf(file);
  const found = new Map<string, number>();
  for (const [name, isAlike] of LOOKS) {
    const isPersons = kind === 'people' && name === 'linkedin_url';
    const key = kind === 'companies' || isPersons ? name : `company_${name}`;
    if (mapping.has(key)) continue;
    const at = samples.findIndex((values, column) => {
      if (taken.has(column) || [...found.values()].includes(column) || values.length < VALUES_MIN)
        return false;
      if (values.filter(isAlike).length < values.length * ALIKE_SHARE) return false;
      return !['website', 'domain'].includes(name) || areOwn(values);
    });
    if (at >= 0) found.set(key, at);
  }
  return found;
}

function areOwn(addresses: readonly string[]): boolean {
  return new Set(addresses.map(registrableDomain)).size >= addresses.length * OWN_SHARE;
}

/** @returns the values of each column in the first lines, without empty ones */
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
