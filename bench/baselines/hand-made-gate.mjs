// Key cache and limiter as written by hand for one route: the first two of the four parts.
import { hash } from 'node:crypto';

const KEY_TTL_MS = 4_000;
const WINDOW_MS = 60_000;
const BUDGET = 60_000_000;

/** Keys by digest, so that no secret stays in memory. */
export class KeyCache {
  keys = new Map();

  constructor(reader) {
    this.reader = reader;
  }

  /** @returns {Promise<string | null> | string | null} the organisation of a key */
  orgOf(authorization) {
    const digest = hash('sha256', (authorization ?? '').slice('Bearer '.length));
    const known = this.keys.get(digest);
    return known && known.expiresAt > performance.now() ? known.orgId : this.read(digest);
  }

  async read(digest) {
    const { rows } = await this.reader.query('SELECT org_id FROM keys WHERE secret_sha256 = $1', [
      Buffer.from(digest, 'hex'),
    ]);
    const orgId = rows[0]?.org_id ?? null;
    this.keys.set(digest, { orgId, expiresAt: performance.now() + KEY_TTL_MS });
    return orgId;
  }
}

/** An exact sliding window per organisation: the times of admitted requests; expired ones are removed in bulk. */
export class Limiter {
  windows = new Map();

  /** @returns {number} remaining requests, or -1 for a refusal */
  take(orgId) {
    const now = performance.now();
    let window = this.windows.get(orgId);
    if (!window) this.windows.set(orgId, (window = { times: [], oldest: 0 }));
    while (window.oldest < window.times.length && window.times[window.oldest] <= now - WINDOW_MS)
      window.oldest += 1;
    if (window.oldest > 100_000) {
      window.times = window.times.slice(window.oldest);
      window.oldest = 0;
    }
    const left = BUDGET - (window.times.length - window.oldest);
    if (left <= 0) return -1;
    window.times.push(now);
    return left - 1;
  }
}
