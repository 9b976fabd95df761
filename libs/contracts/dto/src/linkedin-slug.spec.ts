import { describe, expect, it } from '@jest/globals';
import { linkedInAddress, linkedInProfilesIn, linkedInSlug } from './linkedin-slug.js';

describe('the slug of a LinkedIn URL', () => {
  it.each([
    ['https://www.linkedin.com/in/Ada-Zahl', 'ada-zahl'],
    ['https://www.linkedin.com/in/ada-zahl/de', 'ada-zahl'],
    ['https://de.linkedin.com/in/ada-zahl/en/', 'ada-zahl'],
    ['linkedin.com/in/ada-zahl/recent-activity/all?x=1#y', 'ada-zahl'],
    [' HTTP://Linkedin.com/in/%61da-zahl ', 'ada-zahl'],
    ['https://www.linkedin.com/in/m%C3%BCller', 'm\u00fcller'],
    ['https://www.linkedin.com/in/m%c3%9cller', 'm\u00fcller'],
    ['https://www.linkedin.com/in/Mu\u0308ller', 'm\u00fcller'],
    ['https://www.linkedin.com/in/mu%CC%88ller', 'm\u00fcller'],
    ['\u202ahttps://www.linkedin.com/in/ada-zahl\u200b\u202c', 'ada-zahl'],
    ['https://www.linkedin.com/in/ada-zahl%E2%80%8B?x=1', 'ada-zahl'],
    ['https://www.linkedin.com/in/ada\u200b-za\u00adhl', 'ada-zahl'],
    ['https://www.linkedin.com/in/ada%E2%80%8B-zahl', 'ada-zahl'],
    ['https://m.linkedin.com/in/ada-zahl', 'ada-zahl'],
    ['https://www.linkedin.com/mwlite/in/ada-zahl', 'ada-zahl'],
    ['https://mwlite.linkedin.com/mwlite/in/ada-zahl', 'ada-zahl'],
    ['https://www.linkedin.com/in/%E5%BC%A0-123', '张-123'],
  ])('of a person is the segment after /in/, normalised: %s', (text, slug) => {
    expect(linkedInSlug('people', text)).toBe(slug);
    expect(linkedInSlug('people', linkedInAddress('people', slug))).toBe(slug);
  });

  it('of a company is the segment after /company/, and never confused with one of a person', () => {
    expect(linkedInSlug('companies', 'https://www.linkedin.com/company/Acme/about/')).toBe('acme');
    expect(linkedInSlug('companies', 'linkedin.com/showcase/acme-labs/posts')).toBe('acme-labs');
    expect(linkedInSlug('companies', 'https://www.linkedin.com/in/acme')).toBeNull();
    expect(linkedInSlug('people', 'https://www.linkedin.com/company/ada')).toBeNull();
  });

  it.each([
    'ada-zahl',
    'https://example.com/in/ada-zahl',
    'https://www.linkedin.com/in/',
    'https://www.linkedin.com/in/%FCller',
    'https://www.linkedin.com/in/a%2Fb',
    'https://www.linkedin.com/in/a%00',
    'https://www.linkedin.com/constructor/ada',
    'https://evil.example/?u=linkedin.com/in/ada',
  ])('is not read from %s', (text) => {
    expect(linkedInSlug('people', text)).toBeNull();
  });

  it.each([
    ['See linkedin.com/in/ada-zahl.', 'ada-zahl'],
    ['(https://www.linkedin.com/in/Ada-Zahl/en), and more', 'ada-zahl'],
    ['[x](https://linkedin.com/in/ada-zahl)', 'ada-zahl'],
    ["linkedin.com/in/pat-o'brien, Oslo", "pat-o'brien"],
    ['linkedin.com/in/ada-zahl\u200b', 'ada-zahl'],
    ['linkedin.com/mwlite/in/ada\u200b-zahl', 'ada-zahl'],
    ['linkedin.com/in/pat-o%27brien', "pat-o'brien"],
  ])('is found in a text: %s', (text, slug) => {
    expect(linkedInProfilesIn(text)).toContain(slug);
  });
});
