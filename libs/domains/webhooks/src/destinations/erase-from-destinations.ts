import type { Ctx } from '@quarry/app';
import {
  lookingForPerson,
  ofTenant,
  tenantOf,
  type Database,
  type ErasurePart,
  type SoughtPerson,
} from '@quarry/postgres';
import { statement } from '../statements.types.js';

/** Deletes records of rows sent under a person's email address. The rows at the vendor are not affected. */
export async function eraseFromDestinations(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
): Promise<number> {
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

const OPEN_PUSHES = statement(
  'erase-from-destinations.openPushes',
  `SELECT 1 AS open FROM destinations.pushes
   WHERE ${ofTenant()} AND ended_at IS NULL AND ($2::timestamptz IS NULL OR created_at <= $2::timestamptz) LIMIT 1`,
);

/** The part of a person's erasure that covers records of rows sent to destinations. */
export const destinationErasure: ErasurePart<'sent_rows'> = {
  erase: async (database, ctx, person) => ({ sent_rows: await eraseFromDestinations(database, ctx, person) }),
  openWork: [OPEN_PUSHES],
};
