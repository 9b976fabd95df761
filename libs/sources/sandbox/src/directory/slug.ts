import { foldWords } from '@quarry/vocabulary';

/** Prefix of the sandbox's LinkedIn slugs, which belong to nobody. Source: docs/contract.md#1-identifiers-keys-numbers. */
export const SLUG_PREFIX = 'sandbox-';
const slugs = new Map<string, string>();

/** Returns whether a LinkedIn slug belongs to the sandbox. */
export function isSandboxSlug(slug: string | null): boolean {
  return slug?.startsWith(SLUG_PREFIX) ?? false;
}

/** Returns a text as a slug: folded words joined by hyphens. */
export function slugOf(text: string): string {
  return text.split(' ').map(foldedSlug).filter(Boolean).join('-');
}

/**
 * Returns the same as {@link slugOf}, cached, for generated names: they consist of a few hundred words, and folding the
 * Unicode of each occurrence took half of the generation time.
 */
export function slugOfName(name: string): string {
  return name.split(' ').map(rememberedSlug).filter(Boolean).join('-');
}

function rememberedSlug(word: string): string {
  const known = slugs.get(word);
  if (known !== undefined) return known;
  const slug = foldedSlug(word);
  slugs.set(word, slug);
  return slug;
}

function foldedSlug(word: string): string {
  return foldWords(word)
    .join('-')
    .replace(/[^a-z0-9-]/g, '');
}

/** Makes names unique: a name that is already used gets the next free number. */
export class UniqueNames {
  private readonly uses = new Map<string, number>();

  take(name: string): string {
    const before = this.uses.get(name) ?? 0;
    this.uses.set(name, before + 1);
    return before === 0 ? name : this.take(`${name}-${before + 1}`);
  }

  has(name: string): boolean {
    return this.uses.has(name);
  }
}
