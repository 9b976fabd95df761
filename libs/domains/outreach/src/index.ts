export { ContactColumnsPort } from './columns/contact-columns.port.js';
export {
  MAIL_BYTES_MAX,
  MailboxError,
  MailboxReader,
  type FoundMail,
  type ReadState,
} from './mail/mailbox-reader.port.js';
export {
  MailTransport,
  type MailServer,
  type OutgoingMail,
  type SendOutcome,
} from './mail/mail-transport.port.js';
export { outreachErasure } from './erase-from-outreach.js';
export { resealMailboxes, type ResealedMailboxes } from './mailboxes/reseal-mailboxes.js';
export { MAIL_RETENTION_DAYS, outreachRetention, SINK_DAYS } from './outreach-retention.js';
export {
  OutreachApiModule,
  OutreachModule,
  OutreachReceiveModule,
  OutreachSendModule,
  type OutreachNetwork,
} from './outreach.module.js';
export { ContactExclusionsPort } from './sending/contact-exclusions.port.js';
export { ReadingLeaseStore } from './receiving/reading-lease.store.js';
export { SendingLeaseStore } from './sending/sending-lease.store.js';
export type { BouncedRecipient, InboundKind, InboundMail } from './mail/inbound-mail.js';
export {
  EnrollmentRowsPort,
  type EnrollmentRow,
  type EnrollmentTable,
} from './sequences/enrollment-rows.port.js';
export { htmlOfText } from './mail/html-of-text.js';
export { DomainRecords, type DomainRecord } from './mail/domain-records.js';
export { ImapReader, type ImapReaderOptions } from './mail/imap-reader.js';
export { readInbound } from './mail/read-inbound.js';
export { controlWordOf, SINK_WORDS, sinkAnswer, type SinkWord } from './mail/sink.js';
export { SmtpTransport, type SmtpTransportOptions } from './mail/smtp-transport.js';
