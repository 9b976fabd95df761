import { timingSafeEqual } from 'node:crypto';
import { AppError } from '@quarry/error-codes';
import type { ApiKeyRecord } from '../identity/identity.store.js';
import { API_KEY_LENGTH, hashSecret, parseApiKey, type ParsedApiKey } from './api-key.format.js';

/** Where keys come from; the identity store is one. */
export interface KeySource {
  findKey(publicId: string): Promise<ApiKeyRecord | null>;
  /** Told when a key was used and the use is not on record yet. */
  noteKeyUse(keyId: string): void;
}

interface CachedKey {
  record: ApiKeyRecord | null;
  expiresAtMs: number;
}

/**
 * How long an answer about a key is believed, counted from before it was asked for. Revocation must act within
 * 5 s everywhere (contract decisions, section 1); the second that is left covers the read itself.
 */
export const KEY_CACHE_TTL_MS = 4_000;
/** Keys remembered per kind of answer. 10,000 × about 300 bytes; beyond it the oldest are asked for again. */
const CACHED_KEYS_MAX = 10_000;
const SCHEME_LENGTH = 'Bearer '.length;

/** Turns an Authorization header into a key, from memory where it can. */
export class KeyAuthenticator {
  // Two maps: a flood of unknown public ids must not push known keys out.
  private readonly known = new Map<string, CachedKey>();
  private readonly unknown = new Map<string, CachedKey>();
  private readonly reads = new Map<string, Promise<CachedKey>>();
  /** Headers that were let in, so that the same key is not hashed again for every request while it is believed. */
  private readonly admitted = new Map<string, { record: ApiKeyRecord; expiresAtMs: number }>();

  constructor(
    private readonly source: KeySource,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /**
   * @param header value of Authorization; expected is `Bearer` followed by the key
   * @returns the key, at once when it is in memory
   * @throws AppError not_authenticated for anything else; the source's error when it cannot be asked
   */
  authenticate(header: string | undefined): ApiKeyRecord | Promise<ApiKeyRecord> {
    const admitted = header === undefined ? undefined : this.admitted.get(header);
    if (admitted && admitted.expiresAtMs > this.nowMs()) return admitted.record;
    // The length is checked first: it is the cheapest way to turn away what cannot be a key.
    if (header?.length !== SCHEME_LENGTH + API_KEY_LENGTH || !/^bearer /i.test(header)) throw refusal();
    const parsed = parseApiKey(header.slice(SCHEME_LENGTH));
    if (!parsed) throw refusal();
    const cached = this.cached(parsed.publicId);
    if (cached) return this.admit(header, cached, parsed);
    return this.read(parsed.publicId).then((read) => this.admit(header, read, parsed));
  }

  private admit(header: string, { record, expiresAtMs }: CachedKey, parsed: ParsedApiKey): ApiKeyRecord {
    const secretSha256 = hashSecret(parsed.secret);
    const isIt = record && !record.isRevoked && timingSafeEqual(record.secretSha256, secretSha256);
    if (!isIt || record.mode !== parsed.mode) throw refusal();
    if (record.isUseDue) {
      record.isUseDue = false;
      this.source.noteKeyUse(record.id);
    }
    makeRoom(this.admitted);
    this.admitted.set(header, { record, expiresAtMs });
    return record;
  }

  private cached(publicId: string): CachedKey | undefined {
    const entry = this.known.get(publicId) ?? this.unknown.get(publicId);
    return entry && entry.expiresAtMs > this.nowMs() ? entry : undefined;
  }

  /** Asks the source once for all requests that wait for the same key. */
  private read(publicId: string): Promise<CachedKey> {
    const running = this.reads.get(publicId);
    if (running) return running;
    const expiresAtMs = this.nowMs() + KEY_CACHE_TTL_MS;
    const read = this.source
      .findKey(publicId)
      .then((record) => {
        const entry = { record, expiresAtMs };
        this.remember(publicId, entry);
        return entry;
      })
      .finally(() => this.reads.delete(publicId));
    this.reads.set(publicId, read);
    return read;
  }

  private remember(publicId: string, entry: CachedKey): void {
    this.known.delete(publicId);
    this.unknown.delete(publicId);
    const map = entry.record ? this.known : this.unknown;
    makeRoom(map);
    map.set(publicId, entry);
  }
}

/** Maps keep the order of insertion, so the first key is the oldest. */
function makeRoom(map: Map<string, unknown>): void {
  const oldest = map.size >= CACHED_KEYS_MAX ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}

/** One body for every reason, so that it tells nothing about which keys exist. */
function refusal(): AppError {
  return new AppError(
    'not_authenticated',
    'A valid API key is needed: send the header "Authorization: Bearer <API_KEY>".',
    { headers: { 'WWW-Authenticate': 'Bearer realm="quarry"' } },
  );
}
