import { foldWords } from '@quarry/directory';

const slugs = new Map<string, string>();

/** @returns a text as a part of an address: folded words joined by hyphens. */
export function slugOf(text: string): string {
  return text.split(' ').map(slugOfWord).filter(Boolean).join('-');
}

// The same few hundred words make all names; folding Unicode for each use took half of the generation's time.
function slugOfWord(word: string): string {
  const known = slugs.get(word);
  if (known !== undefined) return known;
  const slug = foldWords(word)
    .join('-')
    .replace(/[^a-z0-9-]/g, '');
  slugs.set(word, slug);
  return slug;
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
