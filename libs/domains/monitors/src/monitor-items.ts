import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { linkedInSlug, registrableDomain } from '@quarry/dto';
import { canonicalJson } from '@quarry/app';
import type { RunPlan } from '@quarry/plan';
import { Database, ofTenant, TENANT, tenantOf, type TxCtx } from '@quarry/postgres';
import {
  MonitorItemsPort,
  RunFailure,
  type FoundItems,
  type MonitoredRun,
  type MonitorMemory,
  type SourcedRow,
} from '@quarry/runs';
import { statement } from './statements.types.js';

/** Remembers what the completed runs of a monitor have found, so that nothing is paid for or reported twice. */
@Injectable()
export class MonitorItems extends MonitorItemsPort {
  constructor(private readonly database: Database) {
    super();
  }

  async openMemory(run: MonitoredRun): Promise<MonitorMemory | null> {
    if (run.monitorId === null) return null;
    const { ctx, id, monitorId } = run;
    const monitor = await this.database.queryOne(ctx, OPEN, [tenantOf(ctx), monitorId, id]);
    if (!monitor) throw new RunFailure('agent_execution_failed', 'The monitor of this run was deleted.');
    const { is_silent: isSilent, identity_key: key, watch } = monitor;
    const hashOf = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
    return {
      isSilent,
      seenOf: (plan, row) => {
        const identity = hashOf(nameOf(plan, row));
        const values = watch?.map((column) => row.values[column] ?? null);
        return { identity, watched: values ? hashOf(`watched ${canonicalJson([identity, values])}`) : null };
      },
      findKnown: async (rows) => {
        const params = [tenantOf(ctx), monitorId, rows.map(({ identity }) => identity)] as const;
        // Several rows can share an identity: the first one counts.
        const seen = Object.fromEntries(
          rows.toReversed().map(({ identity, watched }) => [identity, watched]),
        );
        const known = watch
          ? await this.database.query(ctx, COMPARE, [...params, JSON.stringify(seen)])
          : await this.database.query(ctx, SEE, params);
        return new Map(known.map(({ identity, has_changed: hasChanged }) => [identity, { hasChanged }]));
      },
    };
  }

  async addItems(
    tx: TxCtx,
    { id, monitorId }: Pick<MonitoredRun, 'id' | 'monitorId'>,
    found: FoundItems,
  ): Promise<void> {
    await this.database.query(tx, ADD, [
      tenantOf(tx),
      monitorId,
      id,
      found.items.map(({ identity }) => identity),
      found.items.map(({ tableId }) => tableId),
      found.items.map(({ rowId }) => rowId),
      found.items.map(({ watched }) => watched),
      found.items.map(({ isUpdated }) => isUpdated),
      found.known,
    ]);
  }
}

/** Returns the identity of a row: its domain or profile, or else its name, combined with the employer for a person. */
function nameOf({ entity, source }: RunPlan, { key, attributes }: SourcedRow): string {
  if (source.kind === 'table') return `row ${key}`;
  const textOf = (name: string): string => {
    const value = attributes[name];
    return typeof value === 'string' ? value.normalize('NFKC').trim().toLowerCase() : '';
  };
  const slug = linkedInSlug(entity === 'company' ? 'companies' : 'people', textOf('linkedin_url'));
  const domain = registrableDomain(textOf(entity === 'company' ? 'domain' : 'company_domain'));
  if (entity === 'company' && domain !== null) return `domain ${domain}`;
  if (slug !== null) return `profile ${slug}`;
  const name = entity === 'company' ? textOf('name') : textOf('full_name');
  return name === '' ? `record ${key}` : `name ${JSON.stringify([name, domain])}`;
}

const OPEN = statement(
  'monitor-items.open',
  `
  SELECT m.identity_key, m.watch, r.is_silent FROM runs.monitors m
  JOIN runs.monitor_runs r ON r.org_id = m.org_id AND r.mode = m.mode AND r.monitor_id = m.id
  WHERE ${ofTenant('m')} AND m.id = $2 AND r.run_id = $3`,
).rows<{ watch: string[] | null }>();

const SEE = statement(
  'monitor-items.see',
  `UPDATE runs.monitor_items SET last_seen = clock_timestamp()
   WHERE ${ofTenant()} AND monitor_id = $2 AND identity = ANY ($3::text[]) RETURNING identity, false AS has_changed`,
).rows<{ has_changed: boolean }>();

// The stored values are replaced when the run that reports the change ends. A row without stored values has not changed.
const COMPARE = statement(
  'monitor-items.compare',
  `UPDATE runs.monitor_items SET last_seen = clock_timestamp(), watched = coalesce(watched, $4::jsonb ->> identity)
   WHERE ${ofTenant()} AND monitor_id = $2 AND identity = ANY ($3::text[])
   RETURNING identity, watched <> $4::jsonb ->> identity AS has_changed`,
).rows<{ has_changed: boolean }>();

const ADD = statement(
  'monitor-items.add',
  `
  WITH run AS (
    SELECT is_silent FROM runs.monitor_runs WHERE ${ofTenant()} AND monitor_id = $2 AND run_id = $3),
  found AS (
    SELECT f.* FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[])
      AS f (identity, table_id, row_id, watched, is_updated)),
  added AS (
    INSERT INTO runs.monitor_items (org_id, mode, monitor_id, run_id, identity, table_id, row_id, watched, is_reported, first_seen, last_seen)
    SELECT ${TENANT}, $2, $3, f.identity, f.table_id, f.row_id, f.watched, NOT run.is_silent, clock_timestamp(), clock_timestamp()
    FROM run, found f WHERE NOT f.is_updated
    ON CONFLICT DO NOTHING RETURNING 1),
  updated AS (
    UPDATE runs.monitor_items i SET run_id = $3, table_id = f.table_id, row_id = f.row_id, watched = f.watched, is_reported = true,
      updated_at = clock_timestamp(), first_table_id = coalesce(i.first_table_id, i.table_id),
      first_row_id = coalesce(i.first_row_id, i.row_id)
    FROM run, found f
    WHERE f.is_updated AND ${ofTenant('i')} AND i.monitor_id = $2 AND i.identity = f.identity AND i.watched <> f.watched
      AND i.identity = ANY ($4::text[])
    RETURNING 1)
  UPDATE runs.monitor_runs SET new_rows = (SELECT count(*) FROM added), updated_rows = (SELECT count(*) FROM updated), known_rows = $9
  WHERE ${ofTenant()} AND monitor_id = $2 AND run_id = $3`,
);
