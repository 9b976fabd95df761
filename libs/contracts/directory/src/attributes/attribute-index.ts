import { PhraseIndex, type PhraseMatch } from '@quarry/vocabulary';
import { COMPANY_ATTRIBUTES, LOOKUP_ATTRIBUTES, PERSON_ATTRIBUTES, type Attribute } from './attributes.js';

const index = new PhraseIndex<Attribute>();
// Lookups first: "phone number" is the person's; "company phone" is a phrase of its own.
for (const attribute of [...LOOKUP_ATTRIBUTES, ...PERSON_ATTRIBUTES, ...COMPANY_ATTRIBUTES])
  index.add(attribute.phrases, attribute);
/** "Company name", "company city" in a prompt about people. */
const companyIndex = new PhraseIndex<Attribute>();
for (const attribute of COMPANY_ATTRIBUTES) companyIndex.add(attribute.phrases, attribute);

/** @returns the attribute whose column is asked for at a position, or null */
export function attributeAt(words: readonly string[], at: number): PhraseMatch<Attribute> | null {
  return index.longestAt(words, at);
}

/** @returns the same among the attributes of companies alone */
export function companyAttributeAt(words: readonly string[], at: number): PhraseMatch<Attribute> | null {
  return companyIndex.longestAt(words, at);
}

/** @returns the attribute that a heading asks for, or null. */
export function attributeNamed(text: string): Attribute | null {
  return index.get(text.replaceAll('_', ' '));
}
