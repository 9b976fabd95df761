import type {
  Actor,
  CreateSequenceRequest,
  EnrollRequest,
  JsonText,
  ResourceOf,
  SequencePreview,
} from '@quarry/dto';
import { parseResource } from '@quarry/dto';
import { CursorSigner, newId, notFound, type Ctx, type Mode } from '@quarry/app';
import { IdempotentRequests, type Database } from '@quarry/postgres';
import { ApprovalStore } from './approvals/approval.store.js';
import { EnrollmentProgress } from './enrollments/enrollment-progress.js';
import { OutreachSettings } from './outreach-settings.js';
import { ContactStore } from './sequences/contact.store.js';
import {
  EnrollmentRowsPort,
  type EnrollmentRow,
  type EnrollmentTable,
} from './sequences/enrollment-rows.port.js';
import { EnrollmentStore } from './sequences/enrollment.store.js';
import { SequenceAudience } from './sequences/sequence-audience.js';
import { SequencePreviewer } from './sequences/sequence-preview.js';
import { SequenceStatistics } from './sequences/sequence-stats.js';
import { SequenceStore } from './sequences/sequence.store.js';
import { SuppressionStore } from './suppressions/suppression.store.js';
import { DraftStore } from './threads/draft.store.js';
import { ThreadStore } from './threads/thread.store.js';

export const COLUMNS = ['email', 'first_name', 'time_zone'].map((key) => ({
  key,
  name: key,
  kind: key === 'email' ? ('email' as const) : ('text' as const),
  qualification: {},
}));

/** Rows of tables, and pages of tables that monitors have reported, by id. */
export class FakeEnrollmentRows extends EnrollmentRowsPort {
  readonly tables = new Map<string, EnrollmentRow[]>();
  readonly monitors = new Map<string, Array<{ tables: EnrollmentTable[]; missing: number }>>();

  readPage(
    ...[, { tableId }, page]: Parameters<EnrollmentRowsPort['readPage']>
  ): ReturnType<EnrollmentRowsPort['readPage']> {
    const all = this.tables.get(tableId);
    if (!all) return Promise.reject(notFound('tbl'));
    const rows =
      'rowIds' in page
        ? page.rowIds.flatMap((id) => all.find((row) => row.id === id) ?? [])
        : all.slice(page.from, page.from + page.limit);
    return Promise.resolve({ columns: COLUMNS, rowCount: all.length, rows });
  }

  readReported(
    ...[, { monitorId }, { after }]: Parameters<EnrollmentRowsPort['readReported']>
  ): ReturnType<EnrollmentRowsPort['readReported']> {
    const pages = this.monitors.get(monitorId);
    if (!pages) return Promise.reject(notFound('mon'));
    const at = Number(after ?? 0);
    const next = at + 1 < pages.length ? String(at + 1) : null;
    return Promise.resolve({ tables: [], missing: 0, ...pages[at], next });
  }
}

/** @returns a row of a table, verified by default */
export function contactRow(
  email: unknown,
  more: Partial<EnrollmentRow> & { name?: string | null } = {},
): EnrollmentRow {
  const { name = 'Ann', values, ...rest } = more;
  return {
    id: newId('row'),
    values: { email, first_name: name, ...values },
    isVerified: true,
    isExcluded: false,
    isFromSandbox: false,
    ...rest,
  };
}

export const ACTOR: Actor = { userId: 'usr_spec', role: 'owner', sessionId: 'session_spec' };

const STEPS: CreateSequenceRequest['steps'] = [
  { delay_days: 0, subject: 'Hello {{ first_name }}', body: 'Hi {{ first_name }}, a question.' },
  { delay_days: 3, body: 'Did you see my mail, {{ first_name }}?' },
];

/** All stores of sequences and the inbox on a database, over fake tables. */
export class SequenceScene {
  readonly rows = new FakeEnrollmentRows();
  readonly sequences: SequenceStore;
  readonly enrollments: EnrollmentStore;
  readonly previewer: SequencePreviewer;
  readonly approvals: ApprovalStore;
  readonly suppressions: SuppressionStore;
  readonly contacts: ContactStore;
  readonly statistics: SequenceStatistics;
  readonly threads: ThreadStore;
  readonly drafts: DraftStore;

  constructor(
    private readonly database: Database,
    baseUrl = 'https://quarry.example',
  ) {
    const requests = new IdempotentRequests(database);
    const cursors = new CursorSigner([{ id: 'k', secret: 's' }]);
    const progress = new EnrollmentProgress(database);
    const audience = new SequenceAudience(database);
    this.sequences = new SequenceStore(database, requests, cursors, progress);
    this.enrollments = new EnrollmentStore(database, requests, cursors, this.sequences, this.rows);
    this.previewer = new SequencePreviewer(database, new OutreachSettings(baseUrl), this.sequences, audience);
    this.approvals = new ApprovalStore(database, cursors, this.sequences, this.previewer, audience, progress);
    this.suppressions = new SuppressionStore(database, cursors, progress);
    this.contacts = new ContactStore(database, this.sequences, this.suppressions, progress);
    this.statistics = new SequenceStatistics(database, this.sequences);
    this.threads = new ThreadStore(database, cursors);
    this.drafts = new DraftStore(database, requests);
  }

  async mailbox(ctx: Ctx): Promise<string> {
    const id = newId('mbx');
    await this.database.query(
      ctx,
      `INSERT INTO outreach.mailboxes (org_id, mode, id, address, daily_limit, ramp_up, gap_seconds, time_zone)
       VALUES ($1, $2, $3, $4, 50, false, 0, 'Europe/Berlin')`,
      [ctx.orgId, ctx.mode, id, `${id.slice(-6)}@sender.example`],
    );
    return id;
  }

  table(rows: EnrollmentRow[]): string {
    const id = newId('tbl');
    this.rows.tables.set(id, rows);
    return id;
  }

  async sequence(ctx: Ctx, more: Partial<CreateSequenceRequest> = {}): Promise<string> {
    const mailboxIds = more.mailbox_ids ?? [await this.mailbox(ctx)];
    const body = { ...requestOf(mailboxIds), ...more };
    return parseResource(await this.sequences.createSequence(ctx, body, null)).sequence_id;
  }

  async read(ctx: Ctx, id: string) {
    return parseResource(await this.sequences.readSequence(ctx, id));
  }

  async enroll(ctx: Ctx, sequenceId: string, rows: EnrollmentRow[], more: Partial<EnrollRequest> = {}) {
    const body = { table_id: this.table(rows), email_column: 'email', ...more };
    return parseResource(await this.enrollments.enrollContacts(ctx, sequenceId, body));
  }

  async preview(ctx: Ctx, id: string): Promise<ResourceOf<JsonText<typeof SequencePreview>>> {
    return parseResource(await this.previewer.previewSequence(ctx, id, {}));
  }

  async request(ctx: Ctx, id: string) {
    const { digest } = await this.preview(ctx, id);
    return parseResource(await this.approvals.requestApproval(ctx, id, digest));
  }

  /** Requests an approval after a preview, and approves it as a person. @returns the id of the approval */
  async approve(ctx: Ctx, id: string): Promise<string> {
    const { approval_id: approvalId, digest } = await this.request(ctx, id);
    await this.approvals.decideApproval(ctx, ACTOR, approvalId, { decision: 'approve', digest });
    return approvalId;
  }

  /** Approves a sequence like {@link approve}, and starts it. */
  async start(ctx: Ctx, id: string): Promise<string> {
    const approvalId = await this.approve(ctx, id);
    await this.approvals.activateSequence(ctx, id, approvalId);
    return approvalId;
  }

  async contactsOf(ctx: Ctx, sequenceId: string) {
    const page = { sequenceId, status: null, limit: 1000, cursor: null };
    return parseResource(await this.enrollments.listEnrollments(ctx, page)).items;
  }
}

/** @returns a request for a sequence with two steps */
export function requestOf(mailboxIds: string[]): CreateSequenceRequest {
  return {
    name: 'Spec',
    mailbox_ids: mailboxIds,
    time_zone: 'Europe/Berlin',
    window: { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00' },
    steps: STEPS,
  };
}

/** @returns the items of all pages of a list */
export async function allOf<Item>(
  readPage: (cursor: string | null) => Promise<{ items: Item[]; next_cursor: string | null }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: Item[]; next_cursor: string | null } = await readPage(cursor);
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}

/** @returns the context of the same organisation in the other mode */
export function inMode(ctx: Ctx, mode: Mode): Ctx {
  return { ...ctx, mode };
}
