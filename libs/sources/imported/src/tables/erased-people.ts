import { foldText, foldWords } from '@quarry/vocabulary';
import { linkedInSlug, nameOrders, Person, registrableDomain, type PersonNamed } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { systemCtx } from '@quarry/app';
import type { Database, RawClient } from '@quarry/postgres';

/** Advisory lock that serialises erasures and the last step of imports: the second one sees the result of the first. */
const TURN = "hashtext('directory erasures')";
/** Lock timeout: the maximum duration of the last step of two imports. */
const TURN_LOCK = '5min';

const BY_PROFILE = "'in ' || linkedin_slug";
const byNameAt = (company: string): string => `'name ' || full_name_folded || E'\\n' || ${company}`;
/**
 * Keys of slugs that are not ASCII: erasures in earlier releases hashed them percent-encoded or decomposed, as they were
 * entered.
 */
const ofOldErasure = (spelling: string): string =>
  `CASE WHEN octet_length(linkedin_slug) > length(linkedin_slug) THEN 'in ' || ${spelling} END`;
const ESCAPED = `(
  SELECT string_agg(CASE WHEN ascii(c) < 128 THEN c
    ELSE regexp_replace(encode(convert_to(c, 'UTF8'), 'hex'), '(..)', '%\\1', 'g') END, '' ORDER BY n)
  FROM string_to_table(linkedin_slug, NULL) WITH ORDINALITY AS t (c, n))`;
/** SQL expressions of the keys of a row's person, before hashing. */
const KEYS = [
  BY_PROFILE,
  ofOldErasure(ESCAPED),
  ofOldErasure('normalize(linkedin_slug, NFD)'),
  byNameAt('company_name_folded'),
  byNameAt('company_domain'),
];
const hashOf = (key: string): string => `sha256(convert_to(${key}, 'UTF8'))`;

/** People who were erased from imported directories, and are excluded from later imports. */
export class ErasedPeople {
  constructor(private readonly database: Database) {}

  /**
   * Deletes a person from all directories, and stores hashes with which later imports exclude the person.
   * @param named by LinkedIn address, or by name and company, the company by its name or domain
   * @returns the number of deleted rows
   * @throws AppError invalid_request when the person is not identified well enough
   */
  async erasePerson(named: PersonNamed): Promise<number> {
    const { slug, names, company, domain } = soughtOf(named);
    const given = [
      ...(slug === null ? [] : [`in ${slug}`]),
      ...[company, domain].flatMap((at) => (at === null ? [] : names.map((name) => `name ${name}\n${at}`))),
    ];
    return this.database.withOwnConnection(systemCtx('directory-erasure'), async (client) => {
      await client.query(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '${TURN_LOCK}'`);
      await client.query(`SELECT pg_advisory_xact_lock(${TURN})`);
      const { rows } = await client.query<{ erased: number }>(ERASE, [slug, names, company, domain, given]);
      return rows[0]!.erased;
    });
  }
}

/**
 * Deletes erased people from the table of an import that is about to be swapped in.
 * @param client in the transaction of the import
 * @returns the line numbers of the deleted rows in the file
 */
export async function leaveOutErasedPeople(client: RawClient, table: string): Promise<number[]> {
  await client.query(`SELECT pg_advisory_xact_lock_shared(${TURN})`);
  const { rows: some } = await client.query('SELECT 1 FROM erasure.directory_people LIMIT 1');
  if (some.length === 0) return [];
  // One subquery per key, each with a hash table of its own: a single condition with all keys would be evaluated row by row.
  const isErased = KEYS.map(
    (key) => `${hashOf(key)} IN (SELECT subject_sha256 FROM erasure.directory_people)`,
  ).join(' OR ');
  const { rows } = await client.query<{ line: number }>(
    `DELETE FROM ${table} WHERE ${isErased} RETURNING position AS line`,
  );
  return rows.map(({ line }) => line).sort((a, b) => a - b);
}

interface Sought {
  slug: string | null;
  /** Full name, in either order. */
  names: string[];
  company: string | null;
  domain: string | null;
}

function soughtOf(named: PersonNamed): Sought {
  const person = Person.of(named);
  if (person.kind === 'email')
    throw new AppError(
      'invalid_request',
      'Directories have no e-mail addresses of people: give a linkedin_url, or a name and a company.',
    );
  if (person.kind === 'linkedin')
    return { slug: linkedInSlug('people', named.linkedin_url), names: [], company: null, domain: null };
  const [name, company] = [named.name!, named.company!];
  return {
    slug: null,
    names: nameOrders(foldWords(name)).map((words) => words.join(' ')),
    company: foldText(company),
    domain: registrableDomain(company),
  };
}

/**
 * Deletes the rows. A row found by its name also identifies the person by its LinkedIn URL, whatever company the next file
 * has.
 */
const ERASE = `
  WITH gone AS (
    DELETE FROM directory.people
    WHERE linkedin_slug = $1 OR (full_name_folded = ANY($2::text[]) AND (company_name_folded = $3 OR company_domain = $4))
    RETURNING tableoid AS held_by, linkedin_slug
  ), counted AS (
    UPDATE directory.directories d SET row_count = d.row_count - g.rows
    FROM (SELECT held_by, count(*)::int AS rows FROM gone GROUP BY held_by) g
    WHERE d.kind = 'people' AND to_regclass('directory.people_' || d.number) = g.held_by
  ), remembered AS (
    INSERT INTO erasure.directory_people (subject_sha256)
    SELECT DISTINCT ${hashOf('key')} FROM (
      SELECT unnest($5::text[]) AS key
      UNION ALL SELECT ${BY_PROFILE} FROM gone WHERE linkedin_slug IS NOT NULL
    ) AS keys
    ON CONFLICT DO NOTHING
  )
  SELECT count(*)::int AS erased FROM gone`;
