export { ContactColumnsPort } from './columns/contact-columns.port.js';
export { outreachErasure } from './erase-from-outreach.js';
export { resealMailboxes } from './mailboxes/reseal-mailboxes.js';
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
export { findingJobOf, isVerifiedAddress } from './sequences/verified-address.js';
export { suppressedAmong } from './suppressions/suppression.store.js';
export { SendingLeaseStore } from './sending/sending-lease.store.js';
export { EnrollmentRowsPort, type EnrollmentTable } from './sequences/enrollment-rows.port.js';
