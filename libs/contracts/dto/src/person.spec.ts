import { describe, expect, it } from '@jest/globals';
import { Person, type PersonNamed } from './person.js';

const isIn = (named: PersonNamed, ...values: unknown[]): boolean => Person.of(named).isIn(...values);

describe('a person', () => {
  it.each([
    ['ann@acme.example', true],
    ['write to ANN@Acme.example.', true],
    ['a\nann@acme.example', true],
    [{ a: [{ mail: '<ann@acme.example>' }] }, true],
    [JSON.stringify({ json: JSON.stringify({ text: 'a\nann@acme.example' }) }), true],
    ['joann@acme.example', false],
    ['ann@acme.example.org', false],
    ['ann@acme.examples', false],
  ])('is found by mail address in %j: %j', (value, expected) => {
    expect(isIn({ email: 'Ann@acme.example' }, value)).toBe(expected);
  });

  it.each(['ann@bücher.example', 'Ann@xn--bcher-kva.example'])(
    'is found by a mail address at an international domain: %s',
    (email) => {
      const { patterns, sought } = Person.of({ email });
      expect([sought, [...patterns].sort()]).toEqual([
        'any',
        ['%ann@bucher.example%', '%ann@xn--bcher-kva.example%'],
      ]);
      for (const text of ['ANN@Bücher.example', 'ann@xn--bcher-kva.example'])
        expect(isIn({ email }, text)).toBe(true);
      expect(isIn({ email }, 'joann@bücher.example')).toBe(false);
    },
  );

  it.each([
    ['https://www.linkedin.com/in/ann-example', true],
    ['de.linkedin.com/in/ANN-example/?x=1', true],
    ['see (https://linkedin.com/in/%61nn-example)', true],
    ['https://linkedin.com/in/ann-example/de', true],
    ['See linkedin.com/in/ann-example.', true],
    ['https://www.linkedin.com/in/ann-example-2', false],
    ['https://www.linkedin.com/company/ann-example', false],
  ])('is found by LinkedIn URL in %j: %j', (value, expected) => {
    expect(isIn({ linkedin_url: 'https://uk.linkedin.com/in/Ann-Example/' }, value)).toBe(expected);
  });

  it.each([
    [{ name: 'Ann Müller', company: 'Acme, Inc.' }, true],
    [{ first_name: 'ann', last_name: 'MULLER', company_name: 'Acme Inc' }, true],
    [['Müller, Ann', 'works at Acme Inc. since May'], true],
    [{ name: 'Ann Müller', company: 'Other' }, false],
    [{ name: 'Joann Müller', company: 'Acme Inc' }, false],
    [{ note: 'ann met someone else called muller of Acme Inc' }, false],
  ])('is found by name and company in %j: %j', (value, expected) => {
    expect(isIn({ name: 'Ann Muller', company: 'ACME Inc' }, value)).toBe(expected);
  });

  it.each(['Anna Maria Müller', 'Müller Anna Maria', 'Müller, Anna Maria'])(
    'is found by a name in either order: %s',
    (name) => {
      expect(isIn({ name, company: 'Acme' }, { name: 'Anna Maria Müller', company: 'Acme' })).toBe(true);
      expect(isIn({ name, company: 'Acme' }, { name: 'Muller, Anna Maria', company: 'Acme' })).toBe(true);
      expect(isIn({ name, company: 'Acme' }, { name: 'Maria Anna Müller', company: 'Acme' })).toBe(false);
    },
  );

  it.each([
    [{}, '', 'Give an email'],
    [{ email: 'a@b.example', name: 'Ann Example', company: 'Acme' }, '', 'Give an email'],
    [{ email: 'nobody' }, 'email', 'email is not'],
    [{ linkedin_url: 'https://www.linkedin.com/company/acme' }, 'linkedin_url', 'linkedin_url is not'],
    [{ name: 'Ann', company: 'Acme' }, '', 'Give a first and a last name'],
    [{ name: 'Ann Example' }, '', 'Give a first and a last name'],
  ])('must be identified in one of the allowed ways: %j', (named, path, sentence) => {
    const message: unknown = expect.stringContaining(sentence);
    expect(() => Person.of(named)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: [{ path, message }] }),
    );
  });

  it('is removed from a value together with the fields next to it', () => {
    const person = Person.of({ email: 'ann@acme.example' });
    const value = {
      rows: [{ name: 'Ann', email: 'ann@acme.example', n: 1 }, { name: 'Bob' }],
      title: 'People',
    };
    expect(person.redacted(value, null)).toEqual({
      rows: [{ name: null, email: null, n: 1 }, { name: 'Bob' }],
      title: 'People',
    });
  });
});
