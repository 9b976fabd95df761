import { describe, expect, it } from '@jest/globals';
import { planPrompt } from './plan-prompt.fixture.js';

/** A prompt as people type it, and the same in whole words. */
const SHORT: ReadonlyArray<readonly [typed: string, whole: string]> = [
  ['fintechs in Berlin', 'fintech companies in Berlin'],
  ['edtechs and proptechs in Berlin', 'edtech and proptech companies in Berlin'],
  ['SaaS cos in Berlin w/ 50-250 ppl', 'SaaS companies in Berlin with 50-250 people'],
  [
    '10 CEOs of fintech cos in Berlin w/ work email',
    '10 CEOs of fintech companies in Berlin with work email',
  ],
  ['20 ppl in Berlin w/email', '20 people in Berlin with email'],
  ['biz orgs in Berlin w/ >50 emps pls', 'business organizations in Berlin with >50 employees please'],
  ['mktg mgrs at mfg cos in Germany', 'marketing managers at manufacturing companies in Germany'],
  ['edtech cos in Spain w/o VC funding', 'edtech companies in Spain without VC funding'],
  [
    'fintech cos in Germany excl. Berlin, incl. website',
    'fintech companies in Germany excluding Berlin, including website',
  ],
];

describe('abbreviations and plurals of known words', () => {
  it.each(SHORT)('%s', async (typed, whole) => {
    const [short, long] = [await planPrompt(typed), await planPrompt(whole)];
    expect(short.notUnderstood).toEqual([]);
    const { entity, count, predicates, columns, sort } = long;
    expect(short).toMatchObject({ entity, count, columns, sort });
    expect(short.predicates).toEqual(predicates);
  });

  it('do not change names', async () => {
    const plan = await planPrompt('companies called "Ppl Cos" in Berlin');
    expect(plan.predicates.map(({ text }) => text)).toContain('company name: Ppl Cos');
  });
});
