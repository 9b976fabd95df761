import { describe, expect, it } from '@jest/globals';
import { isTimeZone } from './time-zone.js';

describe('a time zone', () => {
  it.each(['UTC', 'gmt', 'Europe/Berlin', 'Japan', 'Singapore'])('may be %s', (text) => {
    expect(isTimeZone(text)).toBe(true);
  });

  // PostgreSQL reads CET without summer time, and BST as British.
  it.each(['CET', 'BST', '+01:00', 'Atlantis', ''])('may not be "%s"', (text) => {
    expect(isTimeZone(text)).toBe(false);
  });
});
