import { describe, expect, it } from '@jest/globals';
import { contactKey, contactTooThin, type ContactInput } from './contact.js';

const ada: ContactInput = { first_name: 'Ada', last_name: 'Lovelace', domain: 'analytical.example' };

describe('the key of a person', () => {
  it.each<[string, ContactInput]>([
    ['case and spaces', { first_name: ' ADA ', last_name: 'lovelace', domain: 'Analytical.Example' }],
    ['a subdomain', { ...ada, domain: 'www.analytical.example' }],
    ['a URL', { ...ada, domain: 'https://analytical.example/about' }],
    ['the Deep agent', { ...ada, deep: true }],
    ['a company name next to the domain', { ...ada, company: 'Whatever' }],
  ])('does not change with %s', (_what, input) => {
    expect(contactKey(input)).toBe(contactKey(ada));
  });

  it('is the LinkedIn profile if there is one, however its URL is written', () => {
    const profile = contactKey({ linkedin_url: 'https://www.linkedin.com/in/Ada-Lovelace/?trk=x' });
    expect(profile).toBe(contactKey({ ...ada, linkedin_url: 'linkedin.com/in/ada-lovelace' }));
    expect(profile).toBe(contactKey({ linkedin_url: 'https://fr.linkedin.com/in/ada-lovelace/fr' }));
    const composed = contactKey({ linkedin_url: 'linkedin.com/in/m\u00fcller' });
    expect(contactKey({ linkedin_url: 'linkedin.com/in/mu\u0308ller' })).toBe(composed);
  });

  it('distinguishes the control domains of the sandbox, each being its own company', () => {
    const keys = ['miss', 'slow-1s', 'flaky'].map((control) =>
      contactKey({ ...ada, domain: `${control}.sandbox.test` }),
    );
    expect(new Set(keys).size).toBe(3);
  });

  it('distinguishes people of different names or companies', () => {
    const others = [
      { ...ada, first_name: 'Eva' },
      { ...ada, domain: 'other.example' },
      { ...ada, domain: undefined, company: 'Analytical' },
    ];
    expect(new Set([ada, ...others].map(contactKey)).size).toBe(4);
  });
});

describe('a contact', () => {
  it.each<[ContactInput, boolean]>([
    [ada, false],
    [{ linkedin_url: 'https://www.linkedin.com/in/ada' }, false],
    [{ first_name: 'Ada', last_name: 'Lovelace', company: 'Analytical' }, false],
    [{ first_name: 'Ada', domain: 'analytical.example' }, true],
    [{ first_name: 'Ada', last_name: 'Lovelace' }, true],
    [{ linkedin_url: 'https://example.com/ada' }, true],
    [{ first_name: ' ', last_name: 'Lovelace', company: 'Analytical' }, true],
    [{}, true],
  ])('%j is too incomplete to search: %p', (input, isThin) => {
    expect(contactTooThin(input) !== null).toBe(isThin);
  });

  it('that is too incomplete is refused with the missing fields', () => {
    expect(contactTooThin({ first_name: 'Ada', domain: 'analytical.example' })).toBe(
      'The input is not enough to search with. Missing: last_name; a linkedin_url alone is enough.',
    );
    expect(contactTooThin({ linkedin_url: 'https://example.com/ada' })).toBe(
      'The input is not enough to search with. Missing: first_name, last_name, company or domain; linkedin_url is not the profile of a person.',
    );
  });
});
