import {
  COMPANY_ATTRIBUTES,
  LOOKUP_ATTRIBUTES,
  PERSON_ATTRIBUTES,
  PhraseIndex,
  type Attribute,
} from '@quarry/directory';
import { WEIGHT, type Recogniser } from '../recogniser.js';

const index = new PhraseIndex<Attribute>();
// Lookups first: "phone number" is the person's; "company phone" is a phrase of its own.
for (const attribute of [...LOOKUP_ATTRIBUTES, ...PERSON_ATTRIBUTES, ...COMPANY_ATTRIBUTES])
  index.add(attribute.phrases, attribute);
/** "Company name", "company city" in a prompt about people. */
const companyIndex = new PhraseIndex<Attribute>();
for (const attribute of COMPANY_ATTRIBUTES) companyIndex.add(attribute.phrases, attribute);

/** Wanted columns: "work email", "LinkedIn", "headcount". The interpreter decides whether a doubtful one is meant. */
export const columnRecogniser: Recogniser = {
  name: 'column',
  recognise({ words }, at) {
    const isCompanys = words[at] === 'company' || words[at] === 'companys';
    const found = index.longestAt(words, at);
    const companys = isCompanys ? companyIndex.longestAt(words, at + 1) : null;
    if (companys && companys.length + 1 > (found?.length ?? 0)) {
      const meaning = {
        type: 'column',
        attribute: `company_${companys.meaning.key}`,
        isCertain: true,
      } as const;
      return [{ start: at, end: at + 1 + companys.length, weight: WEIGHT.column, meaning }];
    }
    if (!found) return [];
    const { key, isCertain } = found.meaning;
    return [
      {
        start: at,
        end: at + found.length,
        weight: 0,
        meaning: { type: 'column', attribute: key, isCertain },
      },
    ];
  },
};

/** @returns the attribute that a heading asks for, or null. */
export function attributeNamed(text: string): Attribute | null {
  return index.get(text.replaceAll('_', ' '));
}
