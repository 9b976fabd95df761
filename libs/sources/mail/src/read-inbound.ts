import { createHash } from 'node:crypto';
import { cleanText } from '@quarry/resilience';
import type { Address, Email } from 'postal-mime';
import { readDeliveryReport } from './delivery-report.js';
import type { InboundMail } from './inbound-mail.js';
import { isReport, kindOf } from './inbound-kind.js';
import { MAIL_BYTES_MAX } from './mailbox-reader.port.js';
import { splitQuoted } from './quoted-text.js';

// Typical: two levels, five parts and 10 KiB of headers.
const LIMITS = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024, maxRfc822NestingDepth: 0 };
const PARTS_MAX = 500;
/**
 * Maximum number of lines: the parser yields for each one. Texts and reports precede attachments; 1.5 MB of base64 has as
 * many lines.
 */
const LINES_MAX = 20_000;
const HEADERS_MAX = 64 * 1024;
const TEXT_MAX = 100_000;
const SUBJECT_MAX = 500;
const NAME_MAX = 200;
const ADDRESS_MAX = 254;
const ADDRESSES_MAX = 50;
const ID_MAX = 250;
const REFERENCES_MAX = 50;

/**
 * Parses and classifies a mail. Never throws: of a mail that cannot be parsed only the headers are read, and a mail without
 * a Message-ID gets one derived from its bytes.
 * @param raw as stored on the server; truncated at 5 MB
 * @param own mailbox that received the mail
 */
export async function readInbound(raw: Buffer, own: { address: string }): Promise<InboundMail> {
  const mail = await parseMail(raw.subarray(0, Math.min(MAIL_BYTES_MAX, linesEnd(raw), partsEnd(raw))));
  const { safeHtmlOf, textOfSafeHtml } = await import('./safe-html.js');
  const html = mail.html ? safeHtmlOf(mail.html) || null : null;
  const written = mail.text?.trim()
    ? mail.text.slice(0, TEXT_MAX)
    : textOfSafeHtml(html ?? '').slice(0, TEXT_MAX);
  const { text, quoted } = splitQuoted(written);
  const headers = new Map(mail.headers.toReversed().map(({ key, value }) => [key, value]));
  const header = (name: string): string | null => headers.get(name) ?? null;
  const from = mailboxesOf(mail.from && [mail.from])[0] ?? { address: '', name: null };
  const subject = oneLine(mail.subject ?? '').slice(0, SUBJECT_MAX);
  const to = mailboxesOf(mail.to).map(({ address }) => address);
  const bounces = isReport({ header }) ? readDeliveryReport(mail.attachments) : [];
  const unsubscribeToken = to.includes(own.address.toLowerCase()) ? tokenOf(subject) : null;
  const classified = kindOf({ header, from: from.address, subject, text, bounces });
  return cleanText({
    messageId: idsOf(mail.messageId ?? '')[0] ?? `${digestOf(raw)}@bytes.invalid`,
    from,
    subject,
    inReplyTo: idsOf(mail.inReplyTo ?? '')[0] ?? null,
    references: idsOf(mail.references ?? '').slice(-REFERENCES_MAX),
    text,
    quotedText: quoted,
    html,
    // The unsubscribe button of a mail program sends this mail, and some programs mark it as automatic.
    kind: unsubscribeToken === null ? classified : ('unsubscribe' as const),
    bounces,
    unsubscribeToken,
  });
}

/** Parses within limits. Of a mail that exceeds them, only the headers are parsed. */
async function parseMail(raw: Buffer): Promise<Email> {
  const options = { ...LIMITS, forceRfc822Attachments: true };
  const headers = raw.subarray(0, Math.min(HEADERS_MAX, Math.max(headersEnd(raw), 0)));
  const { default: PostalMime } = await import('postal-mime');
  try {
    return await PostalMime.parse(raw, options);
  } catch {
    return await PostalMime.parse(headers, options);
  }
}

function headersEnd(raw: Buffer): number {
  const ends = ['\r\n\r\n', '\n\n'].map((blank) => raw.indexOf(blank)).filter((at) => at >= 0);
  return ends.length > 0 ? Math.min(...ends) : raw.length;
}

/** @returns the offset after the last line that is read */
function linesEnd(raw: Buffer): number {
  let end = 0;
  for (let lines = 0; lines < LINES_MAX; lines += 1) {
    end = raw.indexOf(0x0a, end) + 1;
    if (end === 0) return raw.length;
  }
  return end;
}

/**
 * Limits the number of parts: each one costs the parser an object and a yield, and a single line starts one.
 * @returns the offset after the last part that is read
 */
function partsEnd(raw: Buffer): number {
  let parts = 0;
  for (let at = raw.indexOf('\n--'); at >= 0; at = raw.indexOf('\n--', at + 3)) {
    // The separator of a signature ("-- ") or a similar line.
    const isSignature = raw[at + 3] === 0x20 || raw[at + 3] === 0x0d || raw[at + 3] === 0x0a;
    if (!isSignature) parts += 1;
    if (parts > PARTS_MAX) return at + 1;
  }
  return raw.length;
}

function mailboxesOf(addresses: readonly Address[] = []): Array<{ address: string; name: string | null }> {
  return addresses
    .slice(0, ADDRESSES_MAX)
    .flatMap((each) => each.group ?? [each])
    .slice(0, ADDRESSES_MAX)
    .filter(({ address }) => address.length <= ADDRESS_MAX && /^[^\s@]+@[^\s@]+$/.test(address))
    .map(({ address, name }) => ({
      address: address.toLowerCase(),
      name: oneLine(name).slice(0, NAME_MAX) || null,
    }));
}

/** @returns ids without angle brackets; an id that is too long to store is replaced by its digest */
function idsOf(value: string): string[] {
  const bracketed = [...value.matchAll(/<([^<>]+)>/g)].map(([, id]) => id!);
  const ids = bracketed.length > 0 ? bracketed : value.split(/\s+/);
  return ids
    .map((id) => id.replace(/[\s\p{Cc}]+/gu, ''))
    .filter((id) => id !== '')
    .map((id) => (id.length > ID_MAX ? `${digestOf(id)}@long.invalid` : id));
}

/** Returns the token in the subject of a mail to our unsubscribe address; null when there is none. */
function tokenOf(subject: string): string | null {
  return /^\s*unsubscribe\s+([\w.~-]{8,200})\s*$/i.exec(subject)?.[1] ?? null;
}

function digestOf(value: Buffer | string): string {
  return createHash('sha256').update(value).digest('hex');
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}
