import { Injectable } from '@nestjs/common';
import {
  ExclusionsAdded,
  ExclusionsDeleted,
  ExclusionsSynchronised,
  jsonText,
  type ExclusionItem,
  type ExclusionKind,
  type ExclusionPage,
  type JsonText,
} from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { isoTime, Database, type TxCtx, ofTenant, recordAudit, TENANT, tenantOf } from '@quarry/postgres';
import { offsetPage } from '../sql/json-text.js';
import { requireStorableText } from '../sql/storable-text.js';
import { distinctEntries, entryKey, type ExclusionEntry } from './exclusion-entry.js';
import { statement } from '../statements.types.js';

/** Source of manual entries. The source of a sync is never empty. */
const BY_HAND = '';

type SyncCounts = { created: number; deleted: number; unchanged: number };

/**
 * Lists of companies and people that must never be sourced. An entry may have several sources, and exists as long as it has one.
 * All writes are set-based: a hundred thousand items take a handful of statements.
 */
@Injectable()
export class ExclusionsStore {
  constructor(private readonly database: Database) {}

  /** @returns a page of entries, sorted by domain, or by address for entries without one */
  async listEntries(
    ctx: Ctx,
    query: { kind: ExclusionKind; limit: number; offset: number },
  ): Promise<JsonText<typeof ExclusionPage>> {
    const row = await this.database.queryOne(
      ctx,
      LIST,
      [tenantOf(ctx), query.limit, query.offset, query.kind],
      'list',
    );
    return row!.json;
  }

  /**
   * Adds manual entries. An item that exists already, or occurs twice in the request, counts as unchanged; one with a different
   * LinkedIn address counts as updated.
   * @returns `{created, updated, unchanged, rejected}`, which add up to the number of items; a dry run returns the same and
   * writes nothing
   */
  async addEntries(
    ctx: Ctx,
    request: { kind: ExclusionKind; items: ExclusionItem[]; dryRun?: boolean },
  ): Promise<JsonText<typeof ExclusionsAdded>> {
    const { entries, accepted, rejected } = await distinctEntries(request.kind, request.items);
    const counts = await this.writeEntries(ctx, request, (tx) =>
      this.upsertEntries(tx, request.kind, BY_HAND, entries),
    );
    const unchanged = accepted - counts.created - counts.updated;
    return jsonText(ExclusionsAdded, { ...counts, unchanged, rejected });
  }

  /**
   * Deletes the entries that the items name, whatever their source: by domain when there is one, otherwise every entry with that
   * LinkedIn address.
   * @returns `{deleted, not_found}`: deleted entries, and distinct items that matched none; a dry run returns the same and
   * deletes nothing
   */
  async deleteEntry(
    ctx: Ctx,
    request: { kind: ExclusionKind; items: ExclusionItem[]; dryRun?: boolean },
  ): Promise<JsonText<typeof ExclusionsDeleted>> {
    const { entries, rejected } = await distinctEntries(request.kind, request.items);
    const result = await this.writeEntries(ctx, request, async (tx) => {
      const counts = await this.database.queryOne(tx, DELETE_NAMED, [
        tenantOf(ctx),
        request.kind,
        ...columnsOf(entries),
      ]);
      const facts = { deleted: counts!.deleted };
      await recordAudit(this.database, tx, { action: 'exclusions.deleted', object: request.kind, facts });
      return counts;
    });
    const notFound = entries.length - result!.found + rejected.length;
    return jsonText(ExclusionsDeleted, { deleted: result!.deleted, not_found: notFound });
  }

  /**
   * Makes the entries of one source equal to the items, without touching other sources. The counts are those of the source: an
   * entry that another source has already still counts as created, and an entry whose LinkedIn address changes counts as deleted
   * and created.
   * @returns `{created, deleted, unchanged, rejected}`; a dry run returns the same and writes nothing
   * @throws AppError invalid_request when the name of the source cannot be stored
   */
  async syncEntries(
    ctx: Ctx,
    request: { kind: ExclusionKind; source: string; items: ExclusionItem[]; dryRun: boolean },
  ): Promise<JsonText<typeof ExclusionsSynchronised>> {
    const { kind, source } = request;
    requireStorableText('source', source);
    const { entries, rejected } = await distinctEntries(kind, request.items);
    const counts = await this.database.transaction(ctx, async (tx) => {
      await this.lockList(tx, kind);
      const planned = await this.database.queryOne(tx, PLAN_SYNC, [
        tenantOf(ctx),
        kind,
        ...columnsOf(entries),
        source,
      ]);
      if (request.dryRun) return planned!;
      await this.upsertEntries(tx, kind, source, entries);
      await this.database.query(tx, DROP_UNNAMED, [tenantOf(ctx), kind, source, entries.map(entryKey)]);
      const facts = { created: planned!.created, deleted: planned!.deleted };
      await recordAudit(this.database, tx, { action: 'exclusions.replaced', object: kind, facts });
      return planned!;
    });
    return jsonText(ExclusionsSynchronised, { ...counts, rejected });
  }

  /** Changes a list in a transaction, which a dry run rolls back: its result is what would have happened. */
  private async writeEntries<T>(
    ctx: Ctx,
    { kind, dryRun = false }: { kind: ExclusionKind; dryRun?: boolean },
    change: (tx: TxCtx) => Promise<T>,
  ): Promise<T> {
    const undo = new Error('It was a dry run.');
    let answer: T;
    try {
      await this.database.transaction(ctx, async (tx) => {
        await this.lockList(tx, kind);
        answer = await change(tx);
        if (dryRun) throw undo;
      });
    } catch (error) {
      if (error !== undo) throw error;
    }
    return answer!;
  }

  /** Serialises writers of one list: otherwise two sources could each assume that the other still has an entry. */
  private async lockList(tx: TxCtx, kind: ExclusionKind): Promise<void> {
    await this.database.query(tx, LOCK_LIST, [`tables.exclusions:${tx.orgId}:${tx.mode}:${kind}`]);
  }

  private async upsertEntries(
    tx: TxCtx,
    kind: ExclusionKind,
    source: string,
    entries: ExclusionEntry[],
  ): Promise<{ created: number; updated: number }> {
    const row = await this.database.queryOne(tx, UPSERT, [tenantOf(tx), kind, ...columnsOf(entries), source]);
    return row!;
  }
}

/** Parameters $3 and $4: domains and LinkedIn addresses, as parallel arrays. */
function columnsOf(entries: readonly ExclusionEntry[]): [Array<string | null>, Array<string | null>] {
  return [entries.map(({ domain }) => domain), entries.map(({ linkedinUrl }) => linkedinUrl)];
}

const GIVEN = `
  SELECT coalesce(g.domain, g.linkedin_url) AS entry_key, g.domain, g.linkedin_url
  FROM unnest($3::text[], $4::text[]) AS g (domain, linkedin_url)`;

// xmax is 0 for a row that this statement inserted. A missing address keeps the existing one.
const UPSERT = statement(
  'exclusions.upsert',
  `
  WITH given AS (${GIVEN}), written AS (
    INSERT INTO tables.exclusions AS e (org_id, mode, kind, entry_key, domain, linkedin_url, created_at, updated_at)
    SELECT ${TENANT}, $2, given.entry_key, given.domain, given.linkedin_url, at, at
    FROM given, (SELECT clock_timestamp() AS at) AS clock
    ON CONFLICT (org_id, mode, kind, entry_key) DO UPDATE
      SET linkedin_url = excluded.linkedin_url, updated_at = clock_timestamp()
      WHERE excluded.linkedin_url IS NOT NULL AND e.linkedin_url IS DISTINCT FROM excluded.linkedin_url
    RETURNING xmax = 0 AS is_new
  ), named AS (
    INSERT INTO tables.exclusion_sources (org_id, mode, kind, entry_key, source)
    SELECT ${TENANT}, $2, given.entry_key, $5 FROM given
    ON CONFLICT DO NOTHING
  )
  SELECT (count(*) FILTER (WHERE is_new))::int AS created, (count(*) FILTER (WHERE NOT is_new))::int AS updated
  FROM written`,
).rows<{ created: number; updated: number }>();

/*
 * The three statements below find rows by scalar subqueries and `= ANY (ARRAY(…))` instead of joins. Right after a
 * large sync the tables have no statistics yet, and the planner, who then expects one row everywhere, joined by a
 * nested loop over the whole list: 100,000 entries ran into the statement time-out. These forms always use the key.
 */

const DELETE_NAMED = statement(
  'exclusions.deleteNamed',
  `
  WITH given AS (${GIVEN}), hit AS (
    SELECT named, entry_key FROM (
      SELECT given.entry_key AS named,
             (SELECT e.entry_key FROM tables.exclusions e
              WHERE ${ofTenant('e')} AND e.kind = $2 AND e.entry_key = given.entry_key) AS entry_key
      FROM given
    ) AS by_key WHERE entry_key IS NOT NULL
    UNION
    SELECT given.entry_key, e.entry_key
    FROM given CROSS JOIN LATERAL (
      SELECT x.entry_key FROM tables.exclusions x
      WHERE ${ofTenant('x')} AND x.kind = $2 AND x.linkedin_url = given.linkedin_url OFFSET 0
    ) AS e
    WHERE given.domain IS NULL
  ), gone AS (
    DELETE FROM tables.exclusions e
    WHERE ${ofTenant('e')} AND e.kind = $2 AND e.entry_key = ANY (ARRAY(SELECT entry_key FROM hit))
    RETURNING e.entry_key
  ), unnamed AS (
    DELETE FROM tables.exclusion_sources s
    WHERE ${ofTenant('s')} AND s.kind = $2 AND s.entry_key = ANY (ARRAY(SELECT entry_key FROM hit))
  )
  SELECT (SELECT count(*) FROM gone)::int AS deleted, (SELECT count(DISTINCT named) FROM hit)::int AS found`,
).rows<{ deleted: number; found: number }>();

const PLAN_SYNC = statement(
  'exclusions.planSync',
  `
  WITH given AS (${GIVEN}), present AS (
    SELECT s.entry_key, (SELECT e.linkedin_url FROM tables.exclusions e
                         WHERE ${ofTenant('e')} AND e.kind = $2 AND e.entry_key = s.entry_key) AS linkedin_url
    FROM tables.exclusion_sources s
    WHERE ${ofTenant('s')} AND s.kind = $2 AND s.source = $5
  ), compared AS (
    SELECT given.entry_key IS NOT NULL AS wanted, present.entry_key IS NOT NULL AS had,
           given.linkedin_url IS NOT NULL AND given.linkedin_url IS DISTINCT FROM present.linkedin_url AS differs
    FROM given FULL JOIN present ON present.entry_key = given.entry_key
  )
  SELECT (count(*) FILTER (WHERE wanted AND (NOT had OR differs)))::int AS created,
         (count(*) FILTER (WHERE had AND (NOT wanted OR differs)))::int AS deleted,
         (count(*) FILTER (WHERE wanted AND had AND NOT differs))::int AS unchanged
  FROM compared`,
).rows<SyncCounts>();

// The count covers other sources only: rows deleted by the same statement are still visible to it.
const DROP_UNNAMED = statement(
  'exclusions.dropUnnamed',
  `
  WITH dropped AS (
    DELETE FROM tables.exclusion_sources s
    WHERE ${ofTenant('s')} AND s.kind = $2 AND s.source = $3 AND s.entry_key <> ALL ($4::text[])
    RETURNING s.entry_key
  )
  DELETE FROM tables.exclusions e
  WHERE ${ofTenant('e')} AND e.kind = $2 AND e.entry_key = ANY (ARRAY(SELECT entry_key FROM dropped))
    AND (SELECT count(*) FROM tables.exclusion_sources o
         WHERE ${ofTenant('o')} AND o.kind = $2 AND o.entry_key = e.entry_key AND o.source <> $3) = 0`,
);

const LIST = statement(
  'exclusions.list',
  `
  SELECT (${offsetPage({
    from: 'tables.exclusions',
    key: 'org_id, mode, kind, entry_key',
    alias: 'e',
    where: `${ofTenant('e')} AND e.kind = $4`,
    orderBy: 'e.entry_key',
    item: `e.domain, e.linkedin_url, ${isoTime('e.created_at')} AS created_at, ${isoTime('e.updated_at')} AS updated_at`,
    limit: '$2',
    offset: '$3',
  })}) AS json`,
).rows<{ json: JsonText<typeof ExclusionPage> }>();

const LOCK_LIST = statement('exclusions.lockList', 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))');
