import { createHash } from 'node:crypto';
import { encodeWords } from 'nodemailer/lib/mime-funcs';
import type { OutgoingMail, SendOutcome } from './mail-transport.port.js';

/** Domain whose mail the sink accepts in test mode. */
const SINK_DOMAIN = 'sandbox.test';
/** Behaviours that a test message may request from the sink, in the local part of its address: `reply+anna@sandbox.test`. */
export const SINK_WORDS = ['reply', 'bounce', 'soft', 'away', 'unsubscribe', 'cut'] as const;
export type SinkWord = (typeof SINK_WORDS)[number];

/** @returns the behaviour that a recipient requests from the sink; null when no mail is to come back */
export function controlWordOf(recipient: string): SinkWord | null {
  const [local = '', domain] = recipient.toLowerCase().split('@');
  if (domain !== SINK_DOMAIN) return null;
  return SINK_WORDS.find((word) => local === word || local.startsWith(`${word}+`)) ?? null;
}

/**
 * Returns the outcome of sending a message to the sink of test mode, and the mail that comes back. Nothing is sent.
 * @param controlWord from {@link controlWordOf}
 * @returns the outcome, and the complete mail that arrives in the test inbox; null when none does
 */
export function sinkAnswer(
  mail: OutgoingMail,
  controlWord: string | null,
): { outcome: SendOutcome; reply: string | null } {
  if (controlWord === 'cut')
    return {
      outcome: { kind: 'unknown', reply: 'The connection broke after the message, before an answer.' },
      reply: null,
    };
  const reply = controlWord !== null && isAnswered(controlWord) ? ANSWERS[controlWord](mail) : null;
  return { outcome: { kind: 'accepted', code: 250, reply: '250 2.0.0 Taken by the sink' }, reply };
}

const ANSWERS: Readonly<Record<Exclude<SinkWord, 'cut'>, (mail: OutgoingMail) => string>> = {
  reply: (mail) =>
    composeAnswer(mail, 'reply', 'Thank you, this sounds interesting. Could you send me some more details?'),
  unsubscribe: (mail) => composeAnswer(mail, 'unsubscribe', 'Please unsubscribe me.'),
  away: (mail) => {
    const automatic = `Automatic reply: ${mail.subject}`;
    return composeAnswer(mail, 'away', 'I am out of the office until Monday.', automatic, [
      'Auto-Submitted: auto-replied',
    ]);
  },
  bounce: (mail) => composeReport(mail, '5.1.1', '550 5.1.1 There is no such user'),
  soft: (mail) => composeReport(mail, '4.2.2', '452 4.2.2 The mailbox is full'),
};

function isAnswered(word: string): word is keyof typeof ANSWERS {
  return Object.hasOwn(ANSWERS, word);
}

function composeAnswer(
  mail: OutgoingMail,
  word: SinkWord,
  text: string,
  subject = /^re:/i.test(mail.subject) ? mail.subject : `Re: ${mail.subject}`,
  more: readonly string[] = [],
): string {
  const quoted = mail.text.split(/\r?\n/).map((line) => `> ${line}`);
  return joinLines(
    ...composeHeaders(mail, word, mail.to, subject),
    `In-Reply-To: <${mail.messageId}>`,
    `References: ${[...mail.references, mail.messageId].map((id) => `<${id}>`).join('\r\n ')}`,
    ...more,
    PLAIN_TEXT,
    EIGHT_BIT,
    '',
    text,
    '',
    `On ${mail.date.toUTCString()}, ${mail.from.address} wrote:`,
    ...quoted,
  );
}

/** Composes a report as a relay writes it after it has given up. Source: RFC 3464. */
function composeReport(mail: OutgoingMail, status: string, diagnostic: string): string {
  const boundary = `sink-${idOf(mail, status)}`;
  return joinLines(
    ...composeHeaders(mail, status, `MAILER-DAEMON@${SINK_DOMAIN}`, 'Undelivered Mail Returned to Sender'),
    'Auto-Submitted: auto-replied',
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    PLAIN_TEXT,
    EIGHT_BIT,
    '',
    `Your message to ${mail.to} could not be delivered.`,
    '',
    `The server said: ${diagnostic}`,
    '',
    `--${boundary}`,
    'Content-Type: message/delivery-status',
    '',
    `Reporting-MTA: dns; mx.${SINK_DOMAIN}`,
    `Arrival-Date: ${dateOf(mail)}`,
    '',
    `Final-Recipient: rfc822; ${mail.to}`,
    'Action: failed',
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${diagnostic}`,
    '',
    `--${boundary}`,
    'Content-Type: text/rfc822-headers',
    EIGHT_BIT,
    '',
    `From: <${mail.from.address}>`,
    `To: <${mail.to}>`,
    `Subject: ${encodeText(mail.subject)}`,
    `Message-ID: <${mail.messageId}>`,
    `Date: ${dateOf(mail)}`,
    '',
    `--${boundary}--`,
    '',
  );
}

const PLAIN_TEXT = 'Content-Type: text/plain; charset=utf-8';
const EIGHT_BIT = 'Content-Transfer-Encoding: 8bit';

function composeHeaders(mail: OutgoingMail, kind: string, from: string, subject: string): string[] {
  return [
    `From: <${from}>`,
    `To: <${mail.from.address}>`,
    `Subject: ${encodeText(subject)}`,
    `Message-ID: <${idOf(mail, kind)}@${SINK_DOMAIN}>`,
    `Date: ${dateOf(mail)}`,
    'MIME-Version: 1.0',
  ];
}

/**
 * Returns the id of a mail from the sink. It is the same for the same message, so that a second reply is recognised as a
 * duplicate.
 */
function idOf(mail: OutgoingMail, kind: string): string {
  return createHash('sha256').update(`${kind} ${mail.messageId}`).digest('hex').slice(0, 32);
}

function dateOf(mail: OutgoingMail): string {
  return mail.date.toUTCString().replace('GMT', '+0000');
}

function encodeText(text: string): string {
  return encodeWords(text.replace(/\p{Cc}+/gu, ' '), 'Q', 52, true);
}

function joinLines(...all: string[]): string {
  return all.map((line) => `${line}\r\n`).join('');
}
