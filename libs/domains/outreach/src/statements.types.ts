// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'approval-voids.void': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'approval-voids.withdraw': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { status: 'draft' | 'approved' | 'active' | 'paused' | 'completed' | 'archived' };
  };
  'approval.activate': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'approval.approveSequence': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'approval.decide': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      number | null,
    ];
    row: { json: string | null };
  };
  'approval.finishShortened': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'approval.forgetCancelled': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'approval.holding': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { id: string };
  };
  'approval.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | null,
      string | null,
      number | null,
      number | null,
      string | null,
      string | null,
      number | null,
    ];
    row: { json: string | null };
  };
  'approval.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      number | string | null,
    ];
    row: { json: string | null; place: string | null };
  };
  'approval.lock': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      json: string | null;
      digest: string;
      status: 'pending' | 'approved' | 'rejected' | 'void';
      sequence_id: string | null;
      draft_id: string | null;
      is_expired: boolean | null;
    };
  };
  'approval.mailboxes': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'approval.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      json: string | null;
      sequence_id: string | null;
      status: 'pending' | 'approved' | 'rejected' | 'void' | null;
      to_address: string | null;
      draft: string | null;
    };
  };
  'approval.replace': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'approval.spread': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: Record<never, unknown>;
  };
  'approval.standing': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { json: string | null };
  };
  'approval.start': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'approval.withoutMailbox': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string };
  };
  'contact-columns.changed': {
    params: readonly [number | string | null];
    row: {
      org_id: string;
      mode: 'live' | 'test';
      id: string;
      table_id: string | null;
      row_id: string | null;
      status:
        'waiting' | 'active' | 'finished' | 'replied' | 'bounced' | 'unsubscribed' | 'stopped' | 'failed';
      shown: string | null;
      written_to_at: string | null;
      answered_at: string | null;
    };
  };
  'contact-columns.markShown': {
    params: readonly [
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
    ];
    row: Record<never, unknown>;
  };
  'contact.findMessage': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      sequence_id: string | null;
      state:
        | 'planned'
        | 'claimed'
        | 'sending'
        | 'sent'
        | 'deferred'
        | 'rejected'
        | 'unknown'
        | 'cancelled'
        | 'received';
    };
  };
  'contact.ofToken': {
    params: readonly [string | null];
    row: { org_id: string; mode: 'live' | 'test'; email: string; is_suppressed: boolean | null };
  };
  'contact.resolve': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { enrollment_id: string | null; step: number | null };
  };
  'draft.ask': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | null,
    ];
    row: Record<never, unknown>;
  };
  'draft.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'draft.lock': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { thread_id: string; digest: string; approval_id: string; is_approved: boolean | null };
  };
  'draft.plan': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: Record<never, unknown>;
  };
  'draft.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { json: string | null };
  };
  'draft.sent': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      id: string;
      state:
        | 'planned'
        | 'claimed'
        | 'sending'
        | 'sent'
        | 'deferred'
        | 'rejected'
        | 'unknown'
        | 'cancelled'
        | 'received';
    };
  };
  'draft.thread': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      subject: string;
      contact_email: string;
      address: string;
      mailbox_status: 'connected' | 'failing' | 'paused' | 'removed';
      is_suppressed: boolean | null;
    };
  };
  'enrollment-ends.cancel': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'enrollment-ends.cancelAll': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'enrollment-ends.complete': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'enrollment-ends.end': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { '?column?': number | null };
  };
  'enrollment-ends.endAll': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'enrollment-ends.lockActive': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'enrollment-ends.lockSequences': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: { id: string };
  };
  'enrollment-ends.note': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'enrollment-steps.advance': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, number | null];
    row: { has_ended: boolean | null };
  };
  'enrollment-steps.end': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'enrollment-steps.hold': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'enrollment-steps.lock': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'enrollment.count': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { n: number | null };
  };
  'enrollment.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<boolean | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { '?column?': number | null };
  };
  'enrollment.known': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      string | null,
    ];
    row: { email: string | null; is_suppressed: boolean | null; is_enrolled: boolean | null };
  };
  'enrollment.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { json: string | null; place: string | null };
  };
  'enrollment.lockTenant': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { pg_advisory_xact_lock: string | null };
  };
  'erase-from-outreach.enrollments.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; texts: ReadonlyArray<string | null> | null };
  };
  'erase-from-outreach.enrollments.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; texts: ReadonlyArray<string | null> | null };
  };
  'erase-from-outreach.erase': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
    ];
    row: Record<never, unknown>;
  };
  'erase-from-outreach.sink.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string | null; texts: ReadonlyArray<string | null> | null };
  };
  'erase-from-outreach.sink.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string | null; texts: ReadonlyArray<string | null> | null };
  };
  'erase-from-outreach.suppressions.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; texts: ReadonlyArray<string | null> | null };
  };
  'erase-from-outreach.suppressions.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; texts: ReadonlyArray<string | null> | null };
  };
  'erase-from-outreach.threads.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; texts: ReadonlyArray<string | null> | null };
  };
  'erase-from-outreach.threads.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; texts: ReadonlyArray<string | null> | null };
  };
  'inbound-mail.advance': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
      string | null,
    ];
    row: { id: string };
  };
  'inbound-mail.byToken': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string; email: string; thread_id: string | null };
  };
  'inbound-mail.keep': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { id: string };
  };
  'inbound-mail.lastTo': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, number | null];
    row: {
      id: string;
      thread_id: string;
      sequence_id: string | null;
      enrollment_id: string | null;
      step: number | null;
      state:
        | 'planned'
        | 'claimed'
        | 'sending'
        | 'sent'
        | 'deferred'
        | 'rejected'
        | 'unknown'
        | 'cancelled'
        | 'received';
      to_address: string;
      rfc_message_id: string;
    };
  };
  'inbound-mail.match': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: {
      id: string;
      thread_id: string;
      sequence_id: string | null;
      enrollment_id: string | null;
      step: number | null;
      state:
        | 'planned'
        | 'claimed'
        | 'sending'
        | 'sent'
        | 'deferred'
        | 'rejected'
        | 'unknown'
        | 'cancelled'
        | 'received';
      to_address: string;
      rfc_message_id: string;
    };
  };
  'inbound-mail.resolve': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'inbound-mail.returned': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'inbound-mail.see': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
      number | string | null,
    ];
    row: { uid: string };
  };
  'inbound-mail.softBounces': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, number | null];
    row: { count: number | null };
  };
  'inbound-mail.threadOf': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { id: string };
  };
  'inbox-reader.sinkMails': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      number | string | null,
    ];
    row: { uid: string; raw: string };
  };
  'mailbox.change': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | null,
      boolean | null,
      number | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { id: string };
  };
  'mailbox.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | null,
      boolean | null,
      number | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { id: string };
  };
  'mailbox.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      number | string | null,
    ];
    row: { json: string | null; place: string | null };
  };
  'mailbox.lock': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { sealed_secrets: string | null };
  };
  'mailbox.lockTenant': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { pg_advisory_xact_lock: string | null };
  };
  'mailbox.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { json: string | null };
  };
  'mailbox.remove': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'mailbox.settings': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { address: string; smtp: unknown; imap: unknown; sealed_secrets: string | null };
  };
  'message-planner.beginThread': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'message-planner.next': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: {
      id: string;
      email: string;
      variables: unknown;
      unsubscribe_token: string;
      sequence_id: string;
      thread_id: string | null;
      content: unknown;
      is_suppressed: boolean | null;
      first_subject: string | null;
      earlier: ReadonlyArray<string | null> | null;
    };
  };
  'message-planner.write': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'outgoing-message.cancel': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { id: string };
  };
  'outgoing-message.cancelDead': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'outgoing-message.cancelSuppressed': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'outgoing-message.claim': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: {
      id: string | null;
      thread_id: string | null;
      sequence_id: string | null;
      enrollment_id: string | null;
      step: number | null;
      to_address: string | null;
      subject: string | null;
      body_text: string | null;
      rfc_message_id: string | null;
      in_reply_to: string | null;
      reference_ids: ReadonlyArray<string | null> | null;
      tries: number | null;
      unsubscribe_token: string | null;
      variables: unknown;
      is_last: boolean | null;
    };
  };
  'outgoing-message.countFailure': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { failures: number };
  };
  'outgoing-message.end': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
      boolean | null,
      number | null,
      string | null,
      boolean | null,
    ];
    row: { was_begun: boolean | null };
  };
  'outgoing-message.fail': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'outgoing-message.giveBack': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'outgoing-message.handBack': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: {
      state:
        | 'planned'
        | 'claimed'
        | 'sending'
        | 'sent'
        | 'deferred'
        | 'rejected'
        | 'unknown'
        | 'cancelled'
        | 'received';
    };
  };
  'outgoing-message.keepAnswer': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'outgoing-message.lapsed': {
    params: readonly [];
    row: { org_id: string; mode: 'live' | 'test'; sequence_id: string | null };
  };
  'outgoing-message.lockEnrollment': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'outgoing-message.mark': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { is_marked: boolean | null };
  };
  'outgoing-message.moveThread': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'outgoing-message.pauseBouncing': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      number | string | null,
    ];
    row: Record<never, unknown>;
  };
  'outgoing-message.reap': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, number | string | null];
    row: {
      state:
        | 'planned'
        | 'claimed'
        | 'sending'
        | 'sent'
        | 'deferred'
        | 'rejected'
        | 'unknown'
        | 'cancelled'
        | 'received';
    };
  };
  'outgoing-message.rest': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, number | string | null];
    row: Record<never, unknown>;
  };
  'outgoing-message.shareSequence': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'outgoing-message.works': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'outreach-retention.deleteDays': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
  'outreach-retention.deleteMessages': {
    params: readonly [number | null, number | string | null];
    row: { thread_id: string };
  };
  'outreach-retention.deleteSeen': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
  'outreach-retention.deleteSink': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
  'outreach-retention.deleteThreads': {
    params: readonly [ReadonlyArray<string | null> | null, number | null];
    row: Record<never, unknown>;
  };
  'reading-lease.claim': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: {
      address: string;
      imap: unknown;
      sealed_secrets: string | null;
      dkim_selector: string | null;
      read_state: unknown;
      is_domain_old: boolean | null;
    };
  };
  'reading-lease.expireAll': { params: readonly []; row: Record<never, unknown> };
  'reading-lease.fail': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'reading-lease.keepDomain': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'reading-lease.release': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
      string | null,
    ];
    row: { id: string };
  };
  'reading-lease.renew': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { id: string };
  };
  'reading-lease.takeDue': {
    params: readonly [number | string | null, number | string | null];
    row: { org_id: string; mode: 'live' | 'test'; id: string; was_leased: boolean | null };
  };
  'reseal-mailboxes.reseal': {
    params: readonly [string | null, string | null, string | null, string | null, string | null];
    row: { id: string };
  };
  'reseal-mailboxes.sealed': {
    params: readonly [];
    row: { org_id: string; mode: 'live' | 'test'; id: string; sealed_secrets: string | null };
  };
  'sending-lease.claim': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: {
      address: string;
      name: string | null;
      smtp: unknown;
      sealed_secrets: string | null;
      dkim_selector: string | null;
    };
  };
  'sending-lease.expireAll': { params: readonly []; row: Record<never, unknown> };
  'sending-lease.lapseAll': { params: readonly []; row: Record<never, unknown> };
  'sending-lease.maySend': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { may_send: boolean | null };
  };
  'sending-lease.release': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { id: string };
  };
  'sending-lease.renew': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
      string | null,
      string | null,
    ];
    row: { id: string };
  };
  'sending-lease.takeDue': {
    params: readonly [number | string | null, number | string | null];
    row: { org_id: string; mode: 'live' | 'test'; id: string; was_leased: boolean | null };
  };
  'sequence-audience.addresses': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, number | string | null];
    row: { email: string };
  };
  'sequence-audience.contacts': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
      number | string | null,
    ];
    row: {
      id: string;
      email: string;
      row_id: string | null;
      variables: unknown;
      is_verified: boolean;
      step: number;
      mailbox_id: string | null;
    };
  };
  'sequence-audience.measure': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { people: number | null; messages: number | null; hash: string | null };
  };
  'sequence-audience.senders': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; address: string };
  };
  'sequence-preview.senders': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; address: string; is_live: boolean | null; signs: boolean | null; domain: unknown };
  };
  'sequence-stats.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { json: string | null };
  };
  'sequence.archive': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'sequence.change': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<number | null> | null,
      string | null,
      string | null,
      number | null,
      number | null,
    ];
    row: Record<never, unknown>;
  };
  'sequence.find': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      id: string;
      name: string;
      status: 'draft' | 'approved' | 'active' | 'paused' | 'completed' | 'archived';
      version: number;
      definition: unknown;
      approval_id: string | null;
    };
  };
  'sequence.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<number | null> | null,
      string | null,
      string | null,
      number | null,
      number | null,
      number | string | null,
    ];
    row: { id: string };
  };
  'sequence.keepVersion': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'sequence.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { json: string | null; place: string | null };
  };
  'sequence.lock': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      id: string;
      name: string;
      status: 'draft' | 'approved' | 'active' | 'paused' | 'completed' | 'archived';
      version: number;
      definition: unknown;
      approval_id: string | null;
    };
  };
  'sequence.lockTenant': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { pg_advisory_xact_lock: string | null };
  };
  'sequence.mailboxes': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string };
  };
  'sequence.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { json: string | null };
  };
  'suppression.among': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { email: string | null };
  };
  'suppression.concerned': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { kind: string | null; value: string | null };
  };
  'suppression.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { id: string };
  };
  'suppression.insertMany': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string };
  };
  'suppression.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { json: string | null; place: string | null };
  };
  'suppression.remove': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string; reason: 'manual' | 'unsubscribed' | 'hard_bounce' | 'soft_bounces' | 'reply' };
  };
  'thread.change': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, boolean | null];
    row: { json: string | null };
  };
  'thread.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      boolean | null,
      string | null,
      number | string | null,
    ];
    row: { json: string | null; place: string | null };
  };
  'thread.messages': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      Date | string | null,
      string | null,
      number | string | null,
    ];
    row: { json: string | null; place: string | null };
  };
  'thread.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { json: string | null; drafts: string | null };
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
