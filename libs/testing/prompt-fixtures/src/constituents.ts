import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';

/** The companies of the S&P 500, from datasets/s-and-p-500-companies (Public Domain Dedication and License). */
export const CONSTITUENTS_FILE = join(import.meta.dirname, 'constituents.csv');

export type Constituent = Record<
  | 'Symbol'
  | 'Security'
  | 'GICS Sector'
  | 'GICS Sub-Industry'
  | 'Headquarters Location'
  | 'Date added'
  | 'CIK'
  | 'Founded',
  string
>;

/** @returns the companies of the file, whose cells are all text */
export function readConstituents(): Constituent[] {
  return parse(readFileSync(CONSTITUENTS_FILE), { columns: true }) as Constituent[];
}
