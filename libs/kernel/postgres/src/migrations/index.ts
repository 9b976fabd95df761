import * as all from './all.js';

/** All migrations, oldest first: a name ends with the timestamp of its migration. */
export const MIGRATIONS = Object.values(all).sort((a, b) => timeOf(a) - timeOf(b));

/** Names under which the database records applied migrations. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

function timeOf({ name }: { name: string }): number {
  return Number(name.slice(-13));
}
