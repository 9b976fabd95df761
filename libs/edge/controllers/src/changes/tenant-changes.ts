import type { SessionFinder } from '@quarry/identity';
import { systemCtx, type Mode } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import type { ChangeSource } from './change-streams.js';

/** Notice that a resource of an organisation has changed, without its content. */
export interface Change {
  mode: Mode;
  type: 'run' | 'table' | 'batch' | 'enrichment' | 'go' | 'credits';
  id: string;
  /** A different text means a different state. */
  revision: string;
}

/** Current and recent changes, and the time of the query, in milliseconds by the database's clock. */
export interface ChangesSoFar {
  at: number;
  changes: readonly Change[];
}

/** Finds changes in an organisation by the heads of its runs, tables and batches, whichever process made them. */
export class TenantChanges {
  constructor(private readonly database: Database) {}

  /**
   * Finds everything in progress, and everything that has changed since a time or in the minute before it, so that late commits
   * are found too.
   * @param since milliseconds, from `at` of an earlier answer; null for now
   */
  async findChanges(orgId: string, since: number | null): Promise<ChangesSoFar> {
    const from = since === null ? null : since / 1000;
    const [row] = await this.database.query(systemCtx('changes', orgId), FIND, [orgId, from], 'list');
    return { at: Number(row!.at), changes: row!.changes };
  }
}

/** @returns the source of change streams, in the database of keys and sessions */
export function changeSource(database: Database, sessions: SessionFinder): ChangeSource {
  const changes = new TenantChanges(database);
  return {
    findChanges: (orgId, since) => changes.findChanges(orgId, since),
    openSessions: (sessionIds) => sessions.openAmong(sessionIds),
  };
}

// No coalesce, because it prevents an index lookup: all runs would be read.
const SINCE = `CASE WHEN $2::float8 IS NULL THEN now() ELSE to_timestamp($2::float8) END - interval '1 minute'`;

/**
 * @param open condition of resources in progress, as in the table's index
 * @param ended the same for the others, with the time of their end
 * @returns SQL that finds open rows and those that ended lately
 */
function openAndEnded(
  type: Change['type'],
  { table, open, ended, revision }: Readonly<Record<'table' | 'open' | 'ended' | 'revision', string>>,
): string {
  return [open, `${ended} > ${SINCE}`]
    .map(
      (state) => `
    SELECT '${type}' AS type, r.mode, r.id, ${revision} AS revision FROM ${table} r
    WHERE r.org_id = $1 AND r.mode IN ('live', 'test') AND ${state}`,
    )
    .join(' UNION ALL');
}

/** @returns SQL of the numbers of all and of finished steps, as a part of a revision */
const stepsOf = (table: string, owner: string, done: string): string =>
  `(SELECT count(*) || '.' || count(s.${done}) FROM ${table} s WHERE s.${owner} = r.id)`;

const FIND = statement(
  'tenant-changes.find',
  `
  SELECT (extract(epoch FROM now()) * 1000)::bigint AS at, coalesce(json_agg(c), '[]') AS changes FROM (
    SELECT 'table' AS type, t.mode, t.id, t.revision::text AS revision FROM tables.tables t
    WHERE t.org_id = $1 AND t.mode IN ('live', 'test') AND t.changed_at > ${SINCE}
    UNION ALL
    SELECT 'credits', a.mode, a.mode, (extract(epoch FROM a.updated_at) * 1000000)::bigint::text FROM credits.accounts a
    WHERE a.org_id = $1 AND a.mode IN ('live', 'test') AND a.updated_at > ${SINCE}
    UNION ALL ${openAndEnded('run', {
      table: 'runs.runs',
      open: `r.status IN ('queued', 'running', 'recovering')`,
      ended: 'r.emptied_at IS NULL AND r.ended_at',
      revision: `r.status || '.' || r.cancellation_requested || '.' || ${stepsOf('runs.steps', 'run_id', 'finished_at')}`,
    })}
    UNION ALL ${openAndEnded('enrichment', {
      table: 'runs.enrichments',
      open: `r.status IN ('queued', 'running')`,
      ended: 'r.ended_at',
      revision: `r.status || '.' || ${stepsOf('runs.enrichment_steps', 'enrichment_id', 'result')}`,
    })}
    UNION ALL ${openAndEnded('go', {
      table: 'go.runs',
      open: 'r.ended_at IS NULL',
      ended: 'r.ended_at',
      revision: `r.status || '.' || ${stepsOf('go.steps', 'run_id', 'finished_at')}`,
    })}
    UNION ALL ${openAndEnded('batch', {
      table: 'jobs.batches',
      open: 'r.completed_at IS NULL',
      ended: 'r.completed_at',
      revision: 'r.open_lines::text',
    })}
  ) AS c`,
)
  .rows<{ at: string; changes: Change[] }>()
  .prepared();
