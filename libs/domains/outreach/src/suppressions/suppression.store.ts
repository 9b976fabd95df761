import { Injectable } from '@nestjs/common';
import {
  cursorPageText,
  SuppressionPage,
  SuppressionsAdded,
  jsonText,
  type Actor,
  type AddSuppressionsRequest,
  type JsonText,
  type Suppression,
} from '@quarry/dto';
import { CursorSigner, newId, requireId, type Ctx, type PageQuery } from '@quarry/app';
import {
  Database,
  isoTime,
  ofTenant,
  recordAudit,
  TENANT,
  TENANT_ORG,
  tenantOf,
  type TxCtx,
} from '@quarry/postgres';
import { mailAddress, mailDomain } from '../mail-address.js';
import { LISTS, PLACE, partsOf, placeOf } from '../list-cursor.js';
import { EnrollmentProgress } from '../enrollments/enrollment-progress.js';
import { statement } from '../statements.types.js';

export type SuppressionReason = 'manual' | 'unsubscribed' | 'hard_bounce' | 'soft_bounces' | 'reply';

/** End of the enrollments of a suppressed contact, by the reason. */
const ENDS = {
  manual: 'stopped',
  reply: 'stopped',
  unsubscribed: 'unsubscribed',
  hard_bounce: 'bounced',
  soft_bounces: 'bounced',
} as const;

/**
 * @param alias of a table with `org_id` and `mode` in the statement
 * @param column of it that holds an address
 * @returns the condition that the address, its domain or a parent domain is suppressed
 */
export function isSuppressed(alias: string, column: string): string {
  // The first hash is that of the address itself. Each is computed once and looked up by a scalar subquery, not by EXISTS: the
  // planner may compare an address with every suppression there is.
  return `EXISTS (SELECT FROM unnest(outreach.suppression_hashes(${alias}.org_id, ${alias}.${column})) WITH ORDINALITY AS h (hash, n)
    WHERE (SELECT 1 FROM outreach.suppressions u WHERE u.org_id = ${alias}.org_id AND u.mode = ${alias}.mode
      AND u.kind = CASE h.n WHEN 1 THEN 'address' ELSE 'domain' END AND u.hash = h.hash) IS NOT NULL)`;
}

/** Stores the addresses and domains that are never written to. */
@Injectable()
export class SuppressionStore {
  constructor(
    private readonly database: Database,
    private readonly cursors: CursorSigner,
    private readonly progress: EnrollmentProgress,
  ) {}

  /**
   * Suppresses an address once, ends its enrollments in all sequences, and cancels its planned messages.
   * @param messageId the message that has bounced
   * @returns the number of ended enrollments
   */
  async suppressAddress(
    tx: TxCtx,
    address: string,
    reason: SuppressionReason,
    messageId: string | null = null,
  ): Promise<number> {
    const value = address.toLowerCase();
    await this.database.query(tx, INSERT, [tenantOf(tx), newId('sup'), value, reason, messageId]);
    return this.progress.endEnrollments(tx, { kind: 'address', value }, ENDS[reason], reason);
  }

  /**
   * Suppresses the entries of the body. The answer lists entries that are neither address nor domain; the others are suppressed.
   */
  async addSuppressions(ctx: Ctx, body: AddSuppressionsRequest): Promise<JsonText<typeof SuppressionsAdded>> {
    const rejected: Array<{ value: string; message: string }> = [];
    const read = (
      kind: 'address' | 'domain',
      given: readonly string[],
      parse: (text: string) => string | null,
    ) =>
      given.flatMap((text) => {
        const value = parse(text);
        if (value !== null) return { kind, value };
        const message = kind === 'address' ? 'is not an e-mail address' : 'is not a domain name';
        rejected.push({ value: text, message });
        return [];
      });
    const wanted = [
      ...read('address', body.addresses ?? [], mailAddress),
      ...read('domain', body.domains ?? [], mailDomain),
    ];
    const distinct = new Map(wanted.map((each) => [`${each.kind} ${each.value}`, each]));
    // Ordered, so that two requests with the same entries cannot deadlock.
    const sorted = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
    const created = await this.database.transaction(ctx, async (tx) => {
      const kinds = sorted.map(({ kind }) => kind);
      const values = sorted.map(({ value }) => value);
      const ids = sorted.map(() => newId('sup'));
      const isNew = await this.database.query(tx, INSERT_MANY, [tenantOf(tx), ids, kinds, values]);
      const concerned = await this.database.query(tx, CONCERNED, [tenantOf(tx), kinds, values]);
      for (const { kind, value } of concerned)
        await this.progress.endEnrollments(
          tx,
          { kind: kind as 'address' | 'domain', value },
          'stopped',
          'manual',
        );
      return isNew.length;
    });
    return jsonText(SuppressionsAdded, { created, unchanged: wanted.length - created, rejected });
  }

  /** Returns one page of suppressions, newest first. @throws AppError invalid_cursor */
  async listSuppressions(
    ctx: Ctx,
    { query, ...page }: PageQuery & { query: string | null },
  ): Promise<JsonText<typeof SuppressionPage>> {
    const binding = { tenant: tenantOf(ctx), endpoint: LISTS.suppressions, subject: query ?? '' };
    const like = query === null ? null : `%${query.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    const read = (after: string | null, limit: number) =>
      this.database.query(ctx, LIST, [tenantOf(ctx), ...partsOf(after), like, limit], 'list');
    const { rows, next } = await this.cursors.readPage(binding, page, read, placeOf);
    const items = rows.map(({ json }) => json);
    return cursorPageText(SuppressionPage, items, next);
  }

  /** Deletes a suppression. Enrollments that it has ended stay ended. @throws AppError not_found */
  async removeSuppression(ctx: Ctx, actor: Actor, suppressionId: string): Promise<void> {
    const id = requireId('sup', suppressionId);
    await this.database.transaction(ctx, async (tx) => {
      const gone = await this.database.queryOne(tx, REMOVE, [tenantOf(tx), id]);
      if (!gone) requireId('sup', '');
      const facts = { user: actor.userId, reason: gone!.reason };
      await recordAudit(this.database, tx, { action: 'suppression.removed', object: id, facts });
    });
  }
}

/** Narrow read for other libraries. @returns the suppressed ones among the addresses, suppressed by address or by domain */
export async function suppressedAmong(
  database: Database,
  ctx: Ctx,
  addresses: readonly string[],
): Promise<Set<string>> {
  // Suppressions are stored in normal form; an address that has none can be suppressed by its domain only.
  const forms = addresses.map((each) => mailAddress(each) ?? each);
  const rows = await database.query(ctx, AMONG, [tenantOf(ctx), forms]);
  const suppressed = new Set(rows.map(({ email }) => email));
  return new Set(addresses.filter((_, i) => suppressed.has(forms[i]!)));
}

const AMONG = statement(
  'suppression.among',
  `SELECT g.email FROM (
     SELECT ${TENANT_ORG} AS org_id, ($1::text[])[2] AS mode, email FROM unnest($2::text[]) AS email) AS g
   WHERE ${isSuppressed('g', 'email')}`,
).rows<{ email: string }>();

const INSERT = statement(
  'suppression.insert',
  `INSERT INTO outreach.suppressions (org_id, mode, id, kind, value, hash, reason, message_id)
   VALUES (${TENANT}, $2, 'address', $3, outreach.suppression_hash(${TENANT_ORG}, $3), $4, $5)
   ON CONFLICT (org_id, mode, kind, hash) DO NOTHING`,
);

const INSERT_MANY = statement(
  'suppression.insertMany',
  `INSERT INTO outreach.suppressions (org_id, mode, id, kind, value, hash, reason)
   SELECT ${TENANT}, given.id, given.kind, given.value, outreach.suppression_hash(${TENANT_ORG}, given.value), 'manual'
   FROM unnest($2::text[], $3::text[], $4::text[]) AS given (id, kind, value)
   ON CONFLICT (org_id, mode, kind, hash) DO NOTHING RETURNING id`,
);

/** Entries of a request that concern an enrollment or a planned message; most of a long list concern neither. */
const CONCERNED = statement(
  'suppression.concerned',
  `
  WITH addresses AS (
    SELECT e.email AS address FROM outreach.enrollments e WHERE ${ofTenant('e')} AND e.ended_at IS NULL
    UNION SELECT m.to_address FROM outreach.messages m WHERE ${ofTenant('m')} AND m.due_at IS NOT NULL
  ), named AS (
    SELECT 'address' AS kind, address AS value FROM addresses
    UNION SELECT 'domain', array_to_string(labels[n:], '.')
    FROM (SELECT DISTINCT string_to_array(split_part(address, '@', 2), '.') AS labels FROM addresses) AS hosts,
      generate_series(1, cardinality(labels) - 1) AS n
  )
  SELECT given.kind, given.value FROM unnest($2::text[], $3::text[]) AS given (kind, value) JOIN named USING (kind, value)`,
).rows<{ kind: string; value: string }>();

const LIST = statement(
  'suppression.list',
  `SELECT json_build_object('suppression_id', u.id, 'kind', u.kind, 'value', u.value, 'reason', u.reason,
     'created_at', ${isoTime('u.created_at')})::text AS json, ${PLACE('u.created_at', 'u.id')}
   FROM outreach.suppressions u
   WHERE ${ofTenant('u')} AND ($2::timestamptz IS NULL OR (u.created_at, u.id) < ($2, $3::text))
     AND ($4::text IS NULL OR u.value LIKE $4)
   ORDER BY u.created_at DESC, u.id DESC LIMIT $5`,
).rows<{ json: JsonText<typeof Suppression>; place: string }>();

const REMOVE = statement(
  'suppression.remove',
  `DELETE FROM outreach.suppressions WHERE ${ofTenant()} AND id = $2 RETURNING id, reason`,
);
