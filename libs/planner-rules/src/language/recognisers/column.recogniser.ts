import { attributeAt, companyAttributeAt } from '@quarry/directory';
import { WEIGHT, type Recogniser } from '../recogniser.js';

/** Wanted columns: "work email", "LinkedIn", "headcount". The interpreter decides whether a doubtful one is meant. */
export const columnRecogniser: Recogniser = {
  name: 'column',
  recognise({ words }, at) {
    const isCompanys = words[at] === 'company' || words[at] === 'companys';
    const found = attributeAt(words, at);
    const companys = isCompanys ? companyAttributeAt(words, at + 1) : null;
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
