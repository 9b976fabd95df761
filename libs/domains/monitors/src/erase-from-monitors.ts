import type { Ctx } from '@quarry/app';
import {
  lookingForPerson,
  ofTenant,
  tenantOf,
  type Database,
  type ErasurePart,
  type SoughtPerson,
} from '@quarry/postgres';
import { statement } from './statements.types.js';

/** Deletes monitors whose prompt names the person: without the name they have no purpose. The rows they found belong to their runs and stay. */
async function eraseMonitors(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
): Promise<Record<never, number>> {
  const found = await database.query(ctx, MONITORS_ABOUT[person.sought], [tenantOf(ctx), person.patterns]);
  const ids = found.flatMap(({ id, texts }) => (person.isIn(texts) ? id : []));
  if (ids.length > 0) await database.query(ctx, DELETE_MONITORS, [tenantOf(ctx), ids]);
  return {};
}

const MONITORS_ABOUT = lookingForPerson((by, condition) =>
  statement(
    `erase-from-monitors.monitorsAbout.${by}`,
    `SELECT id, texts FROM (
       SELECT id, jsonb_build_object('name', name, 'prompt', prompt, 'plans', plans) AS texts FROM runs.monitors WHERE ${ofTenant()}) AS monitors
     WHERE ${condition('texts::text', '$2')}`,
  ),
);

const DELETE_MONITORS = statement(
  'erase-from-monitors.deleteMonitors',
  `
  WITH gone AS (DELETE FROM runs.monitors WHERE ${ofTenant()} AND id = ANY ($2) RETURNING org_id, mode, id),
  items AS (DELETE FROM runs.monitor_items i USING gone g WHERE i.org_id = g.org_id AND i.mode = g.mode AND i.monitor_id = g.id)
  DELETE FROM runs.monitor_runs r USING gone g WHERE r.org_id = g.org_id AND r.mode = g.mode AND r.monitor_id = g.id`,
);

/** The part of a person's erasure that covers monitors. */
export const monitorErasure: ErasurePart<never> = { erase: eraseMonitors, openWork: [] };
