import { describe, expect, it } from '@jest/globals';
import { readEntries } from './read-entries';

describe('a pasted exclusion list', () => {
  it('has a domain or profile in each line, whatever is next to it', () => {
    const text =
      'Acme,https://www.acme.example/about,Berlin\nglobex.example\n"Initech";linkedin.com/company/initech';
    expect(readEntries(text, 'companies')).toEqual({
      items: [
        { domain: 'www.acme.example' },
        { domain: 'globex.example' },
        { linkedin_url: 'https://www.linkedin.com/company/initech' },
      ],
      unread: 0,
    });
  });

  it('counts lines without an entry, such as a heading', () => {
    expect(readEntries('Company\nacme.example\n\n', 'companies')).toEqual({
      items: [{ domain: 'acme.example' }],
      unread: 1,
    });
    expect(readEntries('acme.example', 'people')).toEqual({ items: [], unread: 1 });
  });
});
