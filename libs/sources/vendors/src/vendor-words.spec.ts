import { describe, expect, it } from '@jest/globals';
import { brave } from './brave.vendor.js';
import { industryNames } from './search-industries.js';
import { phonesOf } from '@quarry/extraction';
import { timeOf } from './vendor-words.js';

describe('values from vendors', () => {
  it.each([
    ['2026-02-03', '2026-02-03T00:00:00.000Z'],
    ['2026-02-03T04:05:06', '2026-02-03T04:05:06.000Z'],
    ['2026-02-03T04:05:06+02:00', '2026-02-03T02:05:06.000Z'],
    ['Feb 3, 2026', '2026-02-03T00:00:00.000Z'],
    ['2 days ago', null],
    ['yesterday', null],
    ['in 2026 or so', null],
    [null, null],
    ['', null],
  ])('%p as a time is %p', (text, time) => expect(timeOf(text)).toBe(time));

  it('for industries match the filter names, including those of imported directories', () => {
    expect(industryNames(['own:Tidal Energy'])).toEqual(['tidal energy']);
    expect(industryNames(['fintech'])).toContain('financial technology');
  });

  it('for phone numbers are normalised; invalid numbers are left out', () => {
    const found = phonesOf(
      [
        { number: '0113 496 0018', country: 'GB' },
        { number: '+44 113 496 0018' },
        { number: 'call me' },
        { number: '113 496' },
        { number: '+1 800 555 0199', isMobile: true },
      ],
      'spec',
    );
    expect(found?.phones.map(({ number, country, line_type: type }) => [number, country, type])).toEqual([
      ['+441134960018', 'GB', 'landline'],
      ['+18005550199', expect.stringMatching(/^(US|ZZ)$/), 'mobile'],
    ]);
    expect(found?.phone_number).toBe('+441134960018');
    expect(phonesOf([{ number: 'nobody' }], 'spec')).toBeNull();
  });

  it.each([
    ['0, 12000', '1, 1419704', 1_000],
    ['0, 0', '1, 1419704', 1_419_704_000],
    [null, null, undefined],
  ])('for rate limits "%s" and resets "%s" mean a pause of %p ms', (left, reset, ms) => {
    const headers: Record<string, string | null> = {
      'x-ratelimit-remaining': left,
      'x-ratelimit-reset': reset,
    };
    expect(brave.pauseMs!((name) => headers[name] ?? null)).toBe(ms);
  });
});
