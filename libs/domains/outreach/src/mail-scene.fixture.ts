import { createHash } from 'node:crypto';
import { createLogger, CursorSigner, newId, SealedSecrets, systemCtx, type Ctx } from '@quarry/app';
import type { DomainRecords, MailboxReader, MailTransport, OutgoingMail, SendOutcome } from '@quarry/mail';
import { testCtx, type TestDatabase } from '@quarry/testing';
import { EnrollmentProgress } from './enrollments/enrollment-progress.js';
import { mailboxBinding } from './mailboxes/mailbox-secrets.js';
import { OutreachSettings } from './outreach-settings.js';
import { InboundMailStore } from './receiving/inbound-mail.store.js';
import { InboxReader } from './receiving/inbox-reader.js';
import { ReadingLeaseStore } from './receiving/reading-lease.store.js';
import { ContactExclusionsPort } from './sending/contact-exclusions.port.js';
import { MailSender } from './sending/mail-sender.js';
import { MailboxHealth } from './sending/mailbox-health.js';
import { MessagePlanner } from './sending/message-planner.js';
import { OutgoingMessageStore } from './sending/outgoing-message.store.js';
import { SendingLeaseStore } from './sending/sending-lease.store.js';
import { SuppressionStore } from './suppressions/suppression.store.js';

export const SECRETS = new SealedSecrets(['s'.repeat(32)]);
export const ALL = systemCtx('spec');

/** Fake exclusion lists, by domain. */
export class FakeExclusions extends ContactExclusionsPort {
  readonly domains = new Set<string>();

  isExcluded(_ctx: Ctx, email: string): Promise<boolean> {
    return Promise.resolve(this.domains.has(email.split('@')[1]!));
  }
}

/** Transport that answers as a spec defines, and records the mails. */
export class FakeTransport {
  readonly bodies: OutgoingMail[] = [];
  /** Called before a mail is marked as started. */
  before: (mail: OutgoingMail) => Promise<void> | void = () => undefined;
  answer: (mail: OutgoingMail) => SendOutcome | Promise<SendOutcome> = () => ACCEPTED;

  readonly port = {
    sendMessage: async (_server, mail, markStarted) => {
      await this.before(mail);
      const early = this.early?.(mail) ?? null;
      if (early) return early;
      if (!(await markStarted())) return { kind: 'failed', cause: 'aborted', code: null, reply: '' };
      this.bodies.push(mail);
      return this.answer(mail);
    },
    tryLogin: () => Promise.resolve(null),
  } satisfies MailTransport;
  /** Returns an outcome that ends sending before the body; null to continue. */
  early: ((mail: OutgoingMail) => SendOutcome | null) | null = null;
}

export const ACCEPTED: SendOutcome = { kind: 'accepted', code: 250, reply: '250 ok' };

/** Creates the parts of one worker that sends and receives, on the database of a spec. */
export function outreachParts(
  test: TestDatabase,
  {
    transport = new FakeTransport().port as MailTransport,
    reader = null as unknown as MailboxReader,
    exclusions = new FakeExclusions() as ContactExclusionsPort,
  } = {},
) {
  const { database } = test;
  const logger = createLogger('spec', 'silent');
  const settings = new OutreachSettings('https://quarry.test');
  const progress = new EnrollmentProgress(database);
  const suppressions = new SuppressionStore(database, new CursorSigner([{ id: 'k', secret: 's' }]), progress);
  const leases = new SendingLeaseStore(database);
  const planner = new MessagePlanner(database, settings, progress);
  const health = new MailboxHealth(database);
  const messages = new OutgoingMessageStore(database, suppressions, progress, health);
  const mails = new InboundMailStore(database, suppressions, health, progress);
  const reading = new ReadingLeaseStore(database);
  const domains = { check: () => Promise.resolve({}) } as unknown as DomainRecords;
  return {
    suppressions,
    leases,
    planner,
    messages,
    mails,
    reading,
    sender: new MailSender(leases, planner, messages, transport, exclusions, SECRETS, settings, logger),
    inbox: new InboxReader(database, reading, mails, reader, domains, SECRETS, logger),
  };
}

interface SequenceOptions {
  steps?: Array<{ delay_days: number; subject: string | null; body: string }>;
  window?: { days: number[]; from: string; to: string };
  timeZone?: string;
  dailyLimit?: number | null;
  /** Maximum number of messages that the approval covers; by default as many as there can be. */
  messages?: number;
}

let count = 0;

/** A separate organisation with a mailbox, and SQL to set up and read its data. */
export class MailScene {
  readonly mailboxId = newId('mbx');
  readonly turn;

  private constructor(
    readonly test: TestDatabase,
    readonly ctx: Ctx,
  ) {
    const { orgId, mode } = ctx;
    this.turn = { orgId, mode, id: this.mailboxId };
  }

  /** @param mailbox columns of the mailbox; by default without a gap, with a limit of 1,000 */
  static async open(
    test: TestDatabase,
    mode: 'live' | 'test' = 'test',
    {
      limit = 1000,
      rampUp = false,
      timeZone = 'UTC',
      server = { host: '127.0.0.1', port: 465, security: 'tls' as 'tls' | 'starttls', user: 'u' },
      ctx = testCtx(`org_${++count}`, { mode }),
    } = {},
  ): Promise<MailScene> {
    const scene = new MailScene(test, ctx);
    const sealed = SECRETS.sealSecret(
      mailboxBinding({ ...scene.ctx, id: scene.mailboxId }),
      JSON.stringify({ smtp_password: 'p', imap_password: 'p', dkim_key: null }),
    );
    await scene.sql(
      `INSERT INTO outreach.mailboxes (org_id, mode, id, address, smtp, imap, sealed_secrets, daily_limit, ramp_up, gap_seconds, time_zone)
       VALUES ($1, $2, $3, 'ann@sender.test', $4, $4, $5, $6, $7, 0, $8)`,
      [
        scene.mailboxId,
        ...(mode === 'live' ? [JSON.stringify(server), sealed] : [null, null]),
        limit,
        rampUp,
        timeZone,
      ],
    );
    return scene;
  }

  /** Runs SQL with the organisation and the mode as its first two parameters. */
  sql<Row extends Record<string, unknown>>(text: string, params: unknown[] = []): Promise<Row[]> {
    return this.test.database.query<Row>(ALL, text, [this.ctx.orgId, this.ctx.mode, ...params]);
  }

  /** Inserts an active, approved sequence with contacts that are due. @returns its id and those of its enrollments */
  async sequence(emails: string[], options: SequenceOptions = {}) {
    const steps = options.steps ?? [{ delay_days: 0, subject: 'Hello', body: 'Hi {{ name }}' }];
    const { days, from, to } = options.window ?? { days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '24:00' };
    const [sequenceId, approvalId] = [newId('seq'), newId('apr')];
    await this.sql(
      `INSERT INTO outreach.sequences (org_id, mode, id, name, status, definition, mailbox_ids, time_zone, window_days, window_from,
         window_to, daily_limit, step_count, approval_id)
       VALUES ($1, $2, $3, 'x', 'active', $4, ARRAY[$5], $6, $7, $8, $9, $10, $11, $12)`,
      [
        sequenceId,
        JSON.stringify({ mailbox_ids: [this.mailboxId], steps }),
        this.mailboxId,
        options.timeZone ?? 'UTC',
        days,
        from,
        to,
        options.dailyLimit ?? null,
        steps.length,
        approvalId,
      ],
    );
    await this.approval(approvalId, {
      sequenceId,
      messages: options.messages ?? emails.length * steps.length,
    });
    const enrollments: string[] = [];
    for (const email of emails) {
      const id = newId('enl');
      enrollments.push(id);
      await this.sql(
        `INSERT INTO outreach.enrollments (org_id, mode, id, sequence_id, email, variables, is_verified, mailbox_id, approval_id, next_at,
           status, unsubscribe_token)
         VALUES ($1, $2, $3, $4, $5, $6, true, $7, $8, now(), 'active', $9)`,
        [id, sequenceId, email, JSON.stringify({ name: 'Bo' }), this.mailboxId, approvalId, `token-${id}`],
      );
    }
    return { sequenceId, approvalId, enrollments };
  }

  /** Inserts a valid approval. */
  approval(id: string, of: { sequenceId?: string; draftId?: string; messages: number; digest?: string }) {
    const digest = of.digest ?? createHash('sha256').update(id).digest('hex');
    return this.sql(
      `INSERT INTO outreach.approvals (org_id, mode, id, kind, sequence_id, draft_id, version, digest, audience, messages, summary, status,
         decided_by, decided_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, 1, $7, 1, $8, 's', 'approved', 'usr_1', now(), now() + interval '30 days')`,
      [id, of.draftId ? 'draft' : 'sequence', of.sequenceId ?? null, of.draftId ?? null, digest, of.messages],
    );
  }

  /** Pauses a sequence as the API does: under the lock of its row. */
  pause(sequenceId: string) {
    return this.sql(
      `UPDATE outreach.sequences SET status = 'paused', approval_id = NULL WHERE org_id = $1 AND mode = $2 AND id = $3`,
      [sequenceId],
    );
  }

  messages() {
    return this.sql<{
      id: string;
      state: string;
      kind: string;
      direction: string;
      step: number;
      to_address: string;
      subject: string;
      body_text: string;
      rfc_message_id: string;
      in_reply_to: string | null;
      reference_ids: string[];
      tries: number;
      due_at: Date | null;
    }>('SELECT * FROM outreach.messages WHERE org_id = $1 AND mode = $2 ORDER BY created_at, id');
  }

  /** @returns the states of outgoing messages, in the order in which they were planned */
  async states(): Promise<string[]> {
    return (await this.messages()).filter(({ direction }) => direction === 'out').map(({ state }) => state);
  }

  enrollments() {
    return this.sql<{
      email: string;
      status: string;
      reason: string | null;
      step: number;
      next_at: Date | null;
    }>('SELECT * FROM outreach.enrollments WHERE org_id = $1 AND mode = $2 ORDER BY id');
  }

  async mailbox() {
    const [row] = await this.sql<{ status: string; status_reason: string | null; failures: number }>(
      'SELECT * FROM outreach.mailboxes WHERE org_id = $1 AND mode = $2 AND id = $3',
      [this.mailboxId],
    );
    return row!;
  }

  suppressions() {
    return this.sql<{ value: string; reason: string }>(
      'SELECT value, reason FROM outreach.suppressions WHERE org_id = $1 AND mode = $2 ORDER BY value',
    );
  }

  events() {
    return this.sql<{ type: string; subject: string; data: Record<string, unknown> }>(
      'SELECT type, subject, data FROM events.events WHERE org_id = $1 AND mode = $2 ORDER BY xid, position',
    );
  }

  threads() {
    return this.sql<{ id: string; kind: string; unread: boolean; subject: string; snippet: string }>(
      'SELECT * FROM outreach.threads WHERE org_id = $1 AND mode = $2 ORDER BY contact_email, id',
    );
  }

  /** Makes all messages and enrollments with a due time due now, and lets the mailbox send again. */
  async makeDue(): Promise<void> {
    await this.sql(
      `UPDATE outreach.messages SET due_at = now() WHERE org_id = $1 AND mode = $2 AND due_at IS NOT NULL`,
    );
    await this.sql(
      `UPDATE outreach.enrollments SET next_at = now() WHERE org_id = $1 AND mode = $2 AND next_at IS NOT NULL`,
    );
    await this.sql(
      `UPDATE outreach.mailboxes SET next_send_at = now(), read_at = now() WHERE org_id = $1 AND mode = $2`,
    );
  }

  /** Expires all leases. */
  async lapse(): Promise<void> {
    await this.sql(
      `UPDATE outreach.messages SET lease_until = now() - interval '1 s' WHERE org_id = $1 AND mode = $2 AND token IS NOT NULL`,
    );
    await this.sql(
      `UPDATE outreach.mailboxes SET send_until = now() - interval '1 s', read_until = now() - interval '1 s'
       WHERE org_id = $1 AND mode = $2`,
    );
  }
}
