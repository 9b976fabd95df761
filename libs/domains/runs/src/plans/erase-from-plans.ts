import type { Ctx } from '@quarry/app';
import {
  erasurePages,
  lookingForPerson,
  ofTenant,
  tenantOf,
  type Database,
  type ErasurePart,
  type SoughtPerson,
} from '@quarry/postgres';
import { statement } from '../statements.types.js';

const PLANS_PER_STATEMENT = 200;

/** Deletes plans that name a person: without these texts they have no use. */
async function erasePlans(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
): Promise<Record<'plans', number>> {
  let plans = 0;
  const pages = erasurePages(PLANS_PER_STATEMENT, (before) =>
    database.query(ctx, PLAN_PAGE[person.sought], [tenantOf(ctx), ...before, person.patterns]),
  );
  for await (const page of pages) {
    const ids = page.flatMap(({ id, found }) => (found !== null && person.isIn(found) ? id : []));
    if (ids.length > 0) plans += (await database.query(ctx, DELETE_PLANS, [tenantOf(ctx), ids])).length;
  }
  return { plans };
}

const PLAN_PAGE = lookingForPerson((by, condition) =>
  statement(
    `erase-from-plans.page.${by}`,
    `SELECT id, at, CASE WHEN ${condition('texts::text', '$4')} THEN texts END AS found FROM (
       SELECT id, created_at::text AS at, jsonb_build_object('prompt', prompt, 'plans', plans, 'output_contract', output_contract) AS texts
       FROM runs.plans WHERE ${ofTenant()} AND ($2::timestamptz IS NULL OR (created_at, id) < ($2::timestamptz, $3::text))
       ORDER BY created_at DESC, id DESC LIMIT ${PLANS_PER_STATEMENT}) AS page`,
  ).rows<{ id: string; at: string; found: unknown }>(),
);

const DELETE_PLANS = statement(
  'erase-from-plans.delete',
  `DELETE FROM runs.plans WHERE ${ofTenant()} AND id = ANY ($2) RETURNING 1`,
);

/** The part of an erasure for plans. */
export const planErasure: ErasurePart<'plans'> = { erase: erasePlans, openWork: [] };
