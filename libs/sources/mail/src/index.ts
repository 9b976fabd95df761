export { DomainRecords } from './domain-records.js';
export { htmlOfText } from './html-of-text.js';
export type { BouncedRecipient, InboundMail } from './inbound-mail.js';
export { MailModule, type MailNetwork } from './mail.module.js';
export {
  MailTransport,
  type MailServer,
  type OutgoingMail,
  type SendOutcome,
} from './mail-transport.port.js';
export { MailboxError, MailboxReader, type FoundMail, type ReadState } from './mailbox-reader.port.js';
export { readInbound } from './read-inbound.js';
export { controlWordOf, sinkAnswer } from './sink.js';
export { SmtpTransport } from './smtp-transport.js';
