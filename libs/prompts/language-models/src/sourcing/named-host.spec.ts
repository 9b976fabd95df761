import { describe, expect, it } from '@jest/globals';
import { bareHost, namesHost } from './named-host.js';

describe('a host in a text', () => {
  it.each<[string, boolean]>([
    ['firnlinie at firn.example in salzburg', true],
    ['see www.firn.example.', true],
    ['see https://www.firn.example/shop', true],
    ['(firn.example)', true],
    ['firn.example', true],
    ['thefirn.example, firn.example', true],
    ['the-firn.example', false],
    ['shop.firn.example', false],
    ['äfirn.example', false],
    ['𝒂firn.example', false],
    ['firn.example.evil', false],
    ['firn.examples', false],
    ['firn.example-shop', false],
    ['nothing', false],
  ])('is found as a whole name: %s', (text, isNamed) => {
    expect(namesHost(text, bareHost('www.Firn.example'))).toBe(isNamed);
  });
});
