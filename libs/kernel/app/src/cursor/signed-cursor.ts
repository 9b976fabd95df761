import { createHmac, timingSafeEqual } from 'node:crypto';

/** A signing key. The id travels inside each cursor, so that keys can be changed while pages are being read. */
export interface CursorKey {
  /** 1 to 16 letters or digits. */
  id: string;
  secret: string;
}

/** The query and tenant that a cursor is bound to; it is valid for no other. */
export interface CursorBinding {
  /** As `tenantOf` gives it: a cursor of live rows opens no test rows, nor another organisation's. */
  tenant: readonly [orgId: string, mode: string];
  /** Name of the list. It stays when a route or a call is renamed: clients keep cursors. */
  endpoint: string;
  /** The table or run that is being read. */
  subject: string;
}

// 16 bytes: forging one takes 2^127 tries on average, and the cursor stays short. Source: docs/contract.md#4-tables.
const MAC_BYTES = 16;
// Ours have about 60 characters; anything longer is refused before it costs a decode.
const CURSOR_CHARACTERS_MAX = 256;

/**
 * Makes and opens opaque page cursors: base64url of `key id.position`, followed by a truncated HMAC-SHA-256 over
 * these and the binding. The binding itself is not in the cursor: the reader must already know it.
 */
export class CursorSigner {
  private readonly byId: Map<string, CursorKey>;

  /**
   * @param keys the first one signs; all of them open, so a retired key stays second for a while
   * @throws Error when there is no key, or a key id is not 1 to 16 letters or digits
   */
  constructor(private readonly keys: readonly [CursorKey, ...CursorKey[]]) {
    const wrong = keys.find((key) => !/^[A-Za-z0-9]{1,16}$/.test(key.id) || key.secret === '');
    if (keys.length === 0 || wrong)
      throw new Error('A cursor key needs an id of letters or digits and a secret.');
    this.byId = new Map(keys.map((key) => [key.id, key]));
  }

  /** @param position where the next page begins; @returns the cursor, URL-safe without escaping */
  signCursor(binding: CursorBinding, position: string): string {
    const [key] = this.keys;
    const payload = Buffer.from(`${key.id}.${position}`, 'utf8');
    return Buffer.concat([macOf(key, binding, position), payload]).toString('base64url');
  }

  /** @returns the position, or null for anything that {@link signCursor} did not make for exactly this binding */
  openCursor(binding: CursorBinding, cursor: string): string | null {
    if (cursor.length > CURSOR_CHARACTERS_MAX) return null;
    const bytes = Buffer.from(cursor, 'base64url');
    // Node's decoder skips what it does not know; only the one canonical spelling may pass.
    if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) return null;
    const payload = bytes.subarray(MAC_BYTES).toString('utf8');
    const dot = payload.indexOf('.');
    const key = this.byId.get(payload.slice(0, dot));
    if (dot < 1 || !key) return null;
    const position = payload.slice(dot + 1);
    return timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(key, binding, position)) ? position : null;
  }
}

// JSON keeps the parts apart: no two different lists of parts give the same text.
function macOf(key: CursorKey, binding: CursorBinding, position: string): Buffer {
  const parts = JSON.stringify([key.id, position, binding.tenant, binding.endpoint, binding.subject]);
  return createHmac('sha256', key.secret).update(parts).digest().subarray(0, MAC_BYTES);
}
