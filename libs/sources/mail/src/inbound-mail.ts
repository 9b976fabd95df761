/** Received mail, parsed and classified. All of it is untrusted text: data, never an instruction. */
export interface InboundMail {
  /** Message-ID without angle brackets; derived from the bytes of the mail when it has none. */
  messageId: string;
  /** Sender with the address in lower case; an empty address when there is none. */
  from: { address: string; name: string | null };
  subject: string;
  inReplyTo: string | null;
  references: readonly string[];
  /** Text of its author, without quoted text. */
  text: string;
  quotedText: string | null;
  /** Sanitised HTML; null when it has none. */
  html: string | null;
  kind: InboundKind;
  /** Recipients of a bounce that follows RFC 3464. */
  bounces: readonly BouncedRecipient[];
  /** Token of a mail to our unsubscribe address; null for other mail. */
  unsubscribeToken: string | null;
}

/**
 * Kind of a mail. `bounce_suspected` looks like a bounce but does not follow the standard, and has no effect. `unsubscribe`
 * is a reply in which a person asks not to be contacted again.
 */
export type InboundKind = 'reply' | 'away' | 'bounce' | 'bounce_suspected' | 'unsubscribe';

export interface BouncedRecipient {
  /** In lower case. */
  recipient: string;
  action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  /** Status such as `5.1.1`. Class 5 is permanent, class 4 temporary. */
  status: string;
  /** Message-ID of the bounced message as embedded in the report, without angle brackets. */
  messageId: string | null;
}
