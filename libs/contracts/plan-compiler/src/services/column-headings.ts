/** Patterns of headings from {@link foldHeading} for the parts of a person's name. */
export const FIRST_NAME = /^(first|given) ?name$|^forename$/;
export const LAST_NAME = /^(last|family) ?name$|^surname$/;
/** Pattern of headings of profiles; folding splits "LinkedIn" into two words. */
export const LINKEDIN = /linked ?in/;

/** @returns a heading as words: "CompanyName", "company_name" and "Company Name" are equal */
export function foldHeading(heading: string): string {
  return heading
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
}
