import { describe, expect, it } from '@jest/globals';
import type { CompanyRecord } from '../directory-record.js';
import { companyValues } from '../directory-values.js';
import type { AttributeTable } from './attribute.js';
import {
  COMPANY_ATTRIBUTES,
  COMPANY_FILTERS,
  LOOKUP_ATTRIBUTES,
  PERSON_ATTRIBUTES,
  PERSON_FILTERS,
} from './attributes.js';
import { COMPANY } from './company.attributes.js';

type Table = AttributeTable<CompanyRecord, 'headcount' | 'keywords' | 'funding_stage'>;
const { headcount, keywords, funding_stage } = COMPANY;
const whole: Table = { headcount, keywords, funding_stage };

/** The compiler is the test: where one of these compiles, `@ts-expect-error` does not. */
describe('the attribute table', () => {
  it('does not compile if a field is missing, or if a number lacks sort, filter or phrases', () => {
    // @ts-expect-error a field of the record has no entry
    const withoutField: Table = { headcount, keywords };
    const { sort: _sort, ...unsorted } = headcount;
    // @ts-expect-error a number has no order
    const withoutSort: Table = { ...whole, headcount: unsorted };
    const { filters: _filters, ...unfiltered } = headcount;
    // @ts-expect-error a number has no filter
    const withoutFilter: Table = { ...whole, headcount: unfiltered };
    const { measure: _measure, ...unspoken } = headcount;
    // @ts-expect-error nobody can speak of a number
    const withoutWords: Table = { ...whole, headcount: unspoken };
    // @ts-expect-error a number is declared as text
    const asText: Table = { ...whole, headcount: keywords };
    const { isNullable: _isNullable, ...known } = funding_stage;
    // @ts-expect-error what may be unknown is declared as known
    const asKnown: Table = { ...whole, funding_stage: known };
    for (const broken of [withoutField, withoutSort, withoutFilter, withoutWords, asText, asKnown])
      expect(broken).not.toEqual(whole);
  });

  it('returns every attribute of a record, and nothing else', () => {
    const record = Object.fromEntries(COMPANY_ATTRIBUTES.map(({ key }) => [key, null]));
    expect(Object.keys(companyValues(record as unknown as CompanyRecord))).toEqual(Object.keys(COMPANY));
  });

  it('groups the attributes of one filter in the order of the table', () => {
    const read = (
      filters: ReadonlyArray<(typeof COMPANY_FILTERS | typeof PERSON_FILTERS)[number]>,
      name: string,
    ) => filters.find((filter) => filter.name === name)?.attributes.map(({ key }) => key);
    expect(read(COMPANY_FILTERS, 'places')).toEqual(['city', 'state', 'country']);
    expect(read(PERSON_FILTERS, 'roles')).toEqual(['title', 'seniority', 'department']);
  });

  it('has phrases for every column, and no phrase for two sort orders', () => {
    for (const { phrases } of [...COMPANY_ATTRIBUTES, ...PERSON_ATTRIBUTES, ...LOOKUP_ATTRIBUTES])
      expect(phrases.length).toBeGreaterThan(0);
    const orders = COMPANY_ATTRIBUTES.flatMap(({ sort }) => [
      ...(sort?.ascending ?? []),
      ...(sort?.descending ?? []),
    ]);
    expect(new Set(orders).size).toBe(orders.length);
  });
});
