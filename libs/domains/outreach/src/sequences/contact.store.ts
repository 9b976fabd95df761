import { Injectable } from '@nestjs/common';
import {
  ContactStopped,
  fieldError,
  jsonText,
  type Actor,
  type JsonText,
  type ResolveMessageRequest,
  type StopContactRequest,
} from '@quarry/dto';
import { requireId, systemCtx, notFound, type Ctx, type Mode } from '@quarry/app';
import { Database, ofTenant, recordAudit, tenantOf } from '@quarry/postgres';
import { mailAddress } from '../mail-address.js';
import { EnrollmentProgress } from '../enrollments/enrollment-progress.js';
import { statement } from '../statements.types.js';
import { isSuppressed, SuppressionStore } from '../suppressions/suppression.store.js';
import { SequenceStore } from './sequence.store.js';

/** Stops contacts: on behalf of a client, through their own unsubscription, or when a person resolves an unknown message. */
@Injectable()
export class ContactStore {
  constructor(
    private readonly database: Database,
    private readonly sequences: SequenceStore,
    private readonly suppressions: SuppressionStore,
    private readonly progress: EnrollmentProgress,
  ) {}

  /** Stops a contact in one or all sequences. Idempotent. @throws AppError not_found, invalid_request */
  async stopContact(
    ctx: Ctx,
    { email, sequence_id: sequenceId, suppress = false }: StopContactRequest,
  ): Promise<JsonText<typeof ContactStopped>> {
    const value = mailAddress(email);
    if (value === null) throw fieldError(['email'], 'is not an e-mail address');
    return this.database.transaction(ctx, async (tx) => {
      if (sequenceId !== undefined) await this.sequences.findSequence(tx, sequenceId);
      if (suppress) {
        const stopped = await this.suppressions.suppressAddress(tx, value, 'manual');
        return jsonText(ContactStopped, { stopped, suppressed: true });
      }
      const whose = { kind: 'address' as const, value, ...(sequenceId === undefined ? {} : { sequenceId }) };
      // A contact stopped everywhere is never enrolled again; one taken out of a single sequence may be enrolled in another.
      const reason = sequenceId === undefined ? 'requested' : 'taken_out';
      const stopped = await this.progress.endEnrollments(tx, whose, 'stopped', reason);
      if (sequenceId === undefined) await this.database.query(tx, LEAVE_ALONE, [tenantOf(tx), value]);
      return jsonText(ContactStopped, { stopped, suppressed: false });
    });
  }

  /** @returns the contact of an unsubscribe link; null for an invalid token */
  async readUnsubscribe(token: string): Promise<{ email: string; isUnsubscribed: boolean } | null> {
    const row = await this.ofToken(token);
    return row && { email: row.email, isUnsubscribed: row.is_suppressed };
  }

  /** Suppresses the contact of an unsubscribe link. Idempotent. @returns false for an invalid token */
  async unsubscribeContact(token: string): Promise<boolean> {
    const row = await this.ofToken(token);
    if (!row) return false;
    const ctx = { ...systemCtx('unsubscribe', row.org_id), mode: row.mode as Mode };
    await this.database.transaction(ctx, (tx) =>
      this.suppressions.suppressAddress(tx, row.email, 'unsubscribed'),
    );
    return true;
  }

  /**
   * Resolves a message of which it is unknown whether it was sent, as a person says. `sent` continues as if the server had
   * accepted it; `not_sent` ends the enrollment, since the message is never sent again. The same answer again changes nothing.
   * @throws AppError not_found; invalid_request for a message in a known state
   */
  async resolveMessage(
    ctx: Ctx,
    actor: Actor,
    messageId: string,
    outcome: ResolveMessageRequest['outcome'],
  ): Promise<void> {
    const id = requireId('msg', messageId);
    await this.database.transaction(ctx, async (tx) => {
      const found = await this.database.queryOne(tx, FIND_MESSAGE, [tenantOf(tx), id]);
      if (!found) throw notFound('msg');
      await this.progress.lockSequence(tx, found.sequence_id, async () => {
        const state = outcome === 'sent' ? 'sent' : 'rejected';
        const row = await this.database.queryOne(tx, RESOLVE, [tenantOf(tx), id, state]);
        if (!row) {
          // Read again: an equal request may have resolved it while this one waited for the lock.
          const now = await this.database.queryOne(tx, FIND_MESSAGE, [tenantOf(tx), id]);
          if (now?.state === state) return;
          throw fieldError([], `the message is ${now?.state}: only an unknown message needs a decision`);
        }
        if (row.enrollment_id !== null && row.step !== null) {
          if (outcome === 'sent') await this.progress.advanceEnrollment(tx, row.enrollment_id, row.step);
          else await this.progress.endEnrollment(tx, row.enrollment_id, 'stopped', 'not_sent');
        }
        const facts = { user: actor.userId, outcome };
        await recordAudit(this.database, tx, { action: 'message.resolved', object: id, facts });
      });
    });
  }

  /** Resolves a token, which names its organisation because a visitor of the link has no key. */
  private ofToken(token: string) {
    return /^[\w-]{20,64}$/.test(token)
      ? this.database.queryOne(systemCtx('unsubscribe'), OF_TOKEN, [token])
      : Promise.resolve(null);
  }
}

const OF_TOKEN = statement(
  'contact.ofToken',
  `SELECT e.org_id, e.mode, e.email, ${isSuppressed('e', 'email')} AS is_suppressed FROM outreach.enrollments e
   WHERE e.unsubscribe_token = $1`,
).rows<{ is_suppressed: boolean }>();

/** Applies to contacts of archived sequences and those taken out as well: no other sequence may enrol them. */
const LEAVE_ALONE = statement(
  'contact.leaveAlone',
  `UPDATE outreach.enrollments e SET reason = 'requested'
   WHERE ${ofTenant('e')} AND e.email = $2 AND e.status = 'stopped' AND e.reason IN ('taken_out', 'archived')`,
);

const FIND_MESSAGE = statement(
  'contact.findMessage',
  `SELECT m.sequence_id, m.state FROM outreach.messages m WHERE ${ofTenant('m')} AND m.id = $2 AND m.direction = 'out'`,
);

const RESOLVE = statement(
  'contact.resolve',
  `UPDATE outreach.messages m SET state = $3, ended_at = clock_timestamp()
   WHERE ${ofTenant('m')} AND m.id = $2 AND m.state = 'unknown' RETURNING m.enrollment_id, m.step`,
);
