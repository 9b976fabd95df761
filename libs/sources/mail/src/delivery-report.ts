import type { BouncedRecipient } from './inbound-mail.js';

/** Letters of one part of a report that are read. Usual: under 10,000. */
const PART_MAX = 200_000;
const RECIPIENTS_MAX = 100;
/** Characters of a recipient's field that are read: the pattern tries each @ of it with each character. */
const RECIPIENT_MAX = 500;
const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const;
const STATUS = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;

/** A part of a mail that is no text of it. */
export interface MailPart {
  mimeType: string;
  content: ArrayBuffer | Uint8Array | string;
}

/**
 * Reads a report of deliveries. Source: RFC 3464, and RFC 6533 for its form with international addresses.
 * @param parts of a multipart/report
 * @returns its recipients; none when it does not follow the standard
 */
export function readDeliveryReport(parts: readonly MailPart[]): BouncedRecipient[] {
  const status = parts.find(({ mimeType }) => /^message\/(?:global-)?delivery-status$/.test(mimeType));
  if (!status) return [];
  const messageId = messageIdOf(parts);
  // The first group is about the report, each further one about a recipient.
  const groups = textOf(status)
    .split(/\n\s*\n/)
    .slice(0, RECIPIENTS_MAX + 1);
  return groups.map(fieldsOf).flatMap((fields) => recipientOf(fields, messageId) ?? []);
}

function recipientOf(fields: ReadonlyMap<string, string>, messageId: string | null): BouncedRecipient | null {
  const named = fields.get('final-recipient') ?? fields.get('original-recipient');
  const recipient =
    named && /^[^;]*;\s*<?([^\s<>]+@[^\s<>]+?)>?\s*$/.exec(named.slice(0, RECIPIENT_MAX))?.[1];
  const action = ACTIONS.find((each) => each === fields.get('action')?.toLowerCase().trim());
  const status = statusOf(fields.get('status') ?? '', fields.get('diagnostic-code') ?? '');
  if (!recipient || !action || status === null) return null;
  return { recipient: recipient.toLowerCase(), action, status, messageId };
}

/** Some servers say no more than `5.0.0` and leave the reason to what they quote. */
function statusOf(status: string, diagnostic: string): string | null {
  const [statusCode] = STATUS.exec(status) ?? [];
  const [quoted] = STATUS.exec(diagnostic) ?? [];
  if (statusCode === undefined) return null;
  return statusCode.endsWith('.0.0') && quoted?.[0] === statusCode[0] ? quoted! : statusCode;
}

/** @returns the id of the message that the report is about, from what it embeds of it */
function messageIdOf(parts: readonly MailPart[]): string | null {
  const embedded = parts.find(({ mimeType }) =>
    /^(?:message\/(?:rfc822|global)(?:-headers)?|text\/rfc822-headers)$/.test(mimeType),
  );
  if (!embedded) return null;
  const [headers = ''] = textOf(embedded).trimStart().split('\n\n', 1);
  return /<([^<>\s]{1,250})>/.exec(fieldsOf(headers).get('message-id') ?? '')?.[1] ?? null;
}

/** @returns fields by their names in lower case, the first of each, unfolded */
function fieldsOf(group: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of group.replace(/\n[ \t]+/g, ' ').split('\n')) {
    const end = line.indexOf(':');
    const name = line.slice(0, Math.max(end, 0)).trim().toLowerCase();
    if (end > 0 && !fields.has(name)) fields.set(name, line.slice(end + 1).trim());
  }
  return fields;
}

function textOf({ content }: MailPart): string {
  const text = typeof content === 'string' ? content : new TextDecoder().decode(content.slice(0, PART_MAX));
  return text.replace(/\r\n?/g, '\n');
}
