import { describe, expect, it } from '@jest/globals';
import { changedElsewhere, changesOf } from './changes';

const BASE = { name: 'Ada', limit: 50, types: ['a'] };

describe('the body of a change', () => {
  it('has the fields that the form has changed, with their last known values', () => {
    const known = { ...BASE, name: 'Cy', limit: 60 };
    expect(changesOf({ ...BASE, name: 'Bob' }, BASE, known)).toEqual({
      name: 'Bob',
      expected: { name: 'Cy' },
    });
    expect(changesOf(BASE, BASE, known)).toEqual({ expected: {} });
  });
});

describe('a change that was saved elsewhere', () => {
  it('is named by the labels of its fields, with their new values', () => {
    const labels = { name: 'Sender name', types: 'Events' };
    expect(changedElsewhere(BASE, { ...BASE, limit: 60 }, labels)).toBeNull();
    expect(changedElsewhere(BASE, { ...BASE, name: 'Cy', types: [] }, labels)).toContain(
      ': Sender name (now “Cy”), Events.',
    );
  });
});
