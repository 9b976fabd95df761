import { timingSafeEqual } from 'node:crypto';
import { AppError } from '@quarry/error-codes';
import { LRUCache } from 'lru-cache';
import type { ApiKeyRecord } from '../identity.store.js';
import { API_KEY_LENGTH, hashSecret, parseApiKey, type ParsedApiKey } from './api-key.format.js';

/** Source of keys, such as the identity store. */
export interface KeySource {
  findKey(publicId: string): Promise<ApiKeyRecord | null>;
  /** Called when a key was used and the use is not recorded yet. */
  noteKeyUse(keyId: string): void;
}

interface CachedKey {
  record: ApiKeyRecord | null;
  /** Start of the validity of {@link KEY_CACHE_TTL_MS}, by the clock of the authenticator. */
  askedAtMs: number;
}

/**
 * Cache time of a key lookup in milliseconds, counted from before its query. Revocation must take effect within 5 s
 * everywhere (docs/contract.md#1-identifiers-keys-numbers); the remaining second covers the query itself.
 */
export const KEY_CACHE_TTL_MS = 4_000;
/** Maximum number of cached keys per cache. 10,000 × about 300 bytes; beyond it the least recently used ones are evicted. */
const CACHED_KEYS_MAX = 10_000;
const SCHEME_LENGTH = 'Bearer '.length;

/** Resolves an Authorization header to a key, from the cache if possible. */
export class KeyAuthenticator {
  // Two caches: a flood of unknown public ids must not evict known keys.
  private readonly known: LRUCache<string, CachedKey>;
  private readonly unknown: LRUCache<string, CachedKey>;
  private readonly reads = new Map<string, Promise<CachedKey>>();
  /** Accepted headers, so that the same key is not hashed again for every request while its cache entry is valid. */
  private readonly admitted: LRUCache<string, ApiKeyRecord>;

  constructor(
    private readonly source: KeySource,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    // Checked at every access: a coarser resolution would keep a revoked key for longer, and would set timers.
    const perf = { now: nowMs };
    const remembering = { max: CACHED_KEYS_MAX, ttl: KEY_CACHE_TTL_MS, ttlResolution: 0, perf };
    this.known = new LRUCache(remembering);
    this.unknown = new LRUCache(remembering);
    this.admitted = new LRUCache(remembering);
  }

  /**
   * @param header value of Authorization; expected is `Bearer` followed by the key
   * @returns the key, synchronously if it is cached
   * @throws AppError not_authenticated for anything else; the source's error if it is unavailable
   */
  authenticateKey(header: string | undefined): ApiKeyRecord | Promise<ApiKeyRecord> {
    const admitted = header === undefined ? undefined : this.admitted.get(header);
    if (admitted) return admitted;
    // The length is checked first, which is the cheapest way to reject an invalid key.
    if (header?.length !== SCHEME_LENGTH + API_KEY_LENGTH || !/^bearer /i.test(header)) throw unauthorized();
    const parsed = parseApiKey(header.slice(SCHEME_LENGTH));
    if (!parsed) throw unauthorized();
    const cached = this.cachedKey(parsed.publicId);
    if (cached) return this.admitKey(header, cached, parsed);
    return this.readKey(parsed.publicId).then((read) => this.admitKey(header, read, parsed));
  }

  private admitKey(header: string, { record, askedAtMs }: CachedKey, parsed: ParsedApiKey): ApiKeyRecord {
    const secretSha256 = hashSecret(parsed.secret);
    const isIt = record && !record.isRevoked && timingSafeEqual(record.secretSha256, secretSha256);
    if (!isIt || record.mode !== parsed.mode) throw unauthorized();
    if (record.isUseDue) {
      record.isUseDue = false;
      this.source.noteKeyUse(record.id);
    }
    this.admitted.set(header, record, { start: askedAtMs });
    return record;
  }

  private cachedKey(publicId: string): CachedKey | undefined {
    return this.known.get(publicId) ?? this.unknown.get(publicId);
  }

  /** Queries the source once for all requests that wait for the same key. */
  private readKey(publicId: string): Promise<CachedKey> {
    const running = this.reads.get(publicId);
    if (running) return running;
    const askedAtMs = this.nowMs();
    const read = this.source
      .findKey(publicId)
      .then((record) => {
        const entry = { record, askedAtMs };
        this.rememberKey(publicId, entry);
        return entry;
      })
      .finally(() => this.reads.delete(publicId));
    this.reads.set(publicId, read);
    return read;
  }

  private rememberKey(publicId: string, entry: CachedKey): void {
    this.known.delete(publicId);
    this.unknown.delete(publicId);
    const cache = entry.record ? this.known : this.unknown;
    cache.set(publicId, entry, { start: entry.askedAtMs });
  }
}

/** Returns the same body for every reason, so that it does not reveal which keys exist. */
function unauthorized(): AppError {
  return new AppError(
    'not_authenticated',
    'A valid API key is required: send the header "Authorization: Bearer <API_KEY>".',
    { headers: { 'WWW-Authenticate': 'Bearer realm="quarry"' } },
  );
}
