import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Path of a secret's owner, from general to specific. A sealed text opens only for exactly these parts in this order. */
export type SecretBinding = readonly string[];

/** Minimum length of a text from which a wrapping key is derived. */
export const ENCRYPTION_KEY_CHARACTERS_MIN = 32;

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
// 96 bits, the IV length that GCM is designed for. Source: NIST SP 800-38D, 5.2.1.1.
const IV_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = 'v1';

/** A stored sealed secret. */
interface KeptSecret {
  sealed: string;
  binding: SecretBinding;
  /** Replaces the stored text by another one. @returns a truthy value only if it was still unchanged */
  replaceBy: (anew: string) => Promise<unknown>;
}

interface WrappingKey {
  /** Eight hexadecimal digits, derived separately: they identify the key and reveal nothing about it. */
  id: string;
  bytes: Buffer;
}

/**
 * Seals secrets that are stored in the database: AES-256-GCM with a new key for each, which is wrapped by a key of the
 * operator. The text is `v1.<id of the wrapping key>.<wrapped key>.<secret>`, the last two in base64url.
 */
export class SealedSecrets {
  private readonly keys: readonly WrappingKey[];

  /**
   * @param texts of ENCRYPTION_KEYS: the first one seals and all of them open, so a retired key stays in the list until its
   *   secrets are resealed; without keys nothing can be sealed or opened
   * @throws Error if one is shorter than {@link ENCRYPTION_KEY_CHARACTERS_MIN}
   */
  constructor(texts: readonly string[]) {
    if (texts.some((text) => text.length < ENCRYPTION_KEY_CHARACTERS_MIN))
      throw new Error(`A secrets key needs ${ENCRYPTION_KEY_CHARACTERS_MIN} characters.`);
    this.keys = texts.map((text) => ({
      id: deriveKey(text, 'id', 4).toString('hex'),
      bytes: deriveKey(text, 'key', KEY_BYTES),
    }));
  }

  /** True if there is a key to seal with. */
  get canSeal(): boolean {
    return this.keys.length > 0;
  }

  /**
   * @returns the sealed text, different each time
   * @throws Error if there is no key: check {@link canSeal} first
   */
  sealSecret(binding: SecretBinding, secret: string): string {
    const [key] = this.keys;
    if (!key) throw new Error('There is no key to seal with.');
    const own = randomBytes(KEY_BYTES);
    const wrapped = encryptBytes(key.bytes, binding, own);
    const box = encryptBytes(own, binding, Buffer.from(secret, 'utf8'));
    return [FORMAT, key.id, wrapped.toString('base64url'), box.toString('base64url')].join('.');
  }

  /** @returns whether the key id in the text is that of the first key */
  isSealedByFirst(sealed: string): boolean {
    return sealed.split('.')[1] === this.keys[0]?.id;
  }

  /** @returns the secret; null for anything that {@link sealSecret} did not create for this binding with a known key */
  openSecret(binding: SecretBinding, sealed: string): string | null {
    const [format, id, wrapped, box, ...rest] = sealed.split('.');
    if (format !== FORMAT || wrapped === undefined || box === undefined || rest.length > 0) return null;
    for (const { bytes } of this.keys.filter((key) => key.id === id)) {
      const own = decryptBytes(bytes, binding, Buffer.from(wrapped, 'base64url'));
      const secret = own && decryptBytes(own, binding, Buffer.from(box, 'base64url'));
      if (secret) return secret.toString('utf8');
    }
    return null;
  }

  /**
   * Reseals secrets with the first wrapping key, so that the other keys can be removed. Idempotent.
   * @returns the numbers of secrets that were resealed, that were current already or changed meanwhile, and that no known
   *   key opens
   */
  async resealSecrets(
    kept: readonly KeptSecret[],
  ): Promise<{ resealed: number; current: number; unreadable: number }> {
    const counts = { resealed: 0, current: 0, unreadable: 0 };
    for (const { sealed, binding, replaceBy } of kept) {
      const secret = this.openSecret(binding, sealed);
      if (secret === null) counts.unreadable += 1;
      else if (this.isSealedByFirst(sealed)) counts.current += 1;
      else counts[(await replaceBy(this.sealSecret(binding, secret))) ? 'resealed' : 'current'] += 1;
    }
    return counts;
  }
}

function deriveKey(text: string, use: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', text, '', `quarry sealed secrets ${use}`, bytes));
}

// JSON is unambiguous: two different lists of parts never produce the same text.
function associatedData(binding: SecretBinding): Buffer {
  return Buffer.from(JSON.stringify(binding), 'utf8');
}

function encryptBytes(key: Buffer, binding: SecretBinding, plain: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(
    associatedData(binding),
  );
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @returns null if it was not created with this key for this binding, or was modified */
function decryptBytes(key: Buffer, binding: SecretBinding, bytes: Buffer): Buffer | null {
  if (bytes.length < IV_BYTES + TAG_BYTES || key.length !== KEY_BYTES) return null;
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(associatedData(binding))
    .setAuthTag(bytes.subarray(end));
  const plain = decipher.update(bytes.subarray(IV_BYTES, end));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    return null;
  }
}
