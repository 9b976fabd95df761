import { describe, expect, it } from '@jest/globals';
import { allServices, findService } from './service-catalogue.js';
import { answerField, fieldFault, inputFields, valueAt } from './service-fields.js';

describe('fields of service answers and inputs', () => {
  it('include a default cell field for every service', () => {
    for (const service of allServices())
      expect([service.name, answerField(service, service.cellField)]).toEqual([
        service.name,
        { kind: expect.any(String) },
      ]);
  });

  it.each([
    ['verifyEmail', 'email', 'email'],
    ['findDomain', 'domain', 'domain'],
    ['enrichPerson', 'experiences', 'experiences'],
    ['enrichPerson', 'company_headcount', 'number'],
    ['webSearch', 'items', 'object'],
    ['webSearch', 'items.0.url', 'url'],
    ['webSearch', 'items.url', 'list'],
    ['extractData', 'data.ceo.name', 'object'],
    ['scrapeUrl', 'metadata.og:title', 'text'],
    ['getPhoneNumber', 'phones.0.line_type', 'text'],
    ['verifyEmail', 'mood', undefined],
    ['webSearch', 'items.mood', undefined],
    ['verifyEmail', 'email.0', undefined],
    ['verifyEmail', 'constructor', undefined],
  ])('%s %s is a column of kind %s', (service, path, kind) => {
    expect(answerField(findService(service)!, path)?.kind).toBe(kind);
  });

  it('lose the invisible characters that copying puts around a text', () => {
    const phone = '\u202a+49 30 901820\u202c';
    expect(findService('validatePhone')!.input.parse({ phone })).toEqual({ phone: '+49 30 901820' });
  });

  it('return values of an answer, and null for unknown paths', () => {
    const answer = {
      items: [{ url: 'a' }, { url: null }, { url: 'b' }],
      empty: [],
      text: '',
      deep: { no: false },
    };
    expect(
      [
        'items.url',
        'items.0.url',
        'items.9.url',
        'items.1.url',
        'empty',
        'text',
        'deep.no',
        'deep.toString',
      ].map((path) => valueAt(answer, path)),
    ).toEqual([['a', 'b'], 'a', null, null, null, null, false, null]);
  });

  it('state which inputs are required, and validate a single value', () => {
    expect(inputFields(findService('classifyText')!)).toEqual([
      { name: 'text', isRequired: true, type: 'string' },
      { name: 'labels', isRequired: true, type: 'array' },
    ]);
    const classify = findService('classifyText')!;
    expect([fieldFault(classify, 'labels', ['a', 'b']), fieldFault(classify, 'labels', ['a'])]).toEqual([
      null,
      expect.any(String),
    ]);
  });
});
