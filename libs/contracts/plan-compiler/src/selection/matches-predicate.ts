import { isInRanges } from '@quarry/directory';
import type { CellRange, DateRange, Predicate, PredicateTest } from '@quarry/plan';
import {
  addressPartsOf,
  DEPARTMENTS,
  foldText,
  foldWords,
  isIn,
  roleOfTitle,
  SENIORITIES,
  type Role,
  type Place,
} from '@quarry/vocabulary';

export type RowValues = Readonly<Record<string, unknown>>;
type TestOf<Op extends PredicateTest['op']> = Extract<PredicateTest, { op: Op }>;

/**
 * Evaluates one condition on one row.
 * @returns true or false, or null without evidence, when a cell that the test reads is empty
 */
export function matchesPredicate(values: RowValues, predicate: Predicate): boolean | null {
  const passed = passesTest(values, predicate);
  return passed === null || !predicate.negate ? passed : !passed;
}

function passesTest(values: RowValues, { column_keys, test }: Predicate): boolean | null {
  const cells = column_keys.map((key) => values[key] ?? null);
  const [cell = null] = cells;
  switch (test.op) {
    case 'every':
      return everyHolds(values, test);
    case 'any':
      return anyHolds(values, test);
    case 'place':
      return isPlaced(cells, test);
    case 'role':
      return hasAnyRole(cells, test);
    case 'filled':
      return !isBlank(cell);
    default:
      return isBlank(cell) ? null : passesCell(cell, test);
  }
}

function passesCell(
  cell: unknown,
  test: Exclude<PredicateTest, TestOf<'every' | 'any' | 'place' | 'role' | 'filled'>>,
): boolean | null {
  switch (test.op) {
    case 'one_of':
      return hasText(cell, test, (text, value) => text === value);
    case 'contains':
      return hasText(cell, test, (text, value) => text.includes(value));
    case 'has_words':
      return textsOf(cell).some((text) => test.values.some((value) => containsWords(text, value)));
    case 'starts_with':
      return hasText(cell, test, (text, value) => text.startsWith(value));
    case 'ends_with':
      return hasText(cell, test, (text, value) => text.endsWith(value));
    case 'number':
      return inRanges(numberOf(cell), test);
    case 'year':
      return inRanges(yearOf(cell), test);
    case 'date':
      return inDates(dateOf(cell), test.range);
    case 'address':
      return isAddressIn(cell, test);
    case 'is':
      return booleanOf(cell) === null ? null : booleanOf(cell) === test.value;
  }
}

/** Cache of the folded values of tests: a test runs on each row of a table, with the same values. */
const foldedValues = new WeakMap<readonly string[], readonly string[]>();

function hasText(
  cell: unknown,
  { values }: { values: readonly string[] },
  isMatch: (text: string, value: string) => boolean,
): boolean {
  const folded = foldedValues.get(values) ?? values.map(foldText);
  foldedValues.set(values, folded);
  return textsOf(cell)
    .map(foldText)
    .some((text) => folded.some((value) => isMatch(text, value)));
}

function everyHolds(values: RowValues, { parts }: TestOf<'every'>): boolean | null {
  const verdicts = parts.map((part) => matchesPredicate(values, part));
  if (verdicts.includes(false)) return false;
  return verdicts.includes(null) ? null : true;
}

function anyHolds(values: RowValues, { parts }: TestOf<'any'>): boolean | null {
  const verdicts = parts.map((part) => matchesPredicate(values, part));
  if (verdicts.includes(true)) return true;
  return verdicts.includes(null) ? null : false;
}

function isPlaced(cells: readonly unknown[], { places }: TestOf<'place'>): boolean | null {
  const [city, state, country] = cells.map((cell) => (isBlank(cell) ? null : String(cell)));
  if (!country) return null;
  const location = { city: city ?? null, state: state ?? null, country };
  return places.some((place) => isIn(place, location));
}

function hasAnyRole(cells: readonly unknown[], { roles }: TestOf<'role'>): boolean | null {
  const person = personIn(cells);
  return anyOf(roles.map((role) => isRole(role, person)));
}

interface PersonCells {
  readonly title: string | null;
  /** Name of the level; if the cell is empty, it is derived from the title. */
  readonly seniority: string | null;
  readonly department: string | null;
}

function personIn(cells: readonly unknown[]): PersonCells {
  const [title = null, seniority = null, department = null] = cells.map((cell) =>
    isBlank(cell) ? null : String(cell),
  );
  const origin = title === null ? null : roleOfTitle(title);
  const nameIn = (names: ReadonlyArray<{ id: string; name: string }>, id: string | null | undefined) =>
    names.find((each) => each.id === id)?.name ?? null;
  return {
    title,
    seniority: seniority ?? nameIn(SENIORITIES, origin?.seniority),
    department: department ?? nameIn(DEPARTMENTS, origin?.department),
  };
}

/** @returns null when a part of the role is unknown, and no known part contradicts it */
function isRole(role: Role, { title, seniority, department }: PersonCells): boolean | null {
  const isAmong = (
    names: ReadonlyArray<{ id: string; name: string }>,
    ids: readonly string[],
    name: string | null,
  ): boolean | null =>
    ids.length === 0 ||
    (name === null ? null : names.some((each) => ids.includes(each.id) && each.name === name));
  const words = title === null ? null : foldWords(title);
  return allOf([
    isAmong(SENIORITIES, role.seniorities, seniority),
    isAmong(DEPARTMENTS, role.departments, department),
    role.titleWords.length === 0 || (words && role.titleWords.every((word) => words.includes(word))),
  ]);
}

function allOf(verdicts: ReadonlyArray<boolean | null>): boolean | null {
  if (verdicts.includes(false)) return false;
  return verdicts.includes(null) ? null : true;
}

function anyOf(verdicts: ReadonlyArray<boolean | null>): boolean | null {
  if (verdicts.includes(true)) return true;
  return verdicts.includes(null) ? null : false;
}

function isAddressIn(cell: unknown, { places }: TestOf<'address'>): boolean {
  // Tables copied from an encyclopaedia contain footnote marks, such as "Virginia[2]".
  const addresses = textsOf(cell)
    .flatMap((text) => text.replace(/\[\d+\]/g, '').split(/[;/]/))
    .map((address) => address.split(',').map(foldText));
  return places.some((place) => addresses.some((parts) => isAddressOf(place, parts)));
}

function isAddressOf(place: Place, parts: readonly string[]): boolean {
  // The last part, after a comma, is the state: New York City is not all of New York.
  const own = place.isCityOnly && parts.length > 1 ? parts.slice(0, -1) : parts;
  return addressPartsOf(place).some((name) => own.includes(name));
}

function inRanges(value: number | null, { ranges }: TestOf<'number' | 'year'>): boolean | null {
  return value === null ? null : ranges.some((range) => isInCellRange(value, range));
}

function isInCellRange(value: number, range: CellRange): boolean {
  const isExcluded = range.isOpen === true && (value === range.min || value === range.max);
  return isInRanges(value, [range]) && !isExcluded;
}

function inDates(day: string | null, { from, to }: DateRange): boolean | null {
  return day === null ? null : (from === null || day >= from) && (to === null || day <= to);
}

function containsWords(text: string, part: string): boolean {
  return ` ${foldText(text)} `.includes(` ${foldText(part)} `);
}

function isBlank(cell: unknown): boolean {
  return cell === null || cell === undefined || cell === '' || (Array.isArray(cell) && cell.length === 0);
}

function textsOf(cell: unknown): string[] {
  return (Array.isArray(cell) ? cell : [cell]).map((item) =>
    typeof item === 'object' ? JSON.stringify(item) : String(item),
  );
}

function numberOf(cell: unknown): number | null {
  if (typeof cell === 'number') return cell;
  const text = String(cell).replace(/[,\s$€£]/g, '');
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

function yearOf(cell: unknown): number | null {
  if (typeof cell === 'number') return cell;
  const year = /(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)/.exec(String(cell))?.[1];
  return year === undefined ? null : Number(year);
}

function dateOf(cell: unknown): string | null {
  return /^\s*(\d{4}-\d{2}-\d{2})/.exec(String(cell))?.[1] ?? null;
}

function booleanOf(cell: unknown): boolean | null {
  if (typeof cell === 'boolean') return cell;
  const text = foldText(String(cell));
  if (['true', 'yes', 'y', '1'].includes(text)) return true;
  return ['false', 'no', 'n', '0'].includes(text) ? false : null;
}
