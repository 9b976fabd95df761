import { describe, expect, it } from '@jest/globals';
import { mailAddress, mailDomain } from './mail-address.js';

describe('a mail address', () => {
  it.each([
    [' Ann.Lee+x@Example.COM ', 'ann.lee+x@example.com'],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['\u202aann@example.com\u200b', 'ann@example.com'],
    ['reply+anna@sandbox.test', 'reply+anna@sandbox.test'],
    ['ann@example', null],
    ['ann@@example.com', null],
    ['a@b@example.com', null],
    ['ann@example.com\r\nBcc: x@example.com', null],
    ['Ann <ann@example.com>', null],
    ['ann@127.0.0.1', null],
    ['ann@[127.0.0.1]', null],
    ['ann lee@example.com', null],
    ['.ann@example.com', null],
    ['änn@example.com', null],
    [`${'a'.repeat(65)}@example.com`, null],
    [7, null],
    [null, null],
  ])('%p is read as %p', (given, expected) => {
    expect(mailAddress(given)).toBe(expected);
  });
});

describe('a domain', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['mail.bücher.example', 'mail.xn--bcher-kva.example'],
    ['https://example.com', null],
    ['ann@example.com', null],
    ['example', null],
    ['*.example.com', null],
    ['10.0.0.1', null],
    ['', null],
  ])('%p is read as %p', (given, expected) => {
    expect(mailDomain(given)).toBe(expected);
  });
});
