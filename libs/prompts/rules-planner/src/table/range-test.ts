import type { DateRange, IntentRange } from '@quarry/plan';
import type { NumberRange } from '@quarry/directory';
import { listOf, parsePhrases } from '../language/phrase-list.js';
import { ABOUT_SHARE, readRange, type RangeReading } from '../language/quantity.js';
import { readList, type Read, type Reader } from '../language/read.js';
import type { Reading } from '../language/recogniser.js';
import { readYears } from '../language/recognisers/years.js';
import type { ColumnTest } from './column-condition.js';
import type { TableColumn } from './table-schema.js';

const ALTERNATIVES = parsePhrases('or', 'nor', ', or', ', nor');
/** Words that may follow a number without turning it into a number of something else. */
const BESIDE_NUMBERS = new Set(
  listOf('or | nor | and | but | in | at | with | without | sorted | who | that'),
);

/** Reads bounds for the cells, if the column's type is ordered: "above 50", "before 1950", "after 2010-06-30". */
export function rangeTest(column: TableColumn, reading: Reading, at: number): Read<ColumnTest> | null {
  switch (column.type) {
    case 'text':
      return null;
    case 'number':
      return numberTest(column, reading, at);
    case 'year':
      return yearTest(reading, at);
    case 'date':
      return dayTest(reading, at) ?? yearOfDateTest(reading, at);
  }
}

/** Reads numbers for the cells of a column: one range, or several connected by "or". */
export function numberTest(
  column: TableColumn,
  reading: Reading,
  at: number,
): Read<ColumnTest & Pick<RangeReading, 'isExplicit'>> | null {
  const found = readAlternatives(reading, at, readRange);
  if (!found) return null;
  const ranges = found.value.map((range) => cellRange(column, range));
  const isExplicit = found.value[0]?.isExplicit ?? false;
  return { value: { test: { op: 'number', value: ranges }, isExplicit }, length: found.length };
}

/** Converts a range to whole numbers, unless the column or the stated number has a fraction: then to the bound itself. */
function cellRange({ isDecimal }: TableColumn, { range, comparison }: RangeReading): IntentRange {
  if (!comparison || (!isDecimal && Number.isInteger(comparison.value))) return range;
  const { bound, value } = comparison;
  switch (bound) {
    case 'above':
      return { min: value, max: null, is_open: true };
    case 'below':
      return { min: null, max: value, is_open: true };
    case 'about':
      return { min: roundNumber(value * (1 - ABOUT_SHARE)), max: roundNumber(value * (1 + ABOUT_SHARE)) };
    default:
      return range;
  }
}

/** Removes binary rounding errors: 4.2 less a fifth is 3.36. */
function roundNumber(value: number): number {
  return Number(value.toPrecision(12));
}

function yearTest(reading: Reading, at: number): Read<ColumnTest> | null {
  const found = readAlternatives(reading, at, yearsAfter);
  return found && { value: { test: { op: 'year', value: found.value } }, length: found.length };
}

/** Reads "50 or 100", where the second number has no noun of its own. */
function readAlternatives<T>(reading: Reading, at: number, read: Reader<T>): Read<T[]> | null {
  return readList(reading, at, ALTERNATIVES, read, (_reading, next) => {
    const found = read(reading, next);
    const follows = reading.tokens[next + (found?.length ?? 0)];
    return follows?.kind === 'word' && !BESIDE_NUMBERS.has(follows.folded) ? null : found;
  });
}

function yearOfDateTest(reading: Reading, at: number): Read<ColumnTest> | null {
  const found = yearsAfter(reading, at);
  return found && dayRange(daysOfYears(found.value), found.length);
}

/** @returns the first and the last day of a range of years */
export function daysOfYears({ min, max }: NumberRange): DateRange {
  return { from: min === null ? null : `${min}-01-01`, to: max === null ? null : `${max}-12-31` };
}

function yearsAfter(reading: Reading, at: number): Read<NumberRange> | null {
  const isSmallWord = ['in', 'sometime', 'to', 'index'].includes(reading.words[at] ?? '');
  const skip = isSmallWord && reading.words[at + 1] !== 'the' ? 1 : 0;
  const found = readYears(reading, at + skip, true);
  return found ? { value: found.value, length: found.length + skip } : null;
}

/** Reads "after 2010-06-30", "between 2010-01-01 and 2011-01-01", "on 2015-03-04". */
function dayTest(reading: Reading, at: number): Read<ColumnTest> | null {
  const lead = reading.words[at] ?? '';
  const skip = reading.tokens[at]?.kind === 'date' ? 0 : 1;
  const first = reading.tokens[at + skip];
  if (first?.kind !== 'date') return null;
  const day = first.text;
  const second = reading.tokens[at + skip + 2];
  if (lead === 'between' && second?.kind === 'date') return dayRange({ from: day, to: second.text }, 4);
  if (lead === 'after') return dayRange({ from: shiftDay(day, 1), to: null }, 2);
  if (lead === 'since' || lead === 'from') return dayRange({ from: day, to: null }, 2);
  if (lead === 'before') return dayRange({ from: null, to: shiftDay(day, -1) }, 2);
  return ['until', 'by'].includes(lead)
    ? dayRange({ from: null, to: day }, 2)
    : dayRange({ from: day, to: day }, skip + 1);
}

/** @returns the date `days` days later, in the proleptic Gregorian calendar */
function shiftDay(day: string, days: number): string {
  const shifted = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(shifted.getTime())) return day;
  shifted.setUTCDate(shifted.getUTCDate() + days);
  return shifted.toISOString().slice(0, 10);
}

function dayRange(range: DateRange, length: number): Read<ColumnTest> {
  return { value: { test: { op: 'date', value: range } }, length };
}
