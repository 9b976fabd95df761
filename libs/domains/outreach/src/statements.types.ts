// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { BigNum, Flag, Num, Text, Texts, Time, Typed } from '@quarry/postgres';

type MailboxesStatus = 'connected' | 'failing' | 'paused' | 'removed';
type SequencesStatus = 'draft' | 'approved' | 'active' | 'paused' | 'completed' | 'archived';
type ApprovalsStatus = 'pending' | 'approved' | 'rejected' | 'void';
type EnrollmentsStatus =
  'waiting' | 'active' | 'finished' | 'replied' | 'bounced' | 'unsubscribed' | 'stopped' | 'failed';
type MessagesState =
  'planned' | 'claimed' | 'sending' | 'sent' | 'deferred' | 'rejected' | 'unknown' | 'cancelled' | 'received';
type SuppressionsReason = 'manual' | 'unsubscribed' | 'hard_bounce' | 'soft_bounces' | 'reply';

interface StatementTypes {
  'approval-voids.void': Typed<[Texts, Text]>;
  'approval-voids.withdraw': Typed<[Texts, Text]>;
  'approval.activate': Typed<[Texts, Text]>;
  'approval.approveSequence': Typed<[Texts, Text, Text]>;
  'approval.decide': Typed<[Texts, Text, Text, Text, Num], { json: Text }>;
  'approval.finishShortened': Typed<[Texts, Text]>;
  'approval.forgetCancelled': Typed<[Texts, Text]>;
  'approval.holding': Typed<[Texts, Text, Text], { id: string }>;
  'approval.insert': Typed<[Texts, Text, Text, Num, Text, Num, Num, Text, Text, Num], { json: Text }>;
  'approval.list': Typed<[Texts, Time, Text, BigNum], { json: Text; place: Text }>;
  'approval.lock': Typed<
    [Texts, Text],
    {
      json: Text;
      digest: string;
      status: ApprovalsStatus;
      sequence_id: Text;
      draft_id: Text;
      is_expired: Flag;
    }
  >;
  'approval.mailboxes': Typed<[Texts, Text], { id: string }>;
  'approval.read': Typed<
    [Texts, Text],
    {
      json: Text;
      sequence_id: Text;
      status: ApprovalsStatus | null;
      to_address: Text;
      thread_id: Text;
      draft: Text;
    }
  >;
  'approval.replace': Typed<[Texts, Text]>;
  'approval.spread': Typed<[Texts, Text, Text, Texts]>;
  'approval.standing': Typed<[Texts, Text, Text], { json: Text }>;
  'approval.start': Typed<[Texts, Text, Text]>;
  'approval.withoutMailbox': Typed<[Texts, Text, Texts], { id: string }>;
  'contact-columns.changed': Typed<
    [BigNum],
    {
      org_id: string;
      mode: 'live' | 'test';
      id: string;
      table_id: Text;
      row_id: Text;
      status: EnrollmentsStatus;
      shown: Text;
      written_to_at: Text;
      answered_at: Text;
    }
  >;
  'contact-columns.markShown': Typed<[Text, Text, Texts, Texts]>;
  'contact.findMessage': Typed<[Texts, Text], { sequence_id: Text; state: MessagesState }>;
  'contact.leaveAlone': Typed<[Texts, Text]>;
  'contact.ofToken': Typed<
    [Text],
    { org_id: string; mode: 'live' | 'test'; email: string; is_suppressed: Flag }
  >;
  'contact.resolve': Typed<[Texts, Text, Text], { enrollment_id: Text; step: Num }>;
  'draft.ask': Typed<[Texts, Text, Text, Text, Text, Text, Num]>;
  'draft.insert': Typed<[Texts, Text, Text, Text, Text, Text, Text, Text]>;
  'draft.lock': Typed<
    [Texts, Text],
    { thread_id: string; digest: string; approval_id: string; is_approved: Flag }
  >;
  'draft.plan': Typed<[Texts, Text, Text, Text, Text, BigNum]>;
  'draft.read': Typed<[Texts, Text], { json: Text }>;
  'draft.sent': Typed<[Texts, Text], { id: string; state: MessagesState }>;
  'draft.thread': Typed<
    [Texts, Text],
    {
      subject: string;
      contact_email: string;
      address: string;
      mailbox_status: MailboxesStatus;
      is_suppressed: Flag;
    }
  >;
  'enrollment-progress.advance': Typed<[Texts, Text, Num], { has_ended: Flag }>;
  'enrollment-progress.cancel': Typed<[Texts, Text, Text, Text]>;
  'enrollment-progress.cancelArchived': Typed<[Texts, Text]>;
  'enrollment-progress.complete': Typed<[Texts, Text]>;
  'enrollment-progress.end': Typed<[Texts, Text, Text, Text]>;
  'enrollment-progress.endArchived': Typed<[Texts, Text]>;
  'enrollment-progress.endContacts': Typed<[Texts, Text, Text, Text, Text, Text], { '?column?': Num }>;
  'enrollment-progress.hold': Typed<[Texts, Text]>;
  'enrollment-progress.lock': Typed<[Texts, Text], { id: string }>;
  'enrollment-progress.lockActive': Typed<[Texts, Text], { id: string }>;
  'enrollment-progress.lockSequences': Typed<[Texts, Text, Text, Text], { id: string }>;
  'enrollment-progress.note': Typed<[Texts, Text, Text, Text, Text, Text]>;
  'enrollment.count': Typed<[Texts, Text], { n: Num }>;
  'enrollment.insert': Typed<
    [Texts, Text, Texts, Texts, Texts, Texts, Texts, ReadonlyArray<boolean | null> | null, Texts, Texts],
    { '?column?': Num }
  >;
  'enrollment.known': Typed<[Texts, Texts, Text], { email: Text; is_suppressed: Flag; is_enrolled: Flag }>;
  'enrollment.list': Typed<[Texts, Text, Text, Text, BigNum], { json: Text; place: Text }>;
  'enrollment.lockTenant': Typed<[Texts], { pg_advisory_xact_lock: Text }>;
  'enrollment.tryLockTenant': Typed<[Texts], { is_free: Flag }>;
  'erase-from-outreach.approvals.all': Typed<[Texts, Texts], { id: string; texts: Texts }>;
  'erase-from-outreach.approvals.any': Typed<[Texts, Texts], { id: string; texts: Texts }>;
  'erase-from-outreach.enrollments.all': Typed<[Texts, Texts], { id: string; texts: Texts }>;
  'erase-from-outreach.enrollments.any': Typed<[Texts, Texts], { id: string; texts: Texts }>;
  'erase-from-outreach.erase': Typed<[Texts, Texts, Texts, Texts, Texts, Texts, Texts], { id: string }>;
  'erase-from-outreach.keepHash': Typed<[Texts, Text, Text]>;
  'erase-from-outreach.named': Typed<[Texts, Texts], { id: string; email: string; sequence_id: string }>;
  'erase-from-outreach.sink.all': Typed<[Texts, Texts], { id: Text; texts: Texts }>;
  'erase-from-outreach.sink.any': Typed<[Texts, Texts], { id: Text; texts: Texts }>;
  'erase-from-outreach.suppressions.all': Typed<[Texts, Texts], { id: string; texts: Texts }>;
  'erase-from-outreach.suppressions.any': Typed<[Texts, Texts], { id: string; texts: Texts }>;
  'erase-from-outreach.threads.all': Typed<[Texts, Texts], { id: string; texts: Texts }>;
  'erase-from-outreach.threads.any': Typed<[Texts, Texts], { id: string; texts: Texts }>;
  'inbound-mail.advance': Typed<[Texts, Text, Text, BigNum, Text], { id: string }>;
  'inbound-mail.byToken': Typed<[Texts, Text], { id: string; email: string; thread_id: Text }>;
  'inbound-mail.keep': Typed<
    [Texts, Text, Text, Text, Text, Text, Text, Texts, Text, Text, Text, Text, Text, Text, Text],
    { id: string }
  >;
  'inbound-mail.lastTo': Typed<
    [Texts, Text, Text, Num],
    {
      id: string;
      thread_id: string;
      sequence_id: Text;
      enrollment_id: Text;
      step: Num;
      state: MessagesState;
      to_address: string;
      rfc_message_id: string;
    }
  >;
  'inbound-mail.match': Typed<[Texts, Text, Texts], StatementTypes['inbound-mail.lastTo']['row']>;
  'inbound-mail.moveThread': Typed<[Texts, Text, Text, Text, Text, Text]>;
  'inbound-mail.resolve': Typed<[Texts, Text], { id: string }>;
  'inbound-mail.returned': Typed<[Texts, Text, Text]>;
  'inbound-mail.see': Typed<[Texts, Text, Text, BigNum, BigNum], { uid: string }>;
  'inbound-mail.softBounces': Typed<[Texts, Text, Num], { count: Num }>;
  'inbound-mail.threadOf': Typed<[Texts, Text, Text], { id: string }>;
  'inbox-reader.sinkMails': Typed<[Texts, Text, BigNum, BigNum], { uid: string; raw: string }>;
  'mailbox-health.countFailure': Typed<[Texts, Text], { failures: number }>;
  'mailbox-health.fail': Typed<[Texts, Text, Text]>;
  'mailbox-health.pauseBouncing': Typed<[Texts, Text, BigNum, BigNum]>;
  'mailbox-health.rest': Typed<[Texts, Text, BigNum]>;
  'mailbox-health.works': Typed<[Texts, Text]>;
  'mailbox.change': Typed<
    [Texts, Text, Text, Text, Text, Text, Text, Num, Flag, Num, Text, Text, Text, Flag, Flag]
  >;
  'mailbox.insert': Typed<
    [Texts, Text, Text, Text, Text, Text, Text, Text, Num, Flag, Num, Text, Text, BigNum],
    { id: string }
  >;
  'mailbox.list': Typed<[Texts, Time, Text, BigNum], { json: Text; place: Text }>;
  'mailbox.lock': Typed<[Texts, Text], { status: MailboxesStatus; sealed_secrets: Text; json: Text }>;
  'mailbox.read': Typed<[Texts, Text], { json: Text }>;
  'mailbox.remove': Typed<[Texts, Text], { id: string }>;
  'mailbox.settings': Typed<
    [Texts, Text],
    { address: string; smtp: unknown; imap: unknown; sealed_secrets: Text }
  >;
  'message-planner.beginThread': Typed<[Texts, Text, Text, Text, Text, Text]>;
  'message-planner.next': Typed<
    [Texts, Text, Text],
    {
      id: string;
      email: string;
      variables: unknown;
      unsubscribe_token: string;
      sequence_id: string;
      thread_id: Text;
      content: unknown;
      is_suppressed: Flag;
      first_subject: Text;
      earlier: Texts;
    }
  >;
  'message-planner.write': Typed<[Texts, Text, Text, Text, Text, Text, Text, Texts, Text, Text, Text]>;
  'outgoing-message.cancel': Typed<[Texts, Text, Text], { id: string }>;
  'outgoing-message.cancelDead': Typed<[Texts, Text]>;
  'outgoing-message.cancelSuppressed': Typed<[Texts, Text]>;
  'outgoing-message.claim': Typed<
    [Texts, Text, Text, Text, BigNum],
    {
      id: Text;
      threadId: Text;
      sequenceId: Text;
      enrollmentId: Text;
      step: Num;
      to: Text;
      subject: Text;
      text: Text;
      rfcMessageId: Text;
      inReplyTo: Text;
      references: Texts;
      tries: Num;
      unsubscribeToken: Text;
      variables: unknown;
      isLast: Flag;
    }
  >;
  'outgoing-message.end': Typed<
    [Texts, Text, Text, Text, BigNum, Flag, Num, Text, Flag],
    { was_begun: Flag }
  >;
  'outgoing-message.giveBack': Typed<[Texts, Text]>;
  'outgoing-message.handBack': Typed<[Texts, Text, Text], { state: MessagesState }>;
  'outgoing-message.keepAnswer': Typed<[Texts, Text, Text]>;
  'outgoing-message.lapsed': Typed<[], { org_id: string; mode: 'live' | 'test'; sequence_id: Text }>;
  'outgoing-message.lockEnrollment': Typed<[Texts, Text], { id: string }>;
  'outgoing-message.mark': Typed<[Texts, Text, Text, Text, BigNum], { is_marked: Flag }>;
  'outgoing-message.moveThread': Typed<[Texts, Text, Text]>;
  'outgoing-message.reap': Typed<[Texts, Text, BigNum], { state: MessagesState }>;
  'outgoing-message.shareSequence': Typed<[Texts, Text], { id: string }>;
  'outreach-retention.deleteDays': Typed<[Num, BigNum], { '?column?': Num }>;
  'outreach-retention.deleteMessages': Typed<[Num, BigNum], { thread_id: string }>;
  'outreach-retention.deleteSeen': Typed<[Num, BigNum], { '?column?': Num }>;
  'outreach-retention.deleteSink': Typed<[Num, BigNum], { '?column?': Num }>;
  'outreach-retention.deleteThreads': Typed<[Texts, Num]>;
  'reading-lease.claim': Typed<
    [Texts, Text, Text, BigNum],
    {
      address: string;
      imap: unknown;
      sealedSecrets: Text;
      dkimSelector: Text;
      state: unknown;
      isDomainOld: Flag;
    }
  >;
  'reading-lease.expireAll': Typed<[]>;
  'reading-lease.fail': Typed<[Texts, Text, Text, Text]>;
  'reading-lease.keepDomain': Typed<[Texts, Text, Text]>;
  'reading-lease.release': Typed<[Texts, Text, Text, BigNum, Text], { id: string }>;
  'reading-lease.renew': Typed<[Texts, Text, Text, BigNum], { id: string }>;
  'reading-lease.takeDue': Typed<
    [BigNum, BigNum],
    { org_id: string; mode: 'live' | 'test'; id: string; was_leased: Flag }
  >;
  'reseal-mailboxes.reseal': Typed<[Text, Text, Text, Text, Text], { id: string }>;
  'reseal-mailboxes.sealed': Typed<
    [],
    { org_id: string; mode: 'live' | 'test'; id: string; sealed_secrets: Text }
  >;
  'sending-lease.claim': Typed<
    [Texts, Text, Text, BigNum],
    { address: string; name: Text; smtp: unknown; sealedSecrets: Text; dkimSelector: Text }
  >;
  'sending-lease.expireAll': Typed<[]>;
  'sending-lease.lapseAll': Typed<[]>;
  'sending-lease.maySend': Typed<[Texts, Text, Text, BigNum], { may_send: Flag }>;
  'sending-lease.release': Typed<[Texts, Text, Text, BigNum], { id: string }>;
  'sending-lease.renew': Typed<[Texts, Text, Text, BigNum, Text, Text], { id: string }>;
  'sending-lease.takeDue': Typed<[BigNum, BigNum], StatementTypes['reading-lease.takeDue']['row']>;
  'sequence-audience.addresses': Typed<[Texts, Text, BigNum], { email: string }>;
  'sequence-audience.contacts': Typed<
    [Texts, Text, Text, Texts, BigNum],
    {
      id: string;
      email: string;
      row_id: Text;
      variables: unknown;
      is_verified: boolean;
      step: number;
      mailbox_id: Text;
    }
  >;
  'sequence-audience.measure': Typed<[Texts, Text], { people: Num; messages: Num; hash: Text }>;
  'sequence-audience.senders': Typed<[Texts, Texts], { id: string; address: string }>;
  'sequence-preview.senders': Typed<
    [Texts, Texts],
    { id: string; address: string; is_live: Flag; signs: Flag; domain: unknown }
  >;
  'sequence-stats.read': Typed<[Texts, Text], { json: Text }>;
  'sequence.archive': Typed<[Texts, Text]>;
  'sequence.change': Typed<
    [Texts, Text, Text, Text, Texts, Text, ReadonlyArray<number | null> | null, Text, Text, Num, Num]
  >;
  'sequence.find': Typed<
    [Texts, Text],
    { id: string; name: string; status: SequencesStatus; version: number; definition: unknown }
  >;
  'sequence.insert': Typed<
    [Texts, Text, Text, Text, Texts, Text, ReadonlyArray<number | null> | null, Text, Text, Num, Num, BigNum],
    { id: string }
  >;
  'sequence.keepVersion': Typed<[Texts, Text]>;
  'sequence.list': Typed<[Texts, Time, Text, Text, BigNum], { json: Text; place: Text }>;
  'sequence.lock': Typed<[Texts, Text], StatementTypes['sequence.find']['row']>;
  'sequence.mailboxes': Typed<[Texts, Texts], { id: string }>;
  'sequence.read': Typed<[Texts, Text], { json: Text }>;
  'suppression.among': Typed<[Texts, Texts], { email: Text }>;
  'suppression.concerned': Typed<[Texts, Texts, Texts], { kind: Text; value: Text }>;
  'suppression.insert': Typed<[Texts, Text, Text, Text, Text]>;
  'suppression.insertMany': Typed<[Texts, Texts, Texts, Texts], { id: string }>;
  'suppression.list': Typed<[Texts, Time, Text, Text, BigNum], { json: Text; place: Text }>;
  'suppression.remove': Typed<[Texts, Text], { id: string; reason: SuppressionsReason }>;
  'thread.change': Typed<[Texts, Text, Text, Flag], { json: Text }>;
  'thread.list': Typed<
    [Texts, Time, Text, Text, Text, Text, Flag, Text, BigNum, Text],
    { json: Text; place: Text }
  >;
  'thread.messages': Typed<[Texts, Text, Time, Text, BigNum], { json: Text; place: Text }>;
  'thread.read': Typed<[Texts, Text], { json: Text; drafts: Text }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
