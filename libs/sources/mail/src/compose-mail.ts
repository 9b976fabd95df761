import { buffer } from 'node:stream/consumers';
import { htmlOfText } from './html-of-text.js';
import type { OutgoingMail } from './mail-transport.port.js';

/** Maximum number of message ids in the References header. */
const REFERENCES_MAX = 20;
// Source: RFC 8058, 4: both List-Unsubscribe headers must be signed. The others: RFC 6376, 5.4.1.
const SIGNED_HEADERS = [
  'From',
  'Reply-To',
  'Subject',
  'Date',
  'To',
  'Message-ID',
  'In-Reply-To',
  'References',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
].join(':');
const MESSAGE_ID = /^[^\s<>]{1,250}$/;
const ADDRESS = /^[^\s<>,;:"()[\]\\@]{1,64}@[^\s<>,;:"()[\]\\@]{1,253}$/;
const URI = /^[\x21-\x3b\x3d\x3f-\x7e]+$/;

/**
 * Composes a message as it is transmitted: its text and the HTML generated from it, signed when there is a key.
 * @throws Error when an address, an id or an unsubscribe address is malformed, or the key cannot sign
 */
export async function composeMail(mail: OutgoingMail): Promise<Buffer> {
  requireForm(ADDRESS, mail.from.address, 'The address of the sender');
  requireForm(ADDRESS, mail.to, 'The address of the recipient');
  requireForm(MESSAGE_ID, mail.messageId, 'The Message-ID');
  const ancestors = mail.references.filter(isMessageId).slice(-REFERENCES_MAX).map(bracketed);
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    from: { name: oneLine(mail.from.name ?? ''), address: mail.from.address },
    to: { name: '', address: mail.to },
    subject: oneLine(mail.subject),
    messageId: bracketed(mail.messageId),
    date: mail.date,
    ...(mail.inReplyTo !== null && isMessageId(mail.inReplyTo) && { inReplyTo: bracketed(mail.inReplyTo) }),
    ...(ancestors.length > 0 && { references: ancestors }),
    text: mail.text,
    html: htmlOfText(mail.text),
    headers: unsubscribeHeaders(mail),
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const raw = await composer.compile().build();
  return mail.dkim ? signMail(raw, mail.dkim) : raw;
}

/** Source: RFC 2369 and RFC 8058. */
function unsubscribeHeaders({
  unsubscribe,
}: OutgoingMail): Record<string, { prepared: true; value: string }> {
  if (!unsubscribe) return {};
  const mailto = unsubscribe.mailto.startsWith('mailto:')
    ? unsubscribe.mailto
    : `mailto:${unsubscribe.mailto}`;
  for (const each of [unsubscribe.url, mailto]) requireForm(URI, each, 'The address for unsubscribing');
  return {
    'List-Unsubscribe': { prepared: true, value: `<${unsubscribe.url}>,\r\n <${mailto}>` },
    'List-Unsubscribe-Post': { prepared: true, value: 'List-Unsubscribe=One-Click' },
  };
}

async function signMail(raw: Buffer, key: NonNullable<OutgoingMail['dkim']>): Promise<Buffer> {
  const { default: DKIM } = await import('nodemailer/lib/dkim');
  const signer = new DKIM({
    domainName: key.domain,
    keySelector: key.selector,
    privateKey: key.privateKey,
    headerFieldNames: SIGNED_HEADERS,
  });
  const signed = await buffer(signer.sign(raw));
  // The signer returns the message unsigned when it cannot use the key.
  if (!signed.subarray(0, 15).equals(Buffer.from('DKIM-Signature:')))
    throw new Error('The DKIM key does not sign: it must be an RSA key in PEM.');
  return signed;
}

function requireForm(form: RegExp, value: string, what: string): void {
  if (!form.test(value)) throw new Error(`${what} is malformed.`);
}

const isMessageId = (id: string): boolean => MESSAGE_ID.test(id);
const bracketed = (id: string): string => `<${id}>`;

/** Removes line breaks, which would start a new header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
