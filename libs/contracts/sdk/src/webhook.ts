import type { QuarryEvent } from './events.js';

/**
 * Maximum age of a message in seconds, in the past or future: clocks of servers differ. Source: Standard Webhooks,
 * “Verifying the timestamp”.
 */
const AGE_SECONDS_MAX = 300;

/** Error for a message with an invalid signature or an expired timestamp. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/**
 * Verifies the signature of a webhook and parses it.
 * @param body as received, before any parsing
 * @param headers of the request
 * @param secrets of the endpoint, `whsec_…`; several during a rotation
 * @throws WebhookError; TypeError for an invalid secret
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  secrets: string | readonly string[],
): Promise<QuarryEvent> {
  const given = headers instanceof Headers ? headers : headersOf(headers);
  const header = (name: string): string => {
    const value = given.get(name);
    if (value === null) throw new WebhookError(`The header ${name} is missing.`);
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
    // An empty key, which anybody could guess, must not verify anything.
    if (!bytes?.length) throw new TypeError('The secret must be whsec_ followed by base64.');
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    for (const each of signatures.split(' ')) {
      const signature = each.startsWith('v1,') && bytesOf(each.slice(3));
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return JSON.parse(text) as QuarryEvent;
    }
  }
  throw new WebhookError('The signature does not match the secret.');
}

/** Returns the headers of a webhook, independent of the case of their names. */
function headersOf(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  return new Headers(
    Object.entries(headers).filter(
      (each): each is [string, string] => /^webhook-/i.test(each[0]) && typeof each[1] === 'string',
    ),
  );
}

/** @returns null when it is not base64 */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
