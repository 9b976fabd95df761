import { PhraseIndex, type PhraseMatch } from '@quarry/vocabulary';
import { COMPANY_ATTRIBUTES, LOOKUP_ATTRIBUTES, PERSON_ATTRIBUTES, type Attribute } from './attributes.js';

const index = new PhraseIndex<Attribute>();
// Lookups take precedence: "phone number" is the person's; "company phone" is a separate phrase.
for (const attribute of [...LOOKUP_ATTRIBUTES, ...PERSON_ATTRIBUTES, ...COMPANY_ATTRIBUTES])
  index.add(attribute.phrases, attribute);
/** Index of phrases such as "company name" and "company city", for prompts about people. */
const companyIndex = new PhraseIndex<Attribute>();
for (const attribute of COMPANY_ATTRIBUTES) companyIndex.add(attribute.phrases, attribute);

/** @returns the attribute whose column is requested at a position, or null */
export function attributeAt(words: readonly string[], at: number): PhraseMatch<Attribute> | null {
  return index.longestAt(words, at);
}

/** @returns the same among company attributes only */
export function companyAttributeAt(words: readonly string[], at: number): PhraseMatch<Attribute> | null {
  return companyIndex.longestAt(words, at);
}

/** @returns the attribute that a heading means, or null. */
export function attributeNamed(text: string): Attribute | null {
  return index.get(text.replaceAll('_', ' '));
}
