import { Controller } from '@nestjs/common';
import { OUTREACH_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { ApprovalStore } from './approvals/approval.store.js';
import { MailboxStore } from './mailboxes/mailbox.store.js';
import { ContactStore } from './sequences/contact.store.js';
import { EnrollmentStore } from './sequences/enrollment.store.js';
import { SequencePreviewer } from './sequences/sequence-preview.js';
import { SequenceStatistics } from './sequences/sequence-stats.js';
import { SequenceStore } from './sequences/sequence.store.js';
import { SuppressionStore } from './suppressions/suppression.store.js';
import { DraftStore } from './threads/draft.store.js';
import { ThreadStore } from './threads/thread.store.js';

type Rpc = typeof OUTREACH_RPC;

/** Answers calls about mailboxes. */
@Controller()
export class MailboxesController {
  constructor(private readonly mailboxes: MailboxStore) {}

  @Answers(OUTREACH_RPC.listMailboxes)
  listMailboxes(ctx: Ctx, page: RequestOf<Rpc['listMailboxes']>) {
    return this.mailboxes.listMailboxes(ctx, page);
  }

  @Answers(OUTREACH_RPC.connectMailbox)
  connectMailbox(ctx: Ctx, { actor, body }: RequestOf<Rpc['connectMailbox']>) {
    return this.mailboxes.connectMailbox(ctx, actor, body);
  }

  @Answers(OUTREACH_RPC.changeMailbox)
  changeMailbox(ctx: Ctx, { actor, mailboxId, body }: RequestOf<Rpc['changeMailbox']>) {
    return this.mailboxes.changeMailbox(ctx, actor, mailboxId, body);
  }

  @Answers(OUTREACH_RPC.removeMailbox)
  async removeMailbox(ctx: Ctx, { actor, mailboxId }: RequestOf<Rpc['removeMailbox']>) {
    await this.mailboxes.removeMailbox(ctx, actor, mailboxId);
    return null;
  }
}

/** Answers calls about sequences and their contacts. */
@Controller()
export class SequencesController {
  constructor(
    private readonly sequences: SequenceStore,
    private readonly enrollments: EnrollmentStore,
    private readonly previewer: SequencePreviewer,
    private readonly approvals: ApprovalStore,
    private readonly statistics: SequenceStatistics,
    private readonly contacts: ContactStore,
  ) {}

  @Answers(OUTREACH_RPC.createSequence)
  createSequence(ctx: Ctx, { body, idempotencyKey = null }: RequestOf<Rpc['createSequence']>) {
    return this.sequences.createSequence(ctx, body, idempotencyKey);
  }

  @Answers(OUTREACH_RPC.listSequences)
  listSequences(ctx: Ctx, query: RequestOf<Rpc['listSequences']>) {
    return this.sequences.listSequences(ctx, query);
  }

  @Answers(OUTREACH_RPC.getSequence)
  getSequence(ctx: Ctx, { sequenceId }: RequestOf<Rpc['getSequence']>) {
    return this.sequences.readSequence(ctx, sequenceId);
  }

  @Answers(OUTREACH_RPC.changeSequence)
  changeSequence(ctx: Ctx, { sequenceId, body }: RequestOf<Rpc['changeSequence']>) {
    return this.sequences.changeSequence(ctx, sequenceId, body);
  }

  @Answers(OUTREACH_RPC.pauseSequence)
  pauseSequence(ctx: Ctx, { sequenceId }: RequestOf<Rpc['pauseSequence']>) {
    return this.sequences.pauseSequence(ctx, sequenceId);
  }

  @Answers(OUTREACH_RPC.enroll)
  enrollContacts(ctx: Ctx, { sequenceId, body, idempotencyKey = null }: RequestOf<Rpc['enroll']>) {
    return this.enrollments.enrollContacts(ctx, sequenceId, body, idempotencyKey);
  }

  @Answers(OUTREACH_RPC.listEnrollments)
  listEnrollments(ctx: Ctx, query: RequestOf<Rpc['listEnrollments']>) {
    return this.enrollments.listEnrollments(ctx, query);
  }

  @Answers(OUTREACH_RPC.previewSequence)
  previewMessages(ctx: Ctx, { sequenceId, body }: RequestOf<Rpc['previewSequence']>) {
    return this.previewer.previewSequence(ctx, sequenceId, body);
  }

  @Answers(OUTREACH_RPC.requestApproval)
  requestApproval(ctx: Ctx, { sequenceId, body }: RequestOf<Rpc['requestApproval']>) {
    return this.approvals.requestApproval(ctx, sequenceId, body.digest);
  }

  @Answers(OUTREACH_RPC.activateSequence)
  activateSequence(ctx: Ctx, { sequenceId, body }: RequestOf<Rpc['activateSequence']>) {
    return this.approvals.activateSequence(ctx, sequenceId, body.approval_id);
  }

  @Answers(OUTREACH_RPC.getSequenceStats)
  getStatistics(ctx: Ctx, { sequenceId }: RequestOf<Rpc['getSequenceStats']>) {
    return this.statistics.readStatistics(ctx, sequenceId);
  }

  @Answers(OUTREACH_RPC.stopContact)
  stopContact(ctx: Ctx, { body }: RequestOf<Rpc['stopContact']>) {
    return this.contacts.stopContact(ctx, body);
  }

  @Answers(OUTREACH_RPC.resolveMessage)
  async resolveMessage(ctx: Ctx, { actor, messageId, body }: RequestOf<Rpc['resolveMessage']>) {
    await this.contacts.resolveMessage(ctx, actor, messageId, body.outcome);
    return null;
  }

  /** Serves a link: its visitor has no organisation, but the token names one. */
  @Answers(OUTREACH_RPC.readUnsubscribe)
  readUnsubscribe(_ctx: Ctx, { token }: RequestOf<Rpc['readUnsubscribe']>) {
    return this.contacts.readUnsubscribe(token);
  }

  @Answers(OUTREACH_RPC.unsubscribe)
  unsubscribeContact(_ctx: Ctx, { token }: RequestOf<Rpc['unsubscribe']>) {
    return this.contacts.unsubscribeContact(token);
  }
}

/** Answers calls about approvals, suppressions and the inbox. */
@Controller()
export class InboxController {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly suppressions: SuppressionStore,
    private readonly threads: ThreadStore,
    private readonly drafts: DraftStore,
  ) {}

  @Answers(OUTREACH_RPC.listApprovals)
  listApprovals(ctx: Ctx, page: RequestOf<Rpc['listApprovals']>) {
    return this.approvals.listApprovals(ctx, page);
  }

  @Answers(OUTREACH_RPC.getApproval)
  getApproval(ctx: Ctx, { approvalId }: RequestOf<Rpc['getApproval']>) {
    return this.approvals.readApproval(ctx, approvalId);
  }

  @Answers(OUTREACH_RPC.decideApproval)
  decideApproval(ctx: Ctx, { actor, approvalId, body }: RequestOf<Rpc['decideApproval']>) {
    return this.approvals.decideApproval(ctx, actor, approvalId, body);
  }

  @Answers(OUTREACH_RPC.listSuppressions)
  listSuppressions(ctx: Ctx, query: RequestOf<Rpc['listSuppressions']>) {
    return this.suppressions.listSuppressions(ctx, query);
  }

  @Answers(OUTREACH_RPC.addSuppressions)
  addSuppressions(ctx: Ctx, { body }: RequestOf<Rpc['addSuppressions']>) {
    return this.suppressions.addSuppressions(ctx, body);
  }

  @Answers(OUTREACH_RPC.removeSuppression)
  async removeSuppression(ctx: Ctx, { actor, suppressionId }: RequestOf<Rpc['removeSuppression']>) {
    await this.suppressions.removeSuppression(ctx, actor, suppressionId);
    return null;
  }

  @Answers(OUTREACH_RPC.listThreads)
  listThreads(ctx: Ctx, query: RequestOf<Rpc['listThreads']>) {
    return this.threads.listThreads(ctx, query);
  }

  @Answers(OUTREACH_RPC.getThread)
  getThread(ctx: Ctx, query: RequestOf<Rpc['getThread']>) {
    return this.threads.readThread(ctx, query);
  }

  @Answers(OUTREACH_RPC.changeThread)
  changeThread(ctx: Ctx, { threadId, body }: RequestOf<Rpc['changeThread']>) {
    return this.threads.changeThread(ctx, threadId, body);
  }

  @Answers(OUTREACH_RPC.createDraft)
  createDraft(ctx: Ctx, { threadId, body, idempotencyKey = null }: RequestOf<Rpc['createDraft']>) {
    return this.drafts.createDraft(ctx, threadId, body, idempotencyKey);
  }

  @Answers(OUTREACH_RPC.sendDraft)
  sendDraft(ctx: Ctx, { draftId, body }: RequestOf<Rpc['sendDraft']>) {
    return this.drafts.sendDraft(ctx, draftId, body);
  }
}
