import type { OwnPlaceRow } from '@quarry/directory';
import { statement } from '../../statements.types.js';
import type { DirectoryHead } from '../directory.store.js';
import { tableOf } from '../directory-table.js';
import type { DirectoryReader } from './imported-directory.js';

/** The most frequent places of each column are enough: with their names they take some megabytes. */
const PLACES_MAX = 10_000;
const NAME_MAX = 60;

/** Reads the most frequent cities and states of directories, each with the country that its rows say. */
export async function readPlaces(
  { database, ctx }: DirectoryReader,
  heads: readonly DirectoryHead[],
): Promise<OwnPlaceRow[]> {
  const rows: OwnPlaceRow[] = [];
  for (const { kind, number } of heads)
    for (const prefix of kind === 'people' ? ['', 'company_'] : [''])
      for (const column of ['city', 'state'] as const) {
        const [name, code] = [`${prefix}${column}`, `${prefix}country_code`];
        const text = `SELECT ${name} AS city, ${code} AS country_code FROM ${tableOf(kind, number)}
          WHERE length(${name}) <= ${NAME_MAX} GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2 LIMIT ${PLACES_MAX}`;
        const found = await database.query(ctx, PLACES.composed(text), [], 'list');
        rows.push(
          ...found.flatMap(({ city, country_code: countryCode }) =>
            city === null ? [] : { kind: column, name: city, countryCode },
          ),
        );
      }
  return rows;
}

const PLACES = statement('imported-directory.places', 'SELECT city, country_code FROM directory.companies');
