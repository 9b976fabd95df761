import type pg from 'pg';
import { SQL_FUNCTIONS, type SqlFunction } from './index.js';

/**
 * Creates or replaces the functions whose text differs from the last applied one, like repeatable migrations: a function
 * has a current text and no history. Call it in the transaction that then grants the rights of each role, because
 * PostgreSQL drops the pinned search path of a replaced function.
 * @param client connected to a database with all migrations, in a transaction
 */
export async function applyFunctions(client: pg.ClientBase): Promise<void> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS quarry_functions (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL)',
  );
  const { rows } = await client.query<Omit<SqlFunction, 'text'>>(
    'SELECT name, checksum FROM quarry_functions',
  );
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  for (const { name, text, checksum } of SQL_FUNCTIONS) {
    if (applied.get(name) === checksum) continue;
    await client.query(text);
    await client.query(
      `INSERT INTO quarry_functions VALUES ($1, $2, clock_timestamp())
       ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, applied_at = excluded.applied_at`,
      [name, checksum],
    );
  }
}

/** @returns the functions of this version that do not exist in the database; works for any role that may log in */
export async function missingFunctions(client: pg.ClientBase): Promise<string[]> {
  const { rowCount: isThere } = await client.query(
    "SELECT 1 WHERE has_table_privilege(to_regclass('quarry_functions'), 'SELECT')",
  );
  const { rows } = isThere
    ? await client.query<{ name: string }>('SELECT name FROM quarry_functions')
    : { rows: [] };
  const made = new Set(rows.map(({ name }) => name));
  return SQL_FUNCTIONS.map(({ name }) => name).filter((name) => !made.has(name));
}
