import { Injectable } from '@nestjs/common';
import {
  cursorPageText,
  fieldError,
  OUTREACH_RPC,
  SequencePage,
  SEQUENCES_MAX,
  WEEKDAYS,
  type ChangeSequenceRequest,
  type CreateSequenceRequest,
  type JsonText,
  type Sequence,
  type SequenceStatus,
  type SequenceSummary,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { CursorSigner, newId, requireId, notFound, type Ctx, type PageQuery } from '@quarry/app';
import {
  Database,
  IdempotentRequests,
  lockTenant,
  ofTenant,
  recordAudit,
  TENANT,
  tenantOf,
  type TxCtx,
} from '@quarry/postgres';
import { voidApprovals } from './approval-voids.js';
import { LISTS, PLACE, partsOf, placeOf } from '../list-cursor.js';
import { statement } from '../statements.types.js';
import { EnrollmentProgress } from '../enrollments/enrollment-progress.js';
import { definitionOf, type RequestedDefinition, type SequenceDefinition } from './sequence-definition.js';
import { SEQUENCE_JSON, SEQUENCE_SUMMARY_JSON } from './sequence-json.sql.js';

/** A sequence, as other parts of this library need it. */
export interface KnownSequence {
  id: string;
  name: string;
  status: SequenceStatus;
  version: number;
  definition: SequenceDefinition;
}

const CHANGEABLE: readonly SequenceStatus[] = ['draft', 'approved', 'paused'];

/** Sequences as the API shows them: creates, reads, changes, pauses and archives them. */
@Injectable()
export class SequenceStore {
  constructor(
    private readonly database: Database,
    private readonly requests: IdempotentRequests,
    private readonly cursors: CursorSigner,
    private readonly progress: EnrollmentProgress,
  ) {}

  /**
   * Creates a draft. The same key with the same body returns the same one.
   * @throws AppError invalid_request for a definition that cannot be sent, and above the limit of sequences; idempotency_conflict
   */
  async createSequence(
    ctx: Ctx,
    body: CreateSequenceRequest,
    idempotencyKey: string | null,
  ): Promise<JsonText<typeof Sequence>> {
    const definition = definitionOf(body);
    const request = { route: OUTREACH_RPC.createSequence.pattern, key: idempotencyKey, body };
    const { id } = await this.requests.inTransaction(ctx, request, async (tx) => {
      await lockTenant(this.database, tx, 'sequences');
      await this.requireMailboxes(tx, definition, []);
      const id = newId('seq');
      const columns = columnsOf(definition);
      const params = [tenantOf(tx), id, body.name.trim(), ...columns, SEQUENCES_MAX] as const;
      if (!(await this.database.queryOne(tx, INSERT, params)))
        throw fieldError(
          [],
          `there are already ${SEQUENCES_MAX} open sequences, which is the limit: archive some`,
        );
      await this.database.query(tx, KEEP_VERSION, [tenantOf(tx), id]);
      return { id };
    });
    return this.readSequence(ctx, id);
  }

  /** Returns one page of sequences, newest first. @throws AppError invalid_cursor */
  async listSequences(
    ctx: Ctx,
    { status, ...page }: PageQuery & { status: SequenceStatus | null },
  ): Promise<JsonText<typeof SequencePage>> {
    const binding = { tenant: tenantOf(ctx), endpoint: LISTS.sequences, subject: status ?? '' };
    const read = (after: string | null, limit: number) =>
      this.database.query(ctx, LIST, [tenantOf(ctx), ...partsOf(after), status, limit], 'list');
    const { rows, next } = await this.cursors.readPage(binding, page, read, placeOf);
    const items = rows.map(({ json }) => json);
    return cursorPageText(SequencePage, items, next);
  }

  /** @throws AppError not_found */
  async readSequence(ctx: Ctx | TxCtx, sequenceId: string): Promise<JsonText<typeof Sequence>> {
    const id = requireId('seq', sequenceId);
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), id]);
    if (!row) throw notFound('seq');
    return row.json;
  }

  /** @throws AppError not_found */
  async findSequence(ctx: Ctx | TxCtx, sequenceId: string): Promise<KnownSequence> {
    const row = await this.database.queryOne(ctx, FIND, [tenantOf(ctx), requireId('seq', sequenceId)]);
    if (!row) throw notFound('seq');
    return row;
  }

  /**
   * Finds a sequence and locks it, so that none of its messages is marked until the transaction ends.
   * @throws AppError not_found
   */
  async lockSequence(tx: TxCtx, sequenceId: string): Promise<KnownSequence> {
    const row = await this.database.queryOne(tx, LOCK, [tenantOf(tx), requireId('seq', sequenceId)]);
    if (!row) throw notFound('seq');
    return row;
  }

  /**
   * Changes the fields of the body, which creates a new version and voids the approval; or archives the sequence.
   * @throws AppError not_found; version_conflict when the version has changed; invalid_request for a sequence that is active or
   * has ended, and like {@link createSequence}
   */
  async changeSequence(
    ctx: Ctx,
    sequenceId: string,
    { version, changes }: ChangeSequenceRequest,
  ): Promise<JsonText<typeof Sequence>> {
    const { status: wanted, name, ...parts } = changes;
    const given = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
    const isChange = name !== undefined || Object.keys(given).length > 0;
    if (!isChange && wanted === undefined)
      throw fieldError(['changes'], 'must name at least one field to change');
    await this.database.transaction(ctx, async (tx) => {
      const sequence = await this.lockSequence(tx, sequenceId);
      if (sequence.version !== version)
        throw new AppError(
          'version_conflict',
          `The sequence is now at version ${sequence.version}. Read it again.`,
        );
      if (sequence.status === 'archived' && !isChange) return;
      const mayChange = isChange ? CHANGEABLE : [...CHANGEABLE, 'completed'];
      if (!mayChange.includes(sequence.status))
        throw fieldError(
          ['changes'],
          `cannot be made to a sequence that is ${sequence.status}${statusHint(sequence)}`,
        );
      if (isChange) await this.rewriteSequence(tx, sequence, name, given);
      await voidApprovals(this.database, tx, sequence.id);
      if (wanted === 'archived') await this.archiveSequenceRow(tx, sequence.id);
    });
    return this.readSequence(ctx, sequenceId);
  }

  /** Stops sending messages of a sequence, and voids its approval. Idempotent. @throws AppError not_found */
  async pauseSequence(ctx: Ctx, sequenceId: string): Promise<JsonText<typeof Sequence>> {
    await this.database.transaction(ctx, async (tx) => {
      const { id, status } = await this.lockSequence(tx, sequenceId);
      if (status !== 'active' && status !== 'approved') return;
      await voidApprovals(this.database, tx, id);
      await recordAudit(this.database, tx, { action: 'sequence.paused', object: id });
    });
    return this.readSequence(ctx, sequenceId);
  }

  private async rewriteSequence(
    tx: TxCtx,
    { id, name: before, definition }: KnownSequence,
    name: string | undefined,
    given: Partial<RequestedDefinition>,
  ): Promise<void> {
    const next = definitionOf({ ...asRequest(definition), ...given }, ['changes']);
    if (given.mailbox_ids) await this.requireMailboxes(tx, next, ['changes']);
    const params = [tenantOf(tx), id, name?.trim() ?? before, ...columnsOf(next)] as const;
    await this.database.query(tx, CHANGE, params);
    await this.database.query(tx, KEEP_VERSION, [tenantOf(tx), id]);
  }

  private async archiveSequenceRow(tx: TxCtx, sequenceId: string): Promise<void> {
    await this.database.query(tx, ARCHIVE, [tenantOf(tx), sequenceId]);
    await this.progress.endArchived(tx, sequenceId);
  }

  private async requireMailboxes(
    tx: TxCtx,
    { mailbox_ids: ids }: SequenceDefinition,
    under: string[],
  ): Promise<void> {
    const found = await this.database.query(tx, MAILBOXES, [tenantOf(tx), ids]);
    const missing = ids.findIndex((id) => !found.some((mailbox) => mailbox.id === id));
    if (missing >= 0) throw fieldError([...under, 'mailbox_ids', missing], 'is not a mailbox');
  }
}

function statusHint({ status }: KnownSequence): string {
  return status === 'active' ? ': pause it first' : '';
}

/** Converts a stored definition to the form of a request. */
function asRequest({ steps, ...rest }: SequenceDefinition): RequestedDefinition {
  return {
    ...rest,
    steps: steps.map(({ subject, ...step }) => ({ ...step, ...(subject === null ? {} : { subject }) })),
  };
}

function columnsOf(definition: SequenceDefinition) {
  const { mailbox_ids: mailboxIds, time_zone: zone, window, daily_limit: limit, steps } = definition;
  const days = window.days.map((day) => WEEKDAYS.indexOf(day) + 1);
  return [
    JSON.stringify(definition),
    mailboxIds,
    zone,
    days,
    window.from,
    window.to,
    limit,
    steps.length,
  ] as const;
}

const MAILBOXES = statement(
  'sequence.mailboxes',
  `SELECT b.id FROM outreach.mailboxes b WHERE ${ofTenant('b')} AND b.id = ANY ($2::text[]) AND b.status <> 'removed'`,
);

const INSERT = statement(
  'sequence.insert',
  `INSERT INTO outreach.sequences (org_id, mode, id, name, definition, mailbox_ids, time_zone, window_days, window_from, window_to,
     daily_limit, step_count)
   SELECT ${TENANT}, $2, $3, $4::json, $5::text[], $6, $7::integer[], $8::text::time, $9::text::time, $10, $11
   WHERE (SELECT count(*) FROM outreach.sequences s WHERE ${ofTenant('s')} AND s.status <> 'archived') < $12 RETURNING id`,
);

const CHANGE = statement(
  'sequence.change',
  `UPDATE outreach.sequences s SET version = s.version + 1, name = $3, definition = $4::json, mailbox_ids = $5::text[],
     time_zone = $6, window_days = $7::integer[], window_from = $8::text::time, window_to = $9::text::time, daily_limit = $10,
     step_count = $11
   WHERE ${ofTenant('s')} AND s.id = $2`,
);

const KEEP_VERSION = statement(
  'sequence.keepVersion',
  `INSERT INTO outreach.sequence_versions (org_id, mode, sequence_id, version, definition)
   SELECT s.org_id, s.mode, s.id, s.version, s.definition FROM outreach.sequences s WHERE ${ofTenant('s')} AND s.id = $2`,
);

const ARCHIVE = statement(
  'sequence.archive',
  `UPDATE outreach.sequences s SET status = 'archived' WHERE ${ofTenant('s')} AND s.id = $2`,
);

const LIST = statement(
  'sequence.list',
  `SELECT ${SEQUENCE_SUMMARY_JSON}::text AS json, ${PLACE('s.created_at', 's.id')} FROM outreach.sequences s
   WHERE ${ofTenant('s')} AND ($2::timestamptz IS NULL OR (s.created_at, s.id) < ($2, $3::text))
     AND ($4::text IS NULL OR s.status = $4)
   ORDER BY s.created_at DESC, s.id DESC LIMIT $5`,
).rows<{ json: JsonText<typeof SequenceSummary>; place: string }>();

const READ = statement(
  'sequence.read',
  `SELECT ${SEQUENCE_JSON}::text AS json FROM outreach.sequences s WHERE ${ofTenant('s')} AND s.id = $2`,
).rows<{ json: JsonText<typeof Sequence> }>();

const KNOWN = `s.id, s.name, s.status, s.version, s.definition`;

const FIND = statement(
  'sequence.find',
  `SELECT ${KNOWN} FROM outreach.sequences s WHERE ${ofTenant('s')} AND s.id = $2`,
).rows<{ definition: SequenceDefinition }>();

const LOCK = statement(
  'sequence.lock',
  `SELECT ${KNOWN} FROM outreach.sequences s WHERE ${ofTenant('s')} AND s.id = $2 FOR UPDATE`,
).rows<{ definition: SequenceDefinition }>();
