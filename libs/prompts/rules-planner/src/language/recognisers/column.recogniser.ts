import { attributeAt, companyAttributeAt } from '@quarry/directory';
import { spanAt, WEIGHT, type Recogniser } from '../recogniser.js';

/** Wanted columns: "work email", "LinkedIn", "headcount". The interpreter decides whether a doubtful one is meant. */
export const columnRecogniser: Recogniser = ({ words }, at) => {
  const isCompanys = words[at] === 'company' || words[at] === 'companys';
  const found = attributeAt(words, at);
  const companys = isCompanys ? companyAttributeAt(words, at + 1) : null;
  if (companys && companys.length + 1 > (found?.length ?? 0)) {
    const attribute = `company_${companys.meaning.key}`;
    return [spanAt(at, 1 + companys.length, { type: 'column', attribute, isCertain: true }, WEIGHT.column)];
  }
  if (!found) return [];
  const { key, isCertain } = found.meaning;
  return [spanAt(at, found.length, { type: 'column', attribute: key, isCertain }, 0)];
};
