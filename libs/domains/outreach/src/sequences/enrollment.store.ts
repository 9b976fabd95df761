import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  cursorPageText,
  EnrollmentPage,
  EnrollmentResult,
  ENROLLMENTS_MAX,
  fieldError,
  jsonText,
  OUTREACH_RPC,
  type Enrollment,
  type EnrollmentStatus,
  type EnrollRequest,
  type JsonText,
} from '@quarry/dto';
import { CursorSigner, newId, requireId, type Ctx, type PageQuery } from '@quarry/app';
import {
  Database,
  IdempotentRequests,
  isoTime,
  ofTenant,
  recordAudit,
  TENANT,
  TENANT_ORG,
  tenantOf,
  type TxCtx,
} from '@quarry/postgres';
import { voidApprovals } from './approval-voids.js';
import { LISTS, PLACE, partsOf, placeOf } from '../list-cursor.js';
import { mailAddress } from '../mail-address.js';
import { statement } from '../statements.types.js';
import { isSuppressed } from '../suppressions/suppression.store.js';
import { EnrollmentRowsPort, type EnrollmentRow, type EnrollmentTable } from './enrollment-rows.port.js';
import { isTimeZone } from '../time-zone.js';
import { SequenceStore, type KnownSequence } from './sequence.store.js';
import { variablesOf } from './template-variables.js';

/** Rows that are read, checked and enrolled at once. */
const PAGE_ROWS = 2000;
const VARIABLES_MAX = 200;
/** The most characters of a contact's variables; longer rows are not enrolled. */
const VARIABLES_CHARACTERS_MAX = 32_000;
const VARIABLE_NAME = /^[A-Za-z_][\w-]{0,99}$/;
const ZONE_COLUMNS = ['time_zone', 'timezone'];
const SANDBOX_ADDRESS = /@([a-z0-9-]+\.)*sandbox\.test$/;

type Skips = { suppressed: number; excluded: number; unverified: number; duplicate: number; invalid: number };

/** Source of a request's rows: a table, whole or in part, or the items of a monitor. */
type Source = { tableId: string; rowIds: readonly string[] | null } | { monitorId: string };

/** Rows that are checked at once. */
interface Page {
  tables: readonly EnrollmentTable[];
  /** Named rows that were removed. */
  missing: number;
}

interface Candidate {
  tableId: string;
  row: EnrollmentRow;
  variables: ReadonlyMap<string, string>;
  /** Null when the row has no usable address. */
  email: string | null;
}

/** Enrols rows of tables and monitors in sequences, and lists contacts with their status. */
@Injectable()
export class EnrollmentStore {
  constructor(
    private readonly database: Database,
    private readonly requests: IdempotentRequests,
    private readonly cursors: CursorSigner,
    private readonly sequences: SequenceStore,
    private readonly rows: EnrollmentRowsPort,
  ) {}

  /**
   * Enrols rows of a table, or those that a monitor has reported, all or none, and counts the rows that it leaves out by their
   * first reason. A contact that was ever enrolled in a sequence of the organisation is not enrolled again, unless that sequence
   * was archived, or the contact taken out of it, before anything was sent. Enrolling somebody voids the approval, which pauses
   * an active sequence. A dry run writes nothing. The same key with the same body returns the same answer.
   * @throws AppError not_found, table_not_found; invalid_request for both sources or none, for columns that no table has, for an
   * archived sequence and above the limit of contacts; idempotency_conflict
   */
  async enrollContacts(
    ctx: Ctx,
    sequenceId: string,
    body: EnrollRequest,
    idempotencyKey: string | null = null,
  ): Promise<JsonText<typeof EnrollmentResult>> {
    const source = sourceOf(body);
    const names = namesOf(body.variables);
    const isDry = body.dry_run === true;
    const route = `${OUTREACH_RPC.enroll.pattern} ${requireId('seq', sequenceId)}`;
    const request = { route, key: isDry ? null : idempotencyKey, body };
    return this.requests.inTransaction(ctx, request, async (tx) => {
      // Serialised: of two requests that enrol the same person in two sequences, the second sees the first.
      if (!isDry) await this.database.query(tx, LOCK_TENANT, [tenantOf(tx)]);
      const sequence = await (isDry
        ? this.sequences.findSequence(tx, sequenceId)
        : this.sequences.lockSequence(tx, sequenceId));
      if (sequence.status === 'archived')
        throw fieldError([], 'contacts cannot be added to an archived sequence');
      const [count] = await this.database.query(tx, COUNT, [tenantOf(tx), sequence.id]);
      const skipped: Skips = { suppressed: 0, excluded: 0, unverified: 0, duplicate: 0, invalid: 0 };
      const seen = new Set<string>();
      const columns = new NamedColumns(body.email_column, names);
      let enrolled = 0;
      for await (const { tables, missing } of this.pagesOf(tx, source, body.email_column)) {
        for (const table of tables) columns.findColumns(table);
        // With a monitor, a later table may have the columns.
        if ('tableId' in source) columns.requireFound();
        skipped.invalid += missing;
        const accepted = await this.selectEnrollable(tx, sequence, tables, body, { seen, skipped, names });
        enrolled += isDry ? accepted.length : await this.insertEnrollments(tx, sequence, accepted, skipped);
        if (count!.n + enrolled > ENROLLMENTS_MAX)
          throw fieldError([], `a sequence has at most ${ENROLLMENTS_MAX} contacts`);
      }
      columns.requireFound();
      if (enrolled > 0 && !isDry) await this.withdrawApproval(tx, sequence);
      return jsonText(EnrollmentResult, { enrolled, skipped });
    });
  }

  /** Returns one page of the contacts of a sequence, in the order of enrollment. @throws AppError not_found, invalid_cursor */
  async listEnrollments(
    ctx: Ctx,
    { sequenceId, status, ...page }: PageQuery & { sequenceId: string; status: EnrollmentStatus | null },
  ): Promise<JsonText<typeof EnrollmentPage>> {
    const { id } = await this.sequences.findSequence(ctx, sequenceId);
    const binding = { tenant: tenantOf(ctx), endpoint: LISTS.enrollments, subject: `${id} ${status ?? ''}` };
    const read = (after: string | null, limit: number) =>
      this.database.query(ctx, LIST, [tenantOf(ctx), id, status, partsOf(after)[1], limit], 'list');
    const { rows, next } = await this.cursors.readPage(binding, page, read, placeOf);
    const items = rows.map(({ json }) => json);
    return cursorPageText(EnrollmentPage, items, next);
  }

  private async *pagesOf(tx: TxCtx, source: Source, emailColumn: string): AsyncGenerator<Page> {
    if ('monitorId' in source) {
      const { monitorId } = source;
      let after: string | null = null;
      do {
        const page = { after, limit: PAGE_ROWS };
        const { next, ...read } = await this.rows.readReported(tx, { monitorId, emailColumn }, page);
        yield read;
        after = next;
      } while (after !== null);
      return;
    }
    const { tableId, rowIds: chosen } = source;
    for (let from = 0; ; from += PAGE_ROWS) {
      const ids = chosen?.slice(from, from + PAGE_ROWS);
      const page = ids ? { rowIds: ids } : { from, limit: PAGE_ROWS };
      const { columns, rowCount, rows } = await this.rows.readPage(tx, { tableId, emailColumn }, page);
      yield { tables: [{ tableId, columns, rows }], missing: ids ? ids.length - rows.length : 0 };
      if (from + PAGE_ROWS >= (chosen?.length ?? rowCount)) return;
    }
  }

  /** Counts the rows that are left out. @returns the enrollments of the others */
  private async selectEnrollable(
    tx: TxCtx,
    { id: sequenceId }: KnownSequence,
    tables: readonly EnrollmentTable[],
    { email_column: emailColumn, allow_unverified: isAnyAllowed = false }: EnrollRequest,
    { seen, skipped, names }: { seen: Set<string>; skipped: Skips; names: Map<string, string> | null },
  ): Promise<NewEnrollment[]> {
    const candidates = tables.flatMap(({ tableId, columns, rows }) => {
      const variables = names ?? variablesOf(columns);
      return rows.map((row): Candidate => {
        const isUnreachable = tx.mode === 'live' && row.isFromSandbox;
        return {
          tableId,
          row,
          variables,
          email: isUnreachable ? null : mailAddress(row.values[emailColumn]),
        };
      });
    });
    const emails = [...new Set(candidates.flatMap(({ email }) => email ?? []))];
    const known = new Map(
      (await this.database.query(tx, KNOWN, [tenantOf(tx), emails, sequenceId])).map((each) => [
        each.email,
        each,
      ]),
    );
    return candidates.flatMap((candidate) => {
      const { row, email } = candidate;
      const reason = ((): keyof Skips | null => {
        if (email === null) return row.isExcluded ? 'excluded' : 'invalid';
        if (known.get(email)!.is_suppressed) return 'suppressed';
        if (row.isExcluded) return 'excluded';
        const isVerified = row.isVerified || (tx.mode === 'test' && SANDBOX_ADDRESS.test(email));
        if (!isVerified && !isAnyAllowed) return 'unverified';
        return known.get(email)!.is_enrolled || seen.has(email) ? 'duplicate' : null;
      })();
      const kept = reason === null ? newEnrollment(candidate, email!, tx.mode) : null;
      if (kept) seen.add(email!);
      else skipped[reason ?? 'invalid'] += 1;
      return kept ?? [];
    });
  }

  private async insertEnrollments(
    tx: TxCtx,
    { id }: KnownSequence,
    accepted: readonly NewEnrollment[],
    skipped: Skips,
  ): Promise<number> {
    if (accepted.length === 0) return 0;
    const all = <Key extends keyof NewEnrollment>(key: Key) => accepted.map((each) => each[key]);
    const made = await this.database.query(tx, INSERT, [
      tenantOf(tx),
      id,
      all('tableId'),
      all('id'),
      all('email'),
      all('rowId'),
      all('variables'),
      all('isVerified'),
      all('timeZone'),
      all('token'),
    ]);
    skipped.duplicate += accepted.length - made.length;
    return made.length;
  }

  private async withdrawApproval(tx: TxCtx, { id, status }: KnownSequence): Promise<void> {
    await voidApprovals(this.database, tx, id);
    if (status === 'active') await recordAudit(this.database, tx, { action: 'sequence.paused', object: id });
  }
}

interface NewEnrollment {
  id: string;
  email: string;
  tableId: string;
  rowId: string;
  variables: string;
  isVerified: boolean;
  timeZone: string | null;
  token: string;
}

/** @returns the enrollment of a row; null when its variables are too long */
function newEnrollment(
  { tableId, row, variables }: Candidate,
  email: string,
  mode: Ctx['mode'],
): NewEnrollment | null {
  const values = Object.fromEntries([...variables].map(([name, key]) => [name, row.values[key] ?? null]));
  const text = JSON.stringify(values);
  if (text.length > VARIABLES_CHARACTERS_MAX) return null;
  const zone = ZONE_COLUMNS.map((key) => row.values[key]).find(
    (value): value is string => typeof value === 'string' && isTimeZone(value),
  );
  return {
    id: newId('enl'),
    email,
    tableId,
    rowId: row.id,
    variables: text,
    isVerified: row.isVerified || (mode === 'test' && SANDBOX_ADDRESS.test(email)),
    timeZone: zone ?? null,
    token: randomBytes(18).toString('base64url'),
  };
}

/** @throws AppError invalid_request for both sources or none; the 404 of the resource for an invalid id */
function sourceOf({ table_id: tableId, monitor_id: monitorId, row_ids: rowIds }: EnrollRequest): Source {
  if (tableId === undefined && monitorId === undefined)
    throw fieldError(['table_id'], 'is required unless monitor_id is given');
  if (monitorId === undefined)
    return {
      tableId: requireId('tbl', tableId!),
      rowIds: rowIds === undefined ? null : [...new Set(rowIds)],
    };
  for (const [field, value] of Object.entries({ table_id: tableId, row_ids: rowIds }))
    if (value !== undefined) throw fieldError([field], 'must be left out when monitor_id is given');
  return { monitorId: requireId('mon', monitorId) };
}

/** @throws AppError invalid_request for a name that a template cannot use, and for a value that is no column key */
function namesOf(variables: Record<string, unknown> | undefined): Map<string, string> | null {
  if (variables === undefined) return null;
  const entries = Object.entries(variables);
  if (entries.length > VARIABLES_MAX)
    throw fieldError(['variables'], `must have at most ${VARIABLES_MAX} names`);
  for (const [name, key] of entries) {
    if (!VARIABLE_NAME.test(name) || name === '__proto__')
      throw fieldError(['variables'], 'has a name that templates cannot use: letters, digits, - and _ only');
    if (typeof key !== 'string') throw fieldError(['variables', name], 'must be the key of a column');
  }
  return new Map(entries as Array<[string, string]>);
}

/** Columns that a request names, until a table has them. */
class NamedColumns {
  private missing: Array<{ path: string[]; key: string }>;
  private isTableSeen = false;

  constructor(emailColumn: string, names: ReadonlyMap<string, string> | null) {
    const variables = [...(names ?? [])].map(([name, key]) => ({ path: ['variables', name], key }));
    this.missing = [{ path: ['email_column'], key: emailColumn }, ...variables];
  }

  findColumns({ columns }: EnrollmentTable): void {
    this.isTableSeen = true;
    const keys = new Set(columns.map(({ key }) => key));
    this.missing = this.missing.filter(({ key }) => !keys.has(key));
  }

  /** Does nothing without a table: the monitor may not have reported anything yet. @throws AppError invalid_request */
  requireFound(): void {
    const [first] = this.missing;
    if (first && this.isTableSeen) throw fieldError(first.path, 'is not a column of the table');
  }
}

const TENANT_LOCK = "hashtext('enrollments'), hashtext(array_to_string($1::text[], ' '))";

/** Serialises enrollments of a tenant. */
const LOCK_TENANT = statement('enrollment.lockTenant', `SELECT pg_advisory_xact_lock(${TENANT_LOCK})`);

/** Finds out whether no enrollment is in progress. */
export const TRY_LOCK_TENANT = statement(
  'enrollment.tryLockTenant',
  `SELECT pg_try_advisory_xact_lock(${TENANT_LOCK}) AS is_free`,
);

const COUNT = statement(
  'enrollment.count',
  `SELECT count(*)::int AS n FROM outreach.enrollments e WHERE ${ofTenant('e')} AND e.sequence_id = $2`,
).rows<{ n: number }>();

/** The sequence was archived, or the contact taken out of it, before anything was sent: another sequence may enrol them. */
const WAS_LEFT_ALONE = `(e.status = 'stopped' AND e.reason IN ('archived', 'taken_out') AND e.sequence_id <> $3 AND NOT EXISTS (SELECT 1 FROM outreach.messages m
  WHERE m.org_id = e.org_id AND m.mode = e.mode AND m.enrollment_id = e.id AND m.direction = 'out' AND m.data_started_at IS NOT NULL))`;

const KNOWN = statement(
  'enrollment.known',
  `WITH enrolled AS MATERIALIZED (
     SELECT DISTINCT e.email FROM outreach.enrollments e
     WHERE ${ofTenant('e')} AND e.email = ANY ($2::text[]) AND NOT ${WAS_LEFT_ALONE})
   SELECT g.email, ${isSuppressed('g', 'email')} AS is_suppressed,
     EXISTS (SELECT FROM enrolled WHERE enrolled.email = g.email) AS is_enrolled
   FROM (SELECT ${TENANT_ORG} AS org_id, ($1::text[])[2] AS mode, email FROM unnest($2::text[]) AS email) AS g`,
).rows<{ email: string; is_suppressed: boolean; is_enrolled: boolean }>();

const INSERT = statement(
  'enrollment.insert',
  `INSERT INTO outreach.enrollments (org_id, mode, id, sequence_id, email, table_id, row_id, variables, is_verified, time_zone,
     unsubscribe_token)
   SELECT ${TENANT}, g.id, $2, g.email, g.table_id, g.row_id, g.variables::json, g.is_verified, g.time_zone, g.token
   FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::text[], $10::text[])
     AS g (table_id, id, email, row_id, variables, is_verified, time_zone, token)
   ON CONFLICT (org_id, mode, sequence_id, email) DO NOTHING RETURNING 1`,
);

const LIST = statement(
  'enrollment.list',
  `SELECT json_build_object('enrollment_id', e.id, 'email', e.email, 'status', e.status, 'reason', e.reason, 'step', e.step,
     'next_at', ${isoTime('e.next_at')}, 'table_id', e.table_id, 'row_id', e.row_id, 'thread_id', e.thread_id,
     'last_message', (SELECT json_build_object('message_id', m.id, 'status', m.state) FROM outreach.messages m
       WHERE m.org_id = e.org_id AND m.mode = e.mode AND m.enrollment_id = e.id AND m.direction = 'out'
       ORDER BY m.step DESC LIMIT 1))::text AS json, ${PLACE('e.created_at', 'e.id')}
   FROM outreach.enrollments e
   WHERE ${ofTenant('e')} AND e.sequence_id = $2 AND ($3::text IS NULL OR e.status = $3) AND ($4::text IS NULL OR e.id > $4)
   ORDER BY e.id LIMIT $5`,
).rows<{ json: JsonText<typeof Enrollment>; place: string }>();
