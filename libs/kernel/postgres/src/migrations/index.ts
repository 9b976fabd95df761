import * as all from './all.js';

/** All migrations, oldest first: a name ends with the time of its migration. */
export const MIGRATIONS = Object.values(all).sort((a, b) => timeOf(a) - timeOf(b));

/** As the database remembers what was applied to it. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

function timeOf({ name }: { name: string }): number {
  return Number(name.slice(-13));
}
