import type { Person } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { lookingForPerson, ofTenant, tenantOf, type Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/** Erases records of rows sent under a person's e-mail address. The sent rows are with the vendor, and are not touched. */
export async function eraseFromDestinations(database: Database, ctx: Ctx, person: Person): Promise<number> {
  const found = await database.query(ctx, ABOUT[person.sought], [tenantOf(ctx), person.patterns]);
  const keys = [...new Set(found.map(({ key }) => key).filter((key) => person.isIn(key)))];
  return (await database.query(ctx, DELETE, [tenantOf(ctx), keys])).length;
}

const ABOUT = lookingForPerson((by, condition) =>
  statement(
    `erase-from-destinations.about.${by}`,
    `SELECT s.key FROM destinations.sent_rows s WHERE ${ofTenant('s')} AND ${condition('s.key', '$2')}`,
  ),
);

const DELETE = statement(
  'erase-from-destinations.delete',
  `DELETE FROM destinations.sent_rows WHERE ${ofTenant()} AND key = ANY ($2::text[]) RETURNING 1`,
);
