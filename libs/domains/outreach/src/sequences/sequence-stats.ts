import { Injectable } from '@nestjs/common';
import type { JsonText, SequenceStats } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Database, ofTenant, tenantOf } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { SequenceStore } from './sequence.store.js';

/** Counts the outcomes of a sequence. */
@Injectable()
export class SequenceStatistics {
  constructor(
    private readonly database: Database,
    private readonly sequences: SequenceStore,
  ) {}

  /** @returns sent messages and their outcomes, by step and by day in the time zone of their mailbox @throws AppError not_found */
  async readStatistics(ctx: Ctx, sequenceId: string): Promise<JsonText<typeof SequenceStats>> {
    const { id } = await this.sequences.findSequence(ctx, sequenceId);
    const row = await this.database.queryOne(ctx, STATS, [tenantOf(ctx), id], 'list');
    return row!.json;
  }
}

const COUNTS = ['sent', 'bounced', 'replied', 'unsubscribed']
  .map((kind) => `'${kind}', count(*) FILTER (WHERE f.kind = '${kind}')::int`)
  .join(', ');

/** Counts by step: an incoming mail belongs to the last message before it. */
const STATS = statement(
  'sequence-stats.read',
  `
  WITH facts AS MATERIALIZED (
    SELECT 'sent' AS kind, m.step, (m.ended_at AT TIME ZONE b.time_zone)::date AS day
    FROM outreach.messages m JOIN outreach.mailboxes b ON b.org_id = m.org_id AND b.mode = m.mode AND b.id = m.mailbox_id
    WHERE ${ofTenant('m')} AND m.sequence_id = $2 AND m.state = 'sent' AND m.step IS NOT NULL
    UNION ALL
    SELECT e.status, greatest(0, e.step - 1), (e.ended_at AT TIME ZONE b.time_zone)::date
    FROM outreach.enrollments e JOIN outreach.mailboxes b ON b.org_id = e.org_id AND b.mode = e.mode AND b.id = e.mailbox_id
    WHERE ${ofTenant('e')} AND e.sequence_id = $2 AND e.status IN ('bounced', 'replied', 'unsubscribed')
  )
  SELECT json_build_object(
    'totals', (SELECT json_build_object(${COUNTS}) FROM facts f),
    'by_step', (SELECT coalesce(json_agg(s.counts ORDER BY s.step), '[]')
      FROM (SELECT f.step, json_build_object('step', f.step, ${COUNTS}) AS counts FROM facts f GROUP BY f.step) AS s),
    'by_day', (SELECT coalesce(json_agg(d.counts ORDER BY d.day), '[]')
      FROM (SELECT f.day, json_build_object('day', f.day, ${COUNTS}) AS counts FROM facts f GROUP BY f.day) AS d))::text AS json`,
).rows<{ json: JsonText<typeof SequenceStats> }>();
