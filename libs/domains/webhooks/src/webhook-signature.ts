import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** Source: Standard Webhooks, which requires 24 to 64. */
const SECRET_BYTES = 32;

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** Signed content: the id of the event, the time of the attempt in seconds, and the exact body. */
export interface WebhookMessage {
  id: string;
  timestamp: number;
  body: string;
}

/** @returns the headers of Standard Webhooks 1.0, with one signature per secret */
export function signedHeaders(
  secrets: readonly string[],
  { id, timestamp, body }: WebhookMessage,
): Record<string, string> {
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
