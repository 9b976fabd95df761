import { Controller } from '@nestjs/common';
import { OUTREACH_RPC, type RequestOf, type ResponseOf } from '@quarry/dto';
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

/** Answers the calls for mailboxes. */
@Controller()
export class MailboxesController {
  constructor(private readonly mailboxes: MailboxStore) {}

  @Answers(OUTREACH_RPC.listMailboxes)
  listMailboxes(ctx: Ctx, page: RequestOf<Rpc['listMailboxes']>): Promise<ResponseOf<Rpc['listMailboxes']>> {
    return this.mailboxes.listMailboxes(ctx, page);
  }

  @Answers(OUTREACH_RPC.connectMailbox)
  connectMailbox(
    ctx: Ctx,
    { actor, body }: RequestOf<Rpc['connectMailbox']>,
  ): Promise<ResponseOf<Rpc['connectMailbox']>> {
    return this.mailboxes.connectMailbox(ctx, actor, body);
  }

  @Answers(OUTREACH_RPC.changeMailbox)
  changeMailbox(
    ctx: Ctx,
    { actor, mailboxId, body }: RequestOf<Rpc['changeMailbox']>,
  ): Promise<ResponseOf<Rpc['changeMailbox']>> {
    return this.mailboxes.changeMailbox(ctx, actor, mailboxId, body);
  }

  @Answers(OUTREACH_RPC.removeMailbox)
  async removeMailbox(
    ctx: Ctx,
    { actor, mailboxId }: RequestOf<Rpc['removeMailbox']>,
  ): Promise<ResponseOf<Rpc['removeMailbox']>> {
    await this.mailboxes.removeMailbox(ctx, actor, mailboxId);
    return null;
  }
}

/** Answers the calls for sequences and their contacts. */
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
  createSequence(
    ctx: Ctx,
    { body, idempotencyKey = null }: RequestOf<Rpc['createSequence']>,
  ): Promise<ResponseOf<Rpc['createSequence']>> {
    return this.sequences.createSequence(ctx, body, idempotencyKey);
  }

  @Answers(OUTREACH_RPC.listSequences)
  listSequences(ctx: Ctx, query: RequestOf<Rpc['listSequences']>): Promise<ResponseOf<Rpc['listSequences']>> {
    return this.sequences.listSequences(ctx, query);
  }

  @Answers(OUTREACH_RPC.getSequence)
  getSequence(
    ctx: Ctx,
    { sequenceId }: RequestOf<Rpc['getSequence']>,
  ): Promise<ResponseOf<Rpc['getSequence']>> {
    return this.sequences.readSequence(ctx, sequenceId);
  }

  @Answers(OUTREACH_RPC.changeSequence)
  changeSequence(
    ctx: Ctx,
    { sequenceId, body }: RequestOf<Rpc['changeSequence']>,
  ): Promise<ResponseOf<Rpc['changeSequence']>> {
    return this.sequences.changeSequence(ctx, sequenceId, body);
  }

  @Answers(OUTREACH_RPC.pauseSequence)
  pauseSequence(
    ctx: Ctx,
    { sequenceId }: RequestOf<Rpc['pauseSequence']>,
  ): Promise<ResponseOf<Rpc['pauseSequence']>> {
    return this.sequences.pauseSequence(ctx, sequenceId);
  }

  @Answers(OUTREACH_RPC.enroll)
  enrollContacts(
    ctx: Ctx,
    { sequenceId, body }: RequestOf<Rpc['enroll']>,
  ): Promise<ResponseOf<Rpc['enroll']>> {
    return this.enrollments.enrollContacts(ctx, sequenceId, body);
  }

  @Answers(OUTREACH_RPC.listEnrollments)
  listEnrollments(
    ctx: Ctx,
    query: RequestOf<Rpc['listEnrollments']>,
  ): Promise<ResponseOf<Rpc['listEnrollments']>> {
    return this.enrollments.listEnrollments(ctx, query);
  }

  @Answers(OUTREACH_RPC.previewSequence)
  previewMessages(
    ctx: Ctx,
    { sequenceId, body }: RequestOf<Rpc['previewSequence']>,
  ): Promise<ResponseOf<Rpc['previewSequence']>> {
    return this.previewer.previewSequence(ctx, sequenceId, body);
  }

  @Answers(OUTREACH_RPC.requestApproval)
  requestApproval(
    ctx: Ctx,
    { sequenceId, body }: RequestOf<Rpc['requestApproval']>,
  ): Promise<ResponseOf<Rpc['requestApproval']>> {
    return this.approvals.requestApproval(ctx, sequenceId, body.digest);
  }

  @Answers(OUTREACH_RPC.activateSequence)
  activateSequence(
    ctx: Ctx,
    { sequenceId, body }: RequestOf<Rpc['activateSequence']>,
  ): Promise<ResponseOf<Rpc['activateSequence']>> {
    return this.approvals.activateSequence(ctx, sequenceId, body.approval_id);
  }

  @Answers(OUTREACH_RPC.getSequenceStats)
  getStatistics(
    ctx: Ctx,
    { sequenceId }: RequestOf<Rpc['getSequenceStats']>,
  ): Promise<ResponseOf<Rpc['getSequenceStats']>> {
    return this.statistics.readStatistics(ctx, sequenceId);
  }

  @Answers(OUTREACH_RPC.stopContact)
  stopContact(ctx: Ctx, { body }: RequestOf<Rpc['stopContact']>): Promise<ResponseOf<Rpc['stopContact']>> {
    return this.contacts.stopContact(ctx, body);
  }

  @Answers(OUTREACH_RPC.resolveMessage)
  async resolveMessage(
    ctx: Ctx,
    { actor, messageId, body }: RequestOf<Rpc['resolveMessage']>,
  ): Promise<ResponseOf<Rpc['resolveMessage']>> {
    await this.contacts.resolveMessage(ctx, actor, messageId, body.outcome);
    return null;
  }

  /** Of a link: whoever follows it has no organisation, and the token names one. */
  @Answers(OUTREACH_RPC.readUnsubscribe)
  readUnsubscribe(
    _ctx: Ctx,
    { token }: RequestOf<Rpc['readUnsubscribe']>,
  ): Promise<ResponseOf<Rpc['readUnsubscribe']>> {
    return this.contacts.readUnsubscribe(token);
  }

  @Answers(OUTREACH_RPC.unsubscribe)
  unsubscribeContact(
    _ctx: Ctx,
    { token }: RequestOf<Rpc['unsubscribe']>,
  ): Promise<ResponseOf<Rpc['unsubscribe']>> {
    return this.contacts.unsubscribeContact(token);
  }
}

/** Answers the calls for approvals, suppressions and the inbox. */
@Controller()
export class InboxController {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly suppressions: SuppressionStore,
    private readonly threads: ThreadStore,
    private readonly drafts: DraftStore,
  ) {}

  @Answers(OUTREACH_RPC.listApprovals)
  listApprovals(ctx: Ctx, page: RequestOf<Rpc['listApprovals']>): Promise<ResponseOf<Rpc['listApprovals']>> {
    return this.approvals.listApprovals(ctx, page);
  }

  @Answers(OUTREACH_RPC.getApproval)
  getApproval(
    ctx: Ctx,
    { approvalId }: RequestOf<Rpc['getApproval']>,
  ): Promise<ResponseOf<Rpc['getApproval']>> {
    return this.approvals.readApproval(ctx, approvalId);
  }

  @Answers(OUTREACH_RPC.decideApproval)
  decideApproval(
    ctx: Ctx,
    { actor, approvalId, body }: RequestOf<Rpc['decideApproval']>,
  ): Promise<ResponseOf<Rpc['decideApproval']>> {
    return this.approvals.decideApproval(ctx, actor, approvalId, body);
  }

  @Answers(OUTREACH_RPC.listSuppressions)
  listSuppressions(
    ctx: Ctx,
    query: RequestOf<Rpc['listSuppressions']>,
  ): Promise<ResponseOf<Rpc['listSuppressions']>> {
    return this.suppressions.listSuppressions(ctx, query);
  }

  @Answers(OUTREACH_RPC.addSuppressions)
  addSuppressions(
    ctx: Ctx,
    { body }: RequestOf<Rpc['addSuppressions']>,
  ): Promise<ResponseOf<Rpc['addSuppressions']>> {
    return this.suppressions.addSuppressions(ctx, body);
  }

  @Answers(OUTREACH_RPC.removeSuppression)
  async removeSuppression(
    ctx: Ctx,
    { actor, suppressionId }: RequestOf<Rpc['removeSuppression']>,
  ): Promise<ResponseOf<Rpc['removeSuppression']>> {
    await this.suppressions.removeSuppression(ctx, actor, suppressionId);
    return null;
  }

  @Answers(OUTREACH_RPC.listThreads)
  listThreads(ctx: Ctx, query: RequestOf<Rpc['listThreads']>): Promise<ResponseOf<Rpc['listThreads']>> {
    return this.threads.listThreads(ctx, query);
  }

  @Answers(OUTREACH_RPC.getThread)
  getThread(ctx: Ctx, query: RequestOf<Rpc['getThread']>): Promise<ResponseOf<Rpc['getThread']>> {
    return this.threads.readThread(ctx, query);
  }

  @Answers(OUTREACH_RPC.changeThread)
  changeThread(
    ctx: Ctx,
    { threadId, body }: RequestOf<Rpc['changeThread']>,
  ): Promise<ResponseOf<Rpc['changeThread']>> {
    return this.threads.changeThread(ctx, threadId, body);
  }

  @Answers(OUTREACH_RPC.createDraft)
  createDraft(
    ctx: Ctx,
    { threadId, body, idempotencyKey = null }: RequestOf<Rpc['createDraft']>,
  ): Promise<ResponseOf<Rpc['createDraft']>> {
    return this.drafts.createDraft(ctx, threadId, body, idempotencyKey);
  }

  @Answers(OUTREACH_RPC.sendDraft)
  sendDraft(ctx: Ctx, { draftId, body }: RequestOf<Rpc['sendDraft']>): Promise<ResponseOf<Rpc['sendDraft']>> {
    return this.drafts.sendDraft(ctx, draftId, body);
  }
}
