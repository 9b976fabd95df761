import { attributeAt, companyAttributeAt, COMPANY_ATTRIBUTES, type Attribute } from '@quarry/directory';
import { foldWords } from '@quarry/vocabulary';
import { isDeepStrictEqual } from 'node:util';
import type { IntentColumn, IntentCriterion, PlanIntent } from '@quarry/plan';
import { claimsOf, type Claim } from '../claims.js';
import { contentWords } from '../language.js';
import { holdsWords, isSameWords } from '../words.js';
import type { CheckedIntent } from './checked-intent.js';
import { asksForService, constantFaults } from './service-faults.js';
import { ownWords } from './own-words.js';

/** Services for people whose request the rules also recognise. */
type Service = 'getEmail' | 'getPhoneNumber';
type Order = NonNullable<PlanIntent['order']>;

/** Words that drop rows without a value. */
const DEMAND = /\b(?:must|needs?|have|has|having|required?|mandatory|only|known)\b/i;
/** Words that request a criterion, by its effect. */
const EFFECTS: Readonly<Record<IntentCriterion['effect'], RegExp>> = {
  prefer: /\b(?:prefer\w*|ideal\w*|bonus|plus|nice to have|favou?r\w*|priorit\w*|if possible)\b/i,
  require: /\b(?:must|ha(?:s|ve) to|needs?|required?|requirements?|mandatory|qualif\w*|should|only)\b/i,
  exclude: /\b(?:disqualif\w*|reject\w*|rule out|deal ?breakers?|knock out|exclud\w*|not?|without|avoid)\b/i,
};
/** Words that request a sort order. */
const ORDER = /\b(?:by|sort\w*|order\w*|rank\w*|first|ascending|descending|highest|lowest|most|least|top)\b/i;
/** Words for "number", before or after a compound with it. */
const NUMBER = String.raw`(?:nummern?|nummers?|nr)`;
/**
 * Words of other languages for the results of paid services: a list, since everything that costs credits must be requested
 * in words that the code knows. Words that also mean an industry ("mobile", "Handys") count only together with "number". In
 * scripts without word separators, parts of words match.
 */
const PAID_ELSEWHERE: Readonly<Record<Service, RegExp>> = {
  getEmail: wordsOrParts(
    String.raw`e-?mails?|e?-?mail-?adres\w*|mail|e-?post(?:adress\w*)?|courriels?|correos? electr[oó]nicos?|correo|posta elettronica|m[eé]l`,
    'почт|имейл|емейл|ηλεκτρονικ|邮箱|邮件|電郵|メール|이메일|메일|بريد|إيميل|ايميل|מייל|דוא|ईमेल|อีเมล',
  ),
  getPhoneNumber: wordsOrParts(
    String.raw`(?:mobil|handy|ruf|mobiele |mobiel)${NUMBER}|(?:mobil)?tele(?:fon|foon)(?:e|s|i|u|y)?${NUMBER}?|durchwahl(?:en)?|t[eé]l|phone|t[eé]l[eé]phones?|num[eé]ros? (?:de )?portables?|tel[eé]fonos?|n[uú]meros? (?:de )?m[oó]vil(?:es)?|celular|cellular[ei]|telefones?|telem[oó]ve(?:l|is)|kom[oó]rk[ai]`,
    'телефон|мобильн\\p{L}* номер|τηλ[εέ]φων|电话|電話|手机号|手機號|携帯番号|전화|휴대폰 ?번호|هاتف|טלפון|फ़ोन|फोन|โทรศัพท์',
  ),
};

/** @returns a pattern for whole words of one list, or parts of words of the other */
function wordsOrParts(words: string, parts: string): RegExp {
  return new RegExp(String.raw`(?<!\p{L})(?:${words})(?!\p{L})|${parts}`, 'iu');
}

/**
 * Finds items that were not requested, among those that cost credits, drop rows or sort them: either the rules read the
 * same item, or words of its own request each. Columns that cost nothing and drop nothing are not checked.
 * @returns one sentence for each fault, each starting with its position
 */
export function itemFaults(checked: CheckedIntent): string[] {
  const { columns, criteria, order } = checked.intent;
  return claimsOf(checked.intent)
    .filter(({ origin }) => origin.from === 'prompt')
    .flatMap((claim) => {
      const [kind, at, more] = claim.place.split('.');
      if (kind === 'order') return orderFaults(claim, order!, checked);
      if (kind === 'columns') return columnFaults(claim, columns[Number(at)]!, checked);
      return kind === 'criteria' && more === undefined
        ? criterionFaults(claim, criteria[Number(at)]!, checked)
        : [];
    });
}

function columnFaults(claim: Claim, column: IntentColumn, checked: CheckedIntent): string[] {
  const { source, required } = column;
  if (source.from !== 'service' && !required) return [];
  const isRead =
    checked.isEnglish &&
    checked.rules.columns.some(
      (read) => isDeepStrictEqual(read.source, source) && (read.required || !required),
    );
  if (isRead) return [];
  const words = ownWords(claim, checked);
  if (!words.some((each) => namesColumn(source, each, checked)))
    return [`${claim.place}.fragments: no word of their own names ${JSON.stringify(source)}`];
  const constants = source.from === 'service' ? constantFaults(source, claim.origin.fragments) : [];
  if (constants.length > 0) return constants.map((fault) => `${claim.place}${fault}`);
  return required && checked.isEnglish && !words.some((each) => DEMAND.test(each))
    ? [`${claim.place}.required: no word of their own says that rows without it are of no use`]
    : [];
}

function namesColumn(source: IntentColumn['source'], text: string, { isEnglish }: CheckedIntent): boolean {
  const isRepairable = source.from === 'service' ? asksForService(source, text) : null;
  if (isRepairable !== null) return isRepairable;
  if (!isEnglish)
    return source.from === 'service'
      ? (PAID_ELSEWHERE[source.service as Service]?.test(text) ?? false)
      : contentWords(text).length > 0;
  // In every language, columns of a table must be named, or the intent is rejected (unnamed-faults.ts).
  if (source.from === 'table') return true;
  // A company's switchboard has the same key as the paid phone number of a person.
  return attributesIn(text).some((each) =>
    source.from === 'service'
      ? 'service' in each && each.service === source.service
      : !('service' in each) && each.key === source.attribute.replace(/^company_/, ''),
  );
}

function attributesIn(text: string): Attribute[] {
  const words = foldWords(text);
  return words.flatMap((_, at) =>
    [attributeAt(words, at), companyAttributeAt(words, at)].flatMap((found) => found?.meaning ?? []),
  );
}

function orderFaults(claim: Claim, { by, direction }: Order, checked: CheckedIntent): string[] {
  const { rules, isEnglish, intent } = checked;
  if (isEnglish && rules.order?.by === by && rules.order.direction === direction) return [];
  const words = ownWords(claim, checked);
  const sort = COMPANY_ATTRIBUTES.find(({ key }) => key === by)?.sort?.[direction] ?? [];
  // In every language, columns of a table must be named, or the intent is rejected (unnamed-faults.ts).
  const isTable = intent.source.kind === 'table';
  const isNamed = (text: string): boolean => isTable || attributesIn(text).some(({ key }) => key === by);
  const all = words.join(' ');
  const isOrdered = isEnglish
    ? (!isTable && sort.some((phrase) => words.some((each) => holdsWords(each, phrase)))) ||
      (ORDER.test(all) && isNamed(all))
    : contentWords(all).length > 0;
  return isOrdered ? [] : [`${claim.place}.fragments: no word of their own asks for this order`];
}

function criterionFaults(
  claim: Claim,
  { effect, fragments, conditions }: IntentCriterion,
  checked: CheckedIntent,
): string[] {
  const { rules, isEnglish, intent } = checked;
  // On the web, the prompt describes the rows: its words are themselves the criterion.
  if (intent.source.kind === 'web' && effect === 'require' && conditions === null) {
    const isNamed = ownWords(claim, checked).some((each) => contentWords(each).length > 0);
    return isNamed ? [] : [`${claim.place}.fragments: no word of its own says what rows must be`];
  }
  const isRead = rules.criteria.some(
    (read) =>
      read.effect === effect &&
      fragments.every((fragment) => read.fragments.some((each) => isSameWords(each, fragment))),
  );
  if (isEnglish && isRead) return [];
  const words = ownWords(claim, checked);
  const isNamed = words.some((each) =>
    isEnglish ? EFFECTS[effect].test(each) : contentWords(each).length > 0,
  );
  return isNamed
    ? []
    : [`${claim.place}.fragments: no word of their own makes it a criterion to ${effect}, such as "ideally"`];
}
