import { join } from 'node:path';

/** The companies of the S&P 500, from datasets/s-and-p-500-companies (Public Domain Dedication and License). */
export const CONSTITUENTS_FILE = join(import.meta.dirname, 'constituents.csv');
