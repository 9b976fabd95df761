import { Module, type DynamicModule } from '@nestjs/common';
import { consumeWork } from '@quarry/durable-work';
import { MailModule, type MailNetwork } from '@quarry/mail';
import { ContactColumns } from './columns/contact-columns.js';
import { ApprovalStore } from './approvals/approval.store.js';
import { EnrollmentProgress } from './enrollments/enrollment-progress.js';
import { MailboxStore } from './mailboxes/mailbox.store.js';
import { OutreachSettings } from './outreach-settings.js';
import { InboxController, MailboxesController, SequencesController } from './outreach.controller.js';
import { InboundMailStore } from './receiving/inbound-mail.store.js';
import { InboxReader } from './receiving/inbox-reader.js';
import { ReadingLeaseStore } from './receiving/reading-lease.store.js';
import { MailSender } from './sending/mail-sender.js';
import { MailboxHealth } from './sending/mailbox-health.js';
import { MessagePlanner } from './sending/message-planner.js';
import { OutgoingMessageStore } from './sending/outgoing-message.store.js';
import { SendingLeaseStore } from './sending/sending-lease.store.js';
import { ContactStore } from './sequences/contact.store.js';
import { EnrollmentStore } from './sequences/enrollment.store.js';
import { SequenceAudience } from './sequences/sequence-audience.js';
import { SequencePreviewer } from './sequences/sequence-preview.js';
import { SequenceStatistics } from './sequences/sequence-stats.js';
import { SequenceStore } from './sequences/sequence.store.js';
import { SuppressionStore } from './suppressions/suppression.store.js';
import { DraftStore } from './threads/draft.store.js';
import { ThreadStore } from './threads/thread.store.js';

/** Network rules for mail servers, and the base of links. */
export interface OutreachNetwork extends MailNetwork {
  /** Address of the API for recipients of messages. */
  baseUrl: string;
}

/** Provides the settings of outreach and the connections to mail servers to every module of the process. */
@Module({})
export class OutreachModule {
  static forRoot({ baseUrl, ...network }: OutreachNetwork): DynamicModule {
    return {
      module: OutreachModule,
      global: true,
      imports: [MailModule.forRoot(network)],
      providers: [{ provide: OutreachSettings, useValue: new OutreachSettings(baseUrl) }],
      exports: [OutreachSettings],
    };
  }
}

/**
 * Answers calls about mailboxes, sequences and the inbox; sends nothing. Needs {@link OutreachModule}, the secrets and {@link
 * EnrollmentRowsPort} from global modules.
 */
@Module({
  controllers: [MailboxesController, SequencesController, InboxController],
  providers: [
    MailboxStore,
    SequenceStore,
    SequenceAudience,
    EnrollmentStore,
    EnrollmentProgress,
    SequencePreviewer,
    SequenceStatistics,
    ApprovalStore,
    ContactStore,
    SuppressionStore,
    ThreadStore,
    DraftStore,
  ],
})
export class OutreachApiModule {}

/**
 * Sends messages, and shows their progress in source tables. Needs {@link OutreachModule}, the secrets, {@link
 * ContactExclusionsPort} and ContactColumnsPort from global modules.
 */
@Module({
  providers: [
    consumeWork(MailSender),
    ContactColumns,
    EnrollmentProgress,
    MailSender,
    MailboxHealth,
    MessagePlanner,
    OutgoingMessageStore,
    SendingLeaseStore,
    SuppressionStore,
  ],
})
export class OutreachSendModule {}

/** Reads inboxes. Needs {@link OutreachModule} and the secrets from global modules. */
@Module({
  providers: [
    consumeWork(InboxReader),
    EnrollmentProgress,
    InboxReader,
    InboundMailStore,
    MailboxHealth,
    ReadingLeaseStore,
    SuppressionStore,
  ],
})
export class OutreachReceiveModule {}
