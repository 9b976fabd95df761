import { linkedInAddress, linkedInSlug, type ExclusionKind } from '@quarry/dto';

/** Returns the normalised form of a LinkedIn address; null when it is not an address of this kind of page. */
export function linkedinAddress(kind: ExclusionKind, text: string): string | null {
  const slug = linkedInSlug(kind, text);
  return slug === null ? null : linkedInAddress(kind, slug);
}
