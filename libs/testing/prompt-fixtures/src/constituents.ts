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

/** Readers of a company's cells, written by hand, so that specs do not use the product's reading of them. */
export const CELLS = {
  sector: (company: Constituent) => company['GICS Sector'],
  branch: (company: Constituent) => company['GICS Sub-Industry'],
  added: (company: Constituent) => company['Date added'],
  /** Returns the first year of a cell, such as "1994 (Northrop 1939, Grumman 1930)". */
  founded: (company: Constituent) => Number(company.Founded.slice(0, 4)),
  /** Returns whether a headquarters is in one of the places. "Reston, Virginia[2]" has a footnote; two companies have two of them. */
  isIn: (company: Constituent, ...wanted: string[]) =>
    company['Headquarters Location']
      .replace(/\[\d+\]/g, '')
      .split(/[,;] /)
      .some((place) => wanted.includes(place)),
};
