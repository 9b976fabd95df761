import type { MailReply } from '@quarry/safe-http';

/** Meaning of an SMTP reply to a recipient. */
export type MailboxVerdict = 'taken' | 'no such mailbox' | 'later' | 'refused us' | 'unclear';

/** Words with which servers reject the client and not the mailbox. From replies of large providers. */
const ABOUT_US =
  /block|black.?list|deny.?list|spam|reputation|policy|rbl\b|dnsbl|abuse|banned|not authori[sz]ed|authenticat|reverse dns|\bptr\b|\bspf\b|relay(?! recipient)|too many|rate|frequen|prohibit|helo|sender|client host|access denied/i;

/** Host suffixes of services that accept every recipient and check later. */
const YES_TO_ALL = [
  'yahoodns.net',
  'pphosted.com',
  'ppe-hosted.com',
  'mimecast.com',
  'barracudanetworks.com',
  'messagelabs.com',
  'iphmx.com',
];

/** @returns the meaning of a reply. Source: RFC 5321 section 4.2, RFC 3463 section 3 */
export function verdictOf({ code, status, text }: MailReply): MailboxVerdict {
  if (code === 250 || code === 251) return 'taken';
  if (code >= 400 && code < 500) return 'later';
  if (code < 500) return 'unclear';
  // The enhanced status code tells: x.1 the address, x.2 the mailbox (x.2.2 is full, so it exists), x.7 the policy.
  if (status !== null) {
    if (status === '5.1.1' || status === '5.1.10' || status === '5.1.0' || status === '5.1.6')
      return ABOUT_US.test(text) ? 'refused us' : 'no such mailbox';
    if (status === '5.2.1') return 'no such mailbox';
    if (status.startsWith('5.7.')) return 'refused us';
    if (!status.startsWith('5.0.') && !status.startsWith('5.5.')) return 'unclear';
  }
  if (ABOUT_US.test(text)) return 'refused us';
  return code === 550 || code === 551 || code === 553 ? 'no such mailbox' : 'unclear';
}

/** @returns whether a server accepts every recipient without checking */
export function saysYesToAll(host: string): boolean {
  return YES_TO_ALL.some((suffix) => host.toLowerCase().endsWith(`.${suffix}`));
}
