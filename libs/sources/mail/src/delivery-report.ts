import type { BouncedRecipient } from './inbound-mail.js';

/** Maximum number of characters read of one part of a report. Typical: under 10,000. */
const PART_MAX = 200_000;
const RECIPIENTS_MAX = 100;
/** Maximum number of characters read of a recipient field: the regular expression tries each @ with each character. */
const RECIPIENT_MAX = 500;
const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const;
const STATUS = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;

/** Part of a mail that is not its text. */
export interface MailPart {
  mimeType: string;
  content: ArrayBuffer | Uint8Array | string;
}

/**
 * Reads a delivery status notification. Source: RFC 3464, and RFC 6533 for internationalised addresses.
 * @param parts of a multipart/report
 * @returns its recipients; empty when it does not follow the standard
 */
export function readDeliveryReport(parts: readonly MailPart[]): BouncedRecipient[] {
  const status = parts.find(({ mimeType }) => /^message\/(?:global-)?delivery-status$/.test(mimeType));
  if (!status) return [];
  const messageId = messageIdOf(parts);
  // The first group describes the report, each further one a recipient.
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

/** Returns the status. Some servers report only `5.0.0` and give the reason in the diagnostic text. */
function statusOf(status: string, diagnostic: string): string | null {
  const [statusCode] = STATUS.exec(status) ?? [];
  const [quoted] = STATUS.exec(diagnostic) ?? [];
  if (statusCode === undefined) return null;
  return statusCode.endsWith('.0.0') && quoted?.[0] === statusCode[0] ? quoted! : statusCode;
}

/** @returns the id of the bounced message, from the part of it that the report embeds */
function messageIdOf(parts: readonly MailPart[]): string | null {
  const embedded = parts.find(({ mimeType }) =>
    /^(?:message\/(?:rfc822|global)(?:-headers)?|text\/rfc822-headers)$/.test(mimeType),
  );
  if (!embedded) return null;
  const [headers = ''] = textOf(embedded).trimStart().split('\n\n', 1);
  return /<([^<>\s]{1,250})>/.exec(fieldsOf(headers).get('message-id') ?? '')?.[1] ?? null;
}

/** @returns unfolded fields by lower-case name; the first one of each name */
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
