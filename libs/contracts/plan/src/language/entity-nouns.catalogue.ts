import type { Entity } from '../run-plan.js';

/** Nouns that name the kind of a row, separated by "|". */
export const ENTITY_NOUNS: ReadonlyArray<readonly [Entity, string]> = [
  [
    'company',
    `company | firm | business | organization | organisation | vendor | supplier | corporation | enterprise
      | employer | account | player | provider | operator | maker | producer | shop | studio | brand | outfit
      | group | institution | house | corporate | startup company | specialist firm`,
  ],
  [
    'person',
    `person | people | contact | lead | prospect | professional | individual | employee | persona | expert
      | someone | anyone | candidate | specialist | profile | stakeholder | folks`,
  ],
];
