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
import { method, type Keyed } from './rpc-method.js';

interface Page {
  limit: number;
  cursor: string | null;
}
/** Rendering and enrolling read a table; a login waits for two servers elsewhere. */
const LONG_MS = 30_000;

/** Calls for mailboxes, sequences and the inbox; answered by the services side. */
export const OUTREACH_RPC = {
  listMailboxes: method<Page, JsonText<typeof MailboxPage>>('services.mailboxes.list', 'read'),
  connectMailbox: method<{ actor: Actor; body: ConnectMailboxRequest }, JsonText<typeof Mailbox>>(
    'services.mailboxes.connect',
    'write',
    LONG_MS,
  ),
  changeMailbox: method<
    { actor: Actor; mailboxId: string; body: ChangeMailboxRequest },
    JsonText<typeof Mailbox>
  >('services.mailboxes.change', 'write', LONG_MS),
  removeMailbox: method<{ actor: Actor; mailboxId: string }, null>('services.mailboxes.remove', 'write'),

  createSequence: method<{ body: CreateSequenceRequest } & Keyed, JsonText<typeof Sequence>>(
    'services.sequences.create',
    'write',
  ),
  listSequences: method<Page & { status: SequenceStatus | null }, JsonText<typeof SequencePage>>(
    'services.sequences.list',
    'read',
  ),
  getSequence: method<{ sequenceId: string }, JsonText<typeof Sequence>>('services.sequences.get', 'read'),
  changeSequence: method<{ sequenceId: string; body: ChangeSequenceRequest }, JsonText<typeof Sequence>>(
    'services.sequences.change',
    'write',
  ),
  enroll: method<{ sequenceId: string; body: EnrollRequest }, JsonText<typeof EnrollmentResult>>(
    'services.sequences.enroll',
    'write',
    LONG_MS,
  ),
  listEnrollments: method<
    Page & { sequenceId: string; status: EnrollmentStatus | null },
    JsonText<typeof EnrollmentPage>
  >('services.sequences.enrollments', 'read'),
  previewSequence: method<{ sequenceId: string; body: PreviewRequest }, JsonText<typeof SequencePreview>>(
    'services.sequences.preview',
    'read',
    LONG_MS,
  ),
  requestApproval: method<{ sequenceId: string; body: RequestApprovalRequest }, JsonText<typeof Approval>>(
    'services.sequences.requestApproval',
    'write',
    LONG_MS,
  ),
  activateSequence: method<{ sequenceId: string; body: ActivateSequenceRequest }, JsonText<typeof Sequence>>(
    'services.sequences.activate',
    'write',
  ),
  pauseSequence: method<{ sequenceId: string }, JsonText<typeof Sequence>>(
    'services.sequences.pause',
    'write',
  ),
  getSequenceStats: method<{ sequenceId: string }, JsonText<typeof SequenceStats>>(
    'services.sequences.stats',
    'read',
  ),
  stopContact: method<{ body: StopContactRequest }, JsonText<typeof ContactStopped>>(
    'services.contacts.stop',
    'write',
  ),

  listSuppressions: method<Page & { query: string | null }, JsonText<typeof SuppressionPage>>(
    'services.suppressions.list',
    'read',
  ),
  addSuppressions: method<{ body: AddSuppressionsRequest }, JsonText<typeof SuppressionsAdded>>(
    'services.suppressions.add',
    'write',
  ),
  removeSuppression: method<{ actor: Actor; suppressionId: string }, null>(
    'services.suppressions.remove',
    'write',
  ),

  listApprovals: method<Page, JsonText<typeof ApprovalPage>>('services.approvals.list', 'read'),
  getApproval: method<{ approvalId: string }, JsonText<typeof ApprovalDetails>>(
    'services.approvals.get',
    'read',
    LONG_MS,
  ),
  decideApproval: method<
    { actor: Actor; approvalId: string; body: DecideApprovalRequest },
    JsonText<typeof Approval>
  >('services.approvals.decide', 'write'),
  resolveMessage: method<{ actor: Actor; messageId: string; body: ResolveMessageRequest }, null>(
    'services.messages.resolve',
    'write',
  ),

  listThreads: method<
    Page & {
      mailboxId: string | null;
      sequenceId: string | null;
      label: string | null;
      unread: boolean | null;
      query: string | null;
    },
    JsonText<typeof ThreadPage>
  >('services.inbox.threads', 'read'),
  getThread: method<Page & { threadId: string }, JsonText<typeof ThreadMessages>>(
    'services.inbox.thread',
    'read',
  ),
  changeThread: method<{ threadId: string; body: ChangeThreadRequest }, JsonText<typeof Thread>>(
    'services.inbox.change',
    'write',
  ),
  createDraft: method<{ threadId: string; body: CreateDraftRequest } & Keyed, JsonText<typeof MessageDraft>>(
    'services.inbox.draft',
    'write',
  ),
  sendDraft: method<{ draftId: string; body: SendDraftRequest }, JsonText<typeof DraftSent>>(
    'services.inbox.send',
    'write',
  ),

  /** Of a link in a message: whom it stands for, without changing anything; null for one that is none. */
  readUnsubscribe: method<{ token: string }, { email: string; isUnsubscribed: boolean } | null>(
    'services.unsubscribe.read',
    'read',
  ),
  /** @returns false for a token that is none */
  unsubscribe: method<{ token: string }, boolean>('services.unsubscribe.do', 'write'),
} as const;
