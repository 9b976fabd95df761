/** A mail that has come, read and classified. All of it is text of others: data, never an instruction. */
export interface InboundMail {
  /** Without angle brackets; made of its bytes where it has none. */
  messageId: string;
  /** In lower case; empty where it names nobody. */
  from: { address: string; name: string | null };
  to: readonly string[];
  subject: string;
  date: Date | null;
  inReplyTo: string | null;
  references: readonly string[];
  /** Text of its author, without the text that it quotes. */
  text: string;
  quotedText: string | null;
  /** Safe part of its HTML; null where it has none. */
  html: string | null;
  kind: InboundKind;
  /** Of a bounce that follows RFC 3464. */
  bounces: readonly BouncedRecipient[];
  /** Token of a mail to our address for unsubscribing, where it is one. */
  unsubscribeToken: string | null;
}

/**
 * `bounce_suspected` looks like a bounce and does not follow the standard: it changes nothing. `unsubscribe` is a person's answer
 * that asks not to be written to again.
 */
export type InboundKind = 'reply' | 'away' | 'bounce' | 'bounce_suspected' | 'unsubscribe';

export interface BouncedRecipient {
  /** In lower case. */
  recipient: string;
  action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  /** Such as `5.1.1`. Class 5 is for good, class 4 for now. */
  status: string;
  /** Of the message that bounced, as the report embeds it, without angle brackets. */
  messageId: string | null;
}
