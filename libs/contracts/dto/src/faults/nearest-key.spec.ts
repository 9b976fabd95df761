import { describe, expect, it } from '@jest/globals';
import { nearestKey } from './nearest-key.js';

const KNOWN = ['roles', 'company', 'domain', 'limit', 'prompt', 'first_name', 'workspace_id', 'cities'];

describe('the declared field suggested for an unknown one', () => {
  it.each([
    ['titles', 'roles'],
    ['job_title', 'roles'],
    ['company_name', 'company'],
    ['promt', 'prompt'],
    ['firstName', 'first_name'],
    ['first-name', 'first_name'],
    ['workspaceid', 'workspace_id'],
    ['domains', 'domain'],
    ['city', 'cities'],
    ['locations', 'cities'],
    ['x', null],
    ['hasOwnProperty', null],
    ['__proto__', null],
    ['colour', null],
  ])('%s: %s', (key, expected) => {
    expect(nearestKey(key, KNOWN)).toBe(expected);
  });
});
