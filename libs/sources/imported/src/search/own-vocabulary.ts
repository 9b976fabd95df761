import { ownWordId, type OwnWordRow } from '@quarry/vocabulary';
import { statement } from '../statements.types.js';
import type { DirectoryHead } from '../tables/directory.store.js';
import { tableOf } from '../tables/directory-table.js';
import type { DirectoryReader } from './imported-directory.js';

/** Maximum number of words per column, the most frequent first: with their names they take a few megabytes. */
const WORDS_MAX = 10_000;
const NAME_MAX = 60;
const OWN = ownWordId('');
const OWN_LENGTH = OWN.length;

/** Columns whose values are used as words in prompts and filters, and the entity they belong to. */
const COLUMNS: ReadonlyArray<{ kind: OwnWordRow['kind']; of: 'all' | 'company' | 'person' }> = [
  { kind: 'city', of: 'all' },
  { kind: 'state', of: 'all' },
  { kind: 'industry', of: 'company' },
  { kind: 'technology', of: 'company' },
  { kind: 'title', of: 'person' },
];

/**
 * Reads the most frequent words of directories that may be missing from the catalogues; places with the country of their
 * rows.
 */
export async function readOwnWords(
  { database, ctx }: DirectoryReader,
  heads: readonly DirectoryHead[],
): Promise<OwnWordRow[]> {
  const rows: OwnWordRow[] = [];
  for (const { kind, number } of heads)
    for (const prefix of kind === 'people' ? ['', 'company_'] : [''])
      for (const column of COLUMNS) {
        const isOfCompany = kind === 'companies' || prefix !== '';
        if (column.of !== 'all' && (column.of === 'company') !== isOfCompany) continue;
        const name = `${prefix}${column.kind}`;
        const code = column.of === 'all' ? `${prefix}country_code` : 'NULL';
        const table = tableOf(kind, number);
        const uncatalogued = column.kind === 'industry' ? ` AND ${prefix}industry_id IS NULL` : '';
        const words =
          column.kind === 'technology'
            ? `SELECT substr(word, ${OWN_LENGTH + 1}) AS city, NULL AS country_code
               FROM ${table}, unnest(${prefix}technologies) AS word WHERE starts_with(word, '${OWN}')`
            : `SELECT ${name} AS city, ${code} AS country_code FROM ${table} WHERE length(${name}) <= ${NAME_MAX}${uncatalogued}`;
        const text = `${words} GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2 LIMIT ${WORDS_MAX}`;
        const found = await database.query(ctx, WORDS.composed(text), [], 'list');
        rows.push(
          ...found.flatMap(({ city: word, country_code: countryCode }) =>
            word === null ? [] : { kind: column.kind, name: word, countryCode },
          ),
        );
      }
  return rows;
}

const WORDS = statement('imported-directory.words', 'SELECT city, country_code FROM directory.companies');
