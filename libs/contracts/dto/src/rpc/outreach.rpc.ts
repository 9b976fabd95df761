import type {
  ActivateSequenceRequest,
  AddSuppressionsRequest,
  ChangeMailboxRequest,
  ChangeSequenceRequest,
  ChangeThreadRequest,
  ConnectMailboxRequest,
  CreateDraftRequest,
  CreateSequenceRequest,
  DecideApprovalRequest,
  EnrollmentStatus,
  EnrollRequest,
  PreviewRequest,
  RequestApprovalRequest,
  ResolveMessageRequest,
  SendDraftRequest,
  SequenceStatus,
  StopContactRequest,
  ThreadKind,
} from '../outreach.js';
import type { JsonText } from '../resources/json-text.js';
import type {
  Approval,
  ApprovalDetails,
  ApprovalPage,
  ContactStopped,
  DraftSent,
  EnrollmentPage,
  EnrollmentResult,
  Mailbox,
  MailboxPage,
  MessageDraft,
  Sequence,
  SequencePage,
  SequencePreview,
  SequenceStats,
  SuppressionPage,
  SuppressionsAdded,
  Thread,
  ThreadMessages,
  ThreadPage,
} from '../resources/outreach.resources.js';
import type { Actor } from './identity.rpc.js';
import { defineMethod, type Keyed } from './rpc-method.js';

interface Page {
  limit: number;
  cursor: string | null;
}
/** Timeout in milliseconds of long calls: rendering and enrolling read a table; a login waits for two external servers. */
const LONG_MS = 30_000;

/** Calls for mailboxes, sequences and the inbox; handled by the services side. */
export const OUTREACH_RPC = {
  listMailboxes: defineMethod<Page, JsonText<typeof MailboxPage>>('services.mailboxes.list', 'read'),
  connectMailbox: defineMethod<{ actor: Actor; body: ConnectMailboxRequest }, JsonText<typeof Mailbox>>(
    'services.mailboxes.connect',
    'write',
    LONG_MS,
  ),
  changeMailbox: defineMethod<
    { actor: Actor; mailboxId: string; body: ChangeMailboxRequest },
    JsonText<typeof Mailbox>
  >('services.mailboxes.change', 'write', LONG_MS),
  removeMailbox: defineMethod<{ actor: Actor; mailboxId: string }, null>(
    'services.mailboxes.remove',
    'write',
  ),

  createSequence: defineMethod<{ body: CreateSequenceRequest } & Keyed, JsonText<typeof Sequence>>(
    'services.sequences.create',
    'write',
  ),
  listSequences: defineMethod<Page & { status: SequenceStatus | null }, JsonText<typeof SequencePage>>(
    'services.sequences.list',
    'read',
  ),
  getSequence: defineMethod<{ sequenceId: string }, JsonText<typeof Sequence>>(
    'services.sequences.get',
    'read',
  ),
  changeSequence: defineMethod<
    { sequenceId: string; body: ChangeSequenceRequest },
    JsonText<typeof Sequence>
  >('services.sequences.change', 'write'),
  enroll: defineMethod<
    { sequenceId: string; body: EnrollRequest } & Keyed,
    JsonText<typeof EnrollmentResult>
  >('services.sequences.enroll', 'write', LONG_MS),
  listEnrollments: defineMethod<
    Page & { sequenceId: string; status: EnrollmentStatus | null },
    JsonText<typeof EnrollmentPage>
  >('services.sequences.enrollments', 'read'),
  previewSequence: defineMethod<
    { sequenceId: string; body: PreviewRequest },
    JsonText<typeof SequencePreview>
  >('services.sequences.preview', 'read', LONG_MS),
  requestApproval: defineMethod<
    { sequenceId: string; body: RequestApprovalRequest },
    JsonText<typeof Approval>
  >('services.sequences.requestApproval', 'write', LONG_MS),
  activateSequence: defineMethod<
    { sequenceId: string; body: ActivateSequenceRequest },
    JsonText<typeof Sequence>
  >('services.sequences.activate', 'write'),
  pauseSequence: defineMethod<{ sequenceId: string }, JsonText<typeof Sequence>>(
    'services.sequences.pause',
    'write',
  ),
  getSequenceStats: defineMethod<{ sequenceId: string }, JsonText<typeof SequenceStats>>(
    'services.sequences.stats',
    'read',
  ),
  stopContact: defineMethod<{ body: StopContactRequest }, JsonText<typeof ContactStopped>>(
    'services.contacts.stop',
    'write',
  ),

  listSuppressions: defineMethod<Page & { query: string | null }, JsonText<typeof SuppressionPage>>(
    'services.suppressions.list',
    'read',
  ),
  addSuppressions: defineMethod<{ body: AddSuppressionsRequest }, JsonText<typeof SuppressionsAdded>>(
    'services.suppressions.add',
    'write',
  ),
  removeSuppression: defineMethod<{ actor: Actor; suppressionId: string }, null>(
    'services.suppressions.remove',
    'write',
  ),

  listApprovals: defineMethod<Page, JsonText<typeof ApprovalPage>>('services.approvals.list', 'read'),
  getApproval: defineMethod<{ approvalId: string }, JsonText<typeof ApprovalDetails>>(
    'services.approvals.get',
    'read',
    LONG_MS,
  ),
  decideApproval: defineMethod<
    { actor: Actor; approvalId: string; body: DecideApprovalRequest },
    JsonText<typeof Approval>
  >('services.approvals.decide', 'write'),
  resolveMessage: defineMethod<{ actor: Actor; messageId: string; body: ResolveMessageRequest }, null>(
    'services.messages.resolve',
    'write',
  ),

  listThreads: defineMethod<
    Page & {
      mailboxId: string | null;
      sequenceId: string | null;
      label: string | null;
      unread: boolean | null;
      /** Not sent by gateways of versions before lists of one kind. */
      kind?: ThreadKind | null;
      query: string | null;
    },
    JsonText<typeof ThreadPage>
  >('services.inbox.threads', 'read'),
  getThread: defineMethod<Page & { threadId: string }, JsonText<typeof ThreadMessages>>(
    'services.inbox.thread',
    'read',
  ),
  changeThread: defineMethod<{ threadId: string; body: ChangeThreadRequest }, JsonText<typeof Thread>>(
    'services.inbox.change',
    'write',
  ),
  createDraft: defineMethod<
    { threadId: string; body: CreateDraftRequest } & Keyed,
    JsonText<typeof MessageDraft>
  >('services.inbox.draft', 'write'),
  sendDraft: defineMethod<{ draftId: string; body: SendDraftRequest }, JsonText<typeof DraftSent>>(
    'services.inbox.send',
    'write',
  ),

  /** Returns the person of an unsubscribe link, without changing anything; null for an invalid one. */
  readUnsubscribe: defineMethod<{ token: string }, { email: string; isUnsubscribed: boolean } | null>(
    'services.unsubscribe.read',
    'read',
  ),
  /** @returns false for an invalid token */
  unsubscribe: defineMethod<{ token: string }, boolean>('services.unsubscribe.do', 'write'),
} as const;
