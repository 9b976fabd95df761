import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { linkedInSlug, registrableDomain } from '@quarry/dto';
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

/** Knows what the completed runs of a monitor have found, so that nothing is paid for or reported twice. */
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
    return {
      isSilent: monitor.is_silent,
      identityOf: (plan, row) =>
        createHmac('sha256', monitor.identity_key).update(nameOf(plan, row)).digest('base64url'),
      findKnown: async (identities) => {
        const known = await this.database.query(ctx, SEE, [tenantOf(ctx), monitorId, identities]);
        return new Set(known.map(({ identity }) => identity));
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
      found.known,
    ]);
  }
}

/** Returns by what a row is known again: its domain or profile; where it has neither its name, at its employer for a person. */
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
  SELECT m.identity_key, r.is_silent FROM runs.monitors m
  JOIN runs.monitor_runs r ON r.org_id = m.org_id AND r.mode = m.mode AND r.monitor_id = m.id
  WHERE ${ofTenant('m')} AND m.id = $2 AND r.run_id = $3`,
);

const SEE = statement(
  'monitor-items.see',
  `UPDATE runs.monitor_items SET last_seen = clock_timestamp()
   WHERE ${ofTenant()} AND monitor_id = $2 AND identity = ANY ($3::text[]) RETURNING identity`,
);

const ADD = statement(
  'monitor-items.add',
  `
  WITH run AS (
    SELECT is_silent FROM runs.monitor_runs WHERE ${ofTenant()} AND monitor_id = $2 AND run_id = $3),
  added AS (
    INSERT INTO runs.monitor_items (org_id, mode, monitor_id, run_id, identity, table_id, row_id, is_reported, first_seen, last_seen)
    SELECT ${TENANT}, $2, $3, f.identity, f.table_id, f.row_id, NOT run.is_silent, clock_timestamp(), clock_timestamp()
    FROM run, unnest($4::text[], $5::text[], $6::text[]) AS f (identity, table_id, row_id)
    ON CONFLICT DO NOTHING RETURNING 1)
  UPDATE runs.monitor_runs SET new_rows = (SELECT count(*) FROM added), known_rows = $7
  WHERE ${ofTenant()} AND monitor_id = $2 AND run_id = $3`,
);
