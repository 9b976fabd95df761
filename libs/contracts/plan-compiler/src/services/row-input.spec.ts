import { describe, expect, it } from '@jest/globals';
import { findService, type AnyService } from '@quarry/service-catalog';
import { rowInput } from './row-input.js';
import type { Subject } from './row-subject.js';
import type { ServiceCall } from './service-calls.js';

const serviceOf = (name: string): AnyService => {
  const service = findService(name);
  if (!service) throw new Error(`There is no ${name}.`);
  return service;
};
const call = (service: string, inputs?: ServiceCall['inputs']): ServiceCall => ({
  key: 'k',
  service: serviceOf(service),
  inputs,
  columns: [],
  needs: [],
});
const read = (of: ServiceCall, row: Record<string, unknown>, subject: Subject | null = null) =>
  rowInput(of, (key) => row[key] ?? null, subject);
const missing = (message: string) => ({ input: null, missing: { code: 'missing_input', message } });

describe('the input of a service for a row', () => {
  it("is what is known of the row's person, if the column names no inputs", () => {
    const ada = { first_name: 'Ada', last_name: 'Lovelace', domain: 'engines.example' };
    expect(read(call('getEmail'), {}, ada)).toEqual({ input: ada, missing: null });
    expect(read(call('getEmail'), {}, null)).toEqual(
      missing('The row does not identify a person or company.'),
    );
  });

  it('is missing if too little is known to search at all', () => {
    expect(read(call('getEmail'), {}, { first_name: 'Ada' })).toEqual({
      input: null,
      missing: { code: 'missing_input', message: expect.stringMatching(/\w/) },
    });
  });

  it('puts a text into a list where one is expected, and turns other values into text', () => {
    const of = call('findDomain', { company: 'employer' });
    for (const [value, company] of [
      [' Engines ', 'Engines'],
      [42, '42'],
      [['Engines', 'Mills'], 'Engines, Mills'],
      [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    ])
      expect(read(of, { employer: value })).toEqual({ input: { company }, missing: null });
  });

  it.each([
    ['nothing', null],
    ['no text', '  '],
    ['an empty list', []],
  ])('is missing, and the error names the column, for a row whose cell has %s', (_, employer) => {
    expect(read(call('findDomain', { company: 'employer' }), { employer })).toEqual(
      missing('The row has nothing in "employer".'),
    );
  });

  it('fills a template with cells, and is missing if one of them is empty', () => {
    const of = call('verifyEmail', { email: { value: '{{first}}.{{last}}@{{site}}' } });
    const row = { first: ' ada ', last: 'lovelace', site: 'engines.example' };
    expect(read(of, row)).toEqual({ input: { email: 'ada.lovelace@engines.example' }, missing: null });
    expect(read(of, { ...row, last: '' })).toEqual(missing('The row has nothing in "last".'));
    // The text of a cell is neither a replacement pattern nor a placeholder.
    expect(read(of, { ...row, first: "$&$1$'", last: '{{site}}' })).toMatchObject({
      input: { email: "$&$1$'.{{site}}@engines.example" },
    });
  });

  it('names the fault of a value that the service does not accept', () => {
    expect(read(call('verifyEmail', { email: 'mail' }), { mail: 'x'.repeat(5_000) })).toMatchObject({
      input: null,
      missing: { code: 'validation_error', message: expect.stringContaining('email') },
    });
  });

  it('names an input that would become far too long', () => {
    const of = call('classifyText', { text: { value: '{{a}}'.repeat(100) }, labels: { value: ['x', 'y'] } });
    expect(read(of, { a: 'x'.repeat(32_000) })).toEqual({
      input: null,
      missing: { code: 'validation_error', message: 'text is too long with the values of the row in it.' },
    });
  });

  it('is split into first and last name if one column is named for both', () => {
    const of = call('getEmail', { first_name: 'who', last_name: 'who', domain: 'site' });
    const row = { who: ' Ada King  Lovelace ', site: 'engines.example' };
    const input = { first_name: 'Ada', last_name: 'Lovelace', domain: 'engines.example' };
    expect(read(of, row)).toEqual({ input, missing: null });
    expect(read(of, { ...row, who: 'Ada' }).input).toBeNull();
  });

  it('leaves out optional values that the row lacks, unless nothing else of the row is read', () => {
    const of = call('webSearch', { query: { value: 'engines' }, domains: 'site' });
    const both = call('webSearch', { query: 'topic', domains: 'site' });
    expect(read(both, { topic: 'engines' })).toEqual({ input: { query: 'engines' }, missing: null });
    expect(read(both, { site: 'a.example' })).toEqual(missing('The row has nothing in "topic".'));
    expect(read(of, {})).toEqual(missing('The row has nothing in "site".'));
  });
});
