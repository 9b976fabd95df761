import type { RawClient } from '@quarry/postgres';

/**
 * Schemas of the product that a backup includes. The tables of the queue are excluded: it is refilled from these. So is
 * the event log: in another cluster its transaction ids would be higher than new ones.
 */
export const KEPT_SCHEMAS = [
  'identity',
  'credits',
  'tables',
  'jobs',
  'runs',
  'go',
  'requests',
  'erasure',
  'directory',
  'webhooks',
  'destinations',
  'outreach',
] as const;

/** Tables of imported directories, which are as large as their files: their list, their numbers, and their data. */
const DIRECTORIES = '^(directories|numbers|(companies|people)(_[0-9]+)?)$';

/** Pattern of the table of an imported directory, which is created at a restore. It captures the table that it is like. */
export const DIRECTORY_TABLE = /^(directory\.(?:companies|people))_[1-9][0-9]{0,9}$/;

/** Excluded tables: deliveries of webhooks depend on the event log, and no push continues after a restore. */
const NOT_KEPT = "('deliveries', 'attempts', 'pushes', 'refused_rows')";

/** Returns the condition for a table or sequence of the included schemas in `$1`; `$2` includes directories. */
export const isKept = (schema: string, name: string): string =>
  `${schema} = ANY ($1) AND ($2 OR NOT (${schema} = 'directory' AND ${name} ~ '${DIRECTORIES}'))
   AND NOT (${schema} IN ('webhooks', 'destinations') AND ${name} IN ${NOT_KEPT})`;

/** A table of the product, its name quoted if necessary. */
export interface KeptTable {
  name: string;
  columns: string[];
}

/**
 * @param hasDirectories whether imported directories are included
 * @returns the tables in an order in which each comes after those that its foreign keys reference
 */
export async function keptTables(client: RawClient, hasDirectories = true): Promise<KeptTable[]> {
  const { rows: tables } = await client.query<KeptTable & { oid: string }>(
    `SELECT c.oid::text, format('%I.%I', n.nspname, c.relname) AS name,
       ARRAY(SELECT quote_ident(a.attname) FROM pg_attribute a
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${isKept('n.nspname', 'c.relname')} AND c.relkind = 'r' ORDER BY 2`,
    [KEPT_SCHEMAS, hasDirectories],
  );
  const { rows: keys } = await client.query<{ child: string; parent: string }>(
    // Deferred foreign keys, which are checked at the commit, do not restrict the order of the tables.
    `SELECT conrelid::text AS child, confrelid::text AS parent FROM (
       SELECT conrelid::oid, confrelid::oid FROM pg_constraint WHERE contype = 'f' AND NOT condeferred AND conrelid <> confrelid) AS f`,
  );
  const sorted: typeof tables = [];
  while (sorted.length < tables.length) {
    const isThere = (oid: string) => sorted.some((table) => table.oid === oid);
    const next = tables.filter(
      ({ oid }) => !isThere(oid) && keys.every(({ child, parent }) => child !== oid || isThere(parent)),
    );
    if (next.length === 0) throw new Error('Foreign keys that are checked at once form a circle.');
    sorted.push(...next);
  }
  return sorted.map(({ name, columns }) => ({ name, columns }));
}
