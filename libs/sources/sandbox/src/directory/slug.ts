import { foldWords } from '@quarry/vocabulary';

/** Begins the LinkedIn addresses of the sandbox, which are nobody's. Source: docs/contract.md#1-identifiers-keys-numbers. */
export const SLUG_PREFIX = 'sandbox-';
const slugs = new Map<string, string>();

/** Returns whether a LinkedIn slug is one of the sandbox's. */
export function isSandboxSlug(slug: string | null): boolean {
  return slug?.startsWith(SLUG_PREFIX) ?? false;
}

/** Returns a text as a part of an address: folded words joined by hyphens. */
export function slugOf(text: string): string {
  return text.split(' ').map(foldedSlug).filter(Boolean).join('-');
}

/**
 * Returns the same as {@link slugOf}, for names that the generators make: the same few hundred words make all of them, and folding
 * Unicode for each use took half of the generation's time.
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

/** Hands out names, each once: a name that is taken gets the next free number. */
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
