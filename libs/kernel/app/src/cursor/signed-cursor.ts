import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '@quarry/error-codes';

/** A signing key. Each cursor contains the id, so that keys can be rotated while clients are paging. */
export interface CursorKey {
  /** 1 to 16 letters or digits. */
  id: string;
  secret: string;
}

/** The query and tenant that a cursor is bound to. It is invalid for any other. */
export interface CursorBinding {
  /** Result of `tenantOf`: a cursor of live rows is invalid for test rows and for other organisations. */
  tenant: readonly [orgId: string, mode: string];
  /** Name of the list. It does not change when a route or a call is renamed, because clients store cursors. */
  endpoint: string;
  /** Id of the table or run that is read. */
  subject: string;
}

/** The page of a list that a caller asks for. */
export interface PageQuery {
  limit: number;
  /** Null for the first page. */
  cursor: string | null;
}

// 16 bytes: a forgery takes 2^127 attempts on average, and the cursor stays short. Source: docs/contract.md#4-tables.
const MAC_BYTES = 16;
// Valid cursors have about 60 characters; longer input is rejected before it is decoded.
const CURSOR_CHARACTERS_MAX = 256;

/**
 * Creates and opens opaque page cursors: base64url of `key id.position`, followed by a truncated HMAC-SHA-256 over
 * these and the binding. The cursor does not contain the binding: the reader must already know it.
 */
export class CursorSigner {
  private readonly byId: Map<string, CursorKey>;

  /**
   * @param keys the first one signs and all of them verify, so a retired key stays in the list for a while
   * @throws Error if there is no key, or if a key id is not 1 to 16 letters or digits
   */
  constructor(private readonly keys: readonly [CursorKey, ...CursorKey[]]) {
    const wrong = keys.find((key) => !/^[A-Za-z0-9]{1,16}$/.test(key.id) || key.secret === '');
    if (keys.length === 0 || wrong)
      throw new Error('A cursor key needs an id of letters or digits and a secret.');
    this.byId = new Map(keys.map((key) => [key.id, key]));
  }

  /** @param position start of the next page. @returns the cursor, URL-safe without escaping */
  signCursor(binding: CursorBinding, position: string): string {
    const [key] = this.keys;
    const payload = Buffer.from(`${key.id}.${position}`, 'utf8');
    return Buffer.concat([macOf(key, binding, position), payload]).toString('base64url');
  }

  /** @returns the position; null for anything that {@link signCursor} did not create for exactly this binding */
  openCursor(binding: CursorBinding, cursor: string): string | null {
    if (cursor.length > CURSOR_CHARACTERS_MAX) return null;
    const bytes = Buffer.from(cursor, 'base64url');
    // Node's decoder ignores invalid characters; only the canonical encoding is accepted.
    if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) return null;
    const payload = bytes.subarray(MAC_BYTES).toString('utf8');
    const dot = payload.indexOf('.');
    const key = this.byId.get(payload.slice(0, dot));
    if (dot < 1 || !key) return null;
    const position = payload.slice(dot + 1);
    return timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(key, binding, position)) ? position : null;
  }

  /**
   * Reads one page of a list.
   * @param read returns the rows after a position, from the beginning for null, and at most as many as given
   * @param positionOf the position of a row in the list
   * @returns the rows of the page, and the cursor of the next one; null on the last
   * @throws AppError invalid_cursor
   */
  async readPage<Row>(
    binding: CursorBinding,
    { limit, cursor }: PageQuery,
    read: (after: string | null, rows: number) => Promise<readonly Row[]>,
    positionOf: (row: Row) => string,
  ): Promise<{ rows: readonly Row[]; next: string | null }> {
    const after = cursor === null ? null : this.openCursor(binding, cursor);
    if (cursor !== null && after === null)
      throw new AppError('invalid_cursor', 'The cursor does not belong to this list.');
    // One row more than the page has tells whether there is a next one.
    const found = await read(after, limit + 1);
    const rows = found.slice(0, limit);
    const next = found.length > limit ? this.signCursor(binding, positionOf(rows.at(-1)!)) : null;
    return { rows, next };
  }
}

// JSON is unambiguous: two different lists of parts never produce the same text.
function macOf(key: CursorKey, binding: CursorBinding, position: string): Buffer {
  const parts = JSON.stringify([key.id, position, binding.tenant, binding.endpoint, binding.subject]);
  return createHmac('sha256', key.secret).update(parts).digest().subarray(0, MAC_BYTES);
}
