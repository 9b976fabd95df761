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

/** Erases a person from the columns and the journals of ended enrichments: a constant input may name them. */
async function eraseEnrichments(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
): Promise<Record<'runs' | 'in_work', number>> {
  const found = await database.query(ctx, ENRICHMENTS_ABOUT[person.sought], [tenantOf(ctx), person.patterns]);
  const named = found.filter(({ columns, steps }) => person.isIn(columns, steps));
  const ended = named.filter((each) => each.ended);
  for (const { id, columns, steps } of ended)
    await database.query(ctx, REDACT_ENRICHMENT, [
      tenantOf(ctx),
      id,
      JSON.stringify(person.redacted(columns, 'Erased')),
      JSON.stringify(person.redacted(steps, null)),
    ]);
  return { runs: ended.length, in_work: named.length - ended.length };
}

const ENRICHMENTS_ABOUT = lookingForPerson((by, condition) =>
  statement(
    `erase-from-enrichments.enrichmentsAbout.${by}`,
    `SELECT id, columns, steps, ended FROM (
       SELECT e.id, e.columns, e.ended_at IS NOT NULL AS ended, coalesce((
         SELECT jsonb_object_agg(s.name, jsonb_build_array(s.input, s.result)) FROM runs.enrichment_steps s
         WHERE s.enrichment_id = e.id), '{}') AS steps
       FROM runs.enrichments e WHERE ${ofTenant('e')}) AS enrichments
     WHERE ${condition("concat(columns, ' ', steps)", '$2')}`,
  ).rows<{ ended: boolean; steps: Record<string, [unknown, unknown]> }>(),
);

const REDACT_ENRICHMENT = statement(
  'erase-from-enrichments.redactEnrichment',
  `
  WITH emptied AS (
    UPDATE runs.enrichments SET columns = $3::jsonb WHERE ${ofTenant()} AND id = $2 RETURNING id)
  UPDATE runs.enrichment_steps s SET input = given.value -> 0, result = nullif(given.value -> 1, 'null')
  FROM emptied e, jsonb_each($4::jsonb) AS given
  WHERE s.enrichment_id = e.id AND s.name = given.key`,
);

const OPEN_ENRICHMENTS = statement(
  'erase-from-enrichments.openEnrichments',
  `SELECT 1 AS open FROM runs.enrichments
   WHERE ${ofTenant()} AND status IN ('queued', 'running') AND ($2::timestamptz IS NULL OR created_at <= $2::timestamptz) LIMIT 1`,
);

/** The part of a person's erasure that covers enrichments, which are counted as runs. */
export const enrichmentErasure: ErasurePart<'runs' | 'in_work'> = {
  erase: eraseEnrichments,
  openWork: [OPEN_ENRICHMENTS],
};
