import type { ContactInput } from '@quarry/service-catalog';

/** @returns first and last name; null unless both are given */
export function nameIn(
  input: Pick<ContactInput, 'first_name' | 'last_name'>,
): { first: string; last: string } | null {
  const [first, last] = [input.first_name?.trim(), input.last_name?.trim()];
  return first && last ? { first, last } : null;
}

/** @returns the text without white space around it; undefined when nothing is left */
export function textIn(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}
