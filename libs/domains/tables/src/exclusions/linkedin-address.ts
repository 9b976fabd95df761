import { linkedInAddress, linkedInSlug, type ExclusionKind } from '@quarry/dto';

/** Returns the form in which a LinkedIn address is kept on a list; null when it is not the address of this kind of page. */
export function linkedinAddress(kind: ExclusionKind, text: string): string | null {
  const slug = linkedInSlug(kind, text);
  return slug === null ? null : linkedInAddress(kind, slug);
}
