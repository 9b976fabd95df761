import type { QuarryEvent } from './events.js';

/** Seconds that a message may be old, or ahead: the clocks of two servers differ. Source: Standard Webhooks, “Verifying the timestamp”. */
const AGE_SECONDS_MAX = 300;

/** A message is not from who it says, or too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/**
 * Checks the signature of a webhook and reads it.
 * @param body as it came, before anything has parsed it
 * @param headers of the request
 * @param secrets of the endpoint, `whsec_…`; several while one is rotated
 * @throws WebhookError
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  secrets: string | readonly string[],
): Promise<QuarryEvent> {
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== 'string') throw new WebhookError(`The header ${name} is missing.`);
    return value;
  };
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    header,
  ) as [string, string, string];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= AGE_SECONDS_MAX))
    throw new WebhookError('The message is too old, or a clock is wrong.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const secret of [secrets].flat()) {
    const bytes = bytesOf(secret.replace(/^whsec_/, ''));
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    for (const each of signatures.split(' '))
      if (each.startsWith('v1,') && (await crypto.subtle.verify('HMAC', key, bytesOf(each.slice(3)), signed)))
        return JSON.parse(text) as QuarryEvent;
  }
  throw new WebhookError('The signature is not that of the endpoint.');
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(1);
  }
}
