import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../condition.js';
import type { Meaning } from '../meaning.js';
import { readingOf, type Recogniser } from '../recogniser.js';
import { tokenise } from '../tokenise.js';
import { columnRecogniser } from './column.recogniser.js';
import { countRecogniser } from './count.recogniser.js';
import { entityRecogniser } from './cue.recogniser.js';
import { foundedRecogniser } from './founded.recogniser.js';
import { countedRecogniser, moneyRecogniser } from './measure.recogniser.js';
import { nameRecogniser } from './name.recogniser.js';
import { sizeWordRecogniser } from './size-word.recogniser.js';
import {
  industryRecogniser,
  placeRecogniser,
  roleRecogniser,
  traitRecogniser,
  ventureRecogniser,
} from './vocabulary.recogniser.js';

/** @returns the longest meaning at the first place where the recogniser finds anything. */
function found(recogniser: Recogniser, text: string): Meaning | null {
  const reading = readingOf(tokenise(text), 2025);
  for (let at = 0; at < reading.tokens.length; at += 1) {
    const spans = recogniser(reading, at).sort((a, b) => b.end - a.end);
    if (spans[0]) return spans[0].meaning;
  }
  return null;
}

function condition(recogniser: Recogniser, text: string): Condition | null {
  const meaning = found(recogniser, text);
  return meaning?.type === 'condition' ? meaning.condition : null;
}

describe('recognisers', () => {
  it.each([
    ['fintech', ['fintech']],
    ['financial technology', ['fintech']],
    ['law firms', ['legal']],
    ['Insurers', ['insurance']],
    ['SaaS', ['software']],
    ['health care equipment', ['medical_devices']],
    ['IT services', ['it_services']],
  ])('industry: %s', (text, ids) => {
    expect(condition(industryRecogniser, text)).toMatchObject({ on: 'industries', ids });
  });

  it.each([
    ['in Berlin', 'DE-berlin'],
    ['the UK', 'GB'],
    ['British', 'GB'],
    ['the Netherlands', 'NL'],
    ['Dutch', 'NL'],
    ['US', 'US'],
    ['LATAM', 'latin_america'],
    ['Nordic', 'nordics'],
    ['Minnesota', 'US-MN'],
    ['Zürich', 'CH-zurich'],
    ['Bavaria', 'DE-Bavaria'],
    ['München', 'DE-munich'],
  ])('place: %s', (text, id) => {
    expect(condition(placeRecogniser, text)).toMatchObject({ on: 'places', places: [{ id }] });
  });

  it('read "us" as a pronoun and "IT" as a department only in capitals', () => {
    expect(found(placeRecogniser, 'give us')).toBeNull();
    expect(found(roleRecogniser, 'find it')).toBeNull();
    expect(found(roleRecogniser, 'in IT')).toMatchObject({ type: 'field', department: 'it' });
  });

  it.each([
    ['CTOs', ['c_level'], ['engineering']],
    ['chief technology officers', ['c_level'], ['engineering']],
    ['VP of Sales', ['vp'], ['sales']],
    ['Head of Growth', ['head'], ['marketing']],
    ['founders', ['founder'], []],
    ['sales directors', ['director'], ['sales']],
    ['recruiters', [], ['people']],
    ['Vice President Engineering', ['vp'], ['engineering']],
    ['marketing team', [], ['marketing']],
  ])('role: %s', (text, seniorities, departments) => {
    expect(condition(roleRecogniser, text)).toMatchObject({
      on: 'roles',
      roles: [{ seniorities, departments }],
    });
  });

  it.each([
    ['50-200 employees', 50, 200],
    ['with 50 people', 50, 50],
    ['headcount over 1,000', 1001, null],
    ['size: 10-50', 10, 50],
    ['10+ person teams', 10, null],
    ['employing fewer than 30 people', null, 29],
    ['a 200-person company', 200, 200],
  ])('headcount: %s', (text, min, max) => {
    expect(condition(countedRecogniser, text)).toEqual({ on: 'headcount', ranges: [{ min, max }] });
  });

  it('do not read the number of rows as a headcount', () => {
    expect(found(countedRecogniser, 'find 50 people')).toBeNull();
  });

  it.each([
    ['small', null, 49],
    ['mid-sized', 50, 249],
    ['enterprise', 1000, null],
    ['SMEs', null, 249],
  ])('size word: %s', (text, min, max) => {
    expect(condition(sizeWordRecogniser, text)).toEqual({ on: 'headcount', ranges: [{ min, max }] });
  });

  it.each([
    ['founded after 2015', 2016, null],
    ['since 2010', 2010, null],
    ['in the 1990s', 1990, 1999],
    ['between 1950 and 1980', 1950, 1980],
    ['before 1950', null, 1949],
    ['from the last 5 years', 2020, null],
    ['less than 3 years old', 2022, null],
    ['more than 20 years old', null, 2004],
    ['founded in 2018', 2018, 2018],
    ['startups', 2015, null],
    ['established 2015 or later', 2015, null],
    ['over the past decade', 2015, null],
  ])('founded: %s', (text, min, max) => {
    expect(condition(foundedRecogniser, text)).toEqual({ on: 'founded', ranges: [{ min, max }] });
  });

  it('read money as revenue only next to a word for it', () => {
    expect(condition(moneyRecogniser, '$5M-$20M in revenue')).toEqual({
      on: 'revenue_usd',
      ranges: [{ min: 5e6, max: 2e7 }],
    });
    expect(found(moneyRecogniser, 'a prize of $10M')).toEqual({ type: 'unsupported' });
    expect(found(moneyRecogniser, 'in sales 20 companies')).toBeNull();
    expect(condition(moneyRecogniser, 'revenue from 500 to 2000000')).toMatchObject({ on: 'revenue_usd' });
  });

  it.each([
    ['raised more than $10M', 10_000_001, null],
    ['raised at least 5 million dollars', 5e6, null],
    ['with $1M to $2M in funding', 1e6, 2e6],
    ['total funding under $3m', null, 2_999_999],
    ['$10M+ raised', 1e7, null],
  ])('funding: %s', (text, min, max) => {
    expect(condition(moneyRecogniser, text)).toEqual({ on: 'funding_amount_usd', ranges: [{ min, max }] });
  });

  it('read no other number as funding', () => {
    expect(found(moneyRecogniser, 'raised 3 rounds')).toBeNull();
  });

  it.each([
    ['top 20', 20],
    ['up to 30', 30],
    ['a dozen', 12],
    ['all', null],
    ['around 50', 50],
  ])('count: %s', (text, value) => {
    expect(found(countRecogniser, text)).toMatchObject({ type: 'count', value });
  });

  it('read a cap per company', () => {
    expect(found(countRecogniser, 'max 2 people per company')).toEqual({ type: 'per_company', value: 2 });
  });

  it.each([
    ['work email', 'email'],
    ['phone number', 'phone'],
    ['company phone', 'phone'],
    ['LinkedIn profiles', 'linkedin_url'],
    ['company city', 'city'],
  ])('column: %s', (text, attribute) => {
    expect(found(columnRecogniser, text)).toMatchObject({
      type: 'column',
      attribute: expect.stringContaining(attribute),
    });
  });

  it('read traits, and leave "funded by" to its investor', () => {
    expect(condition(traitRecogniser, 'series A funding')).toEqual({
      on: 'funding_stages',
      ids: ['series_a'],
    });
    expect(condition(traitRecogniser, 'B2B')).toEqual({ on: 'business_models', ids: ['b2b'] });
    expect(condition(ventureRecogniser, 'VC-backed')?.on).toBe('funding_stages');
    expect(found(ventureRecogniser, 'funded by Sequoia')).toBeNull();
  });

  it('read nouns for rows and quoted names', () => {
    expect(found(entityRecogniser, 'companies')).toEqual({ type: 'entity', entity: 'company' });
    expect(found(nameRecogniser, 'call it "Spring list"')).toEqual({
      type: 'table_name',
      name: 'Spring list',
    });
    expect(condition(nameRecogniser, '"Acme"')).toEqual({ on: 'names', names: ['Acme'] });
  });
});
