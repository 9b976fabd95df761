import { describe, expect, it } from '@jest/globals';
import { withoutColumn, withoutFilter, withoutRemoved } from './intent';

const filter = (name: string, ...fragments: string[]) => ({ filter: name, fragments });
const column = (service: string) => ({ source: { from: 'service', service } });
const READ = {
  entity: 'person',
  filters: [filter('industries', 'fintech'), filter('headcount', 'more than 50 employees')],
  columns: [column('getEmail'), column('getPhoneNumber')],
};
const NEXT = {
  ...READ,
  filters: [filter('industries', 'fintech'), filter('headcount', 'more than 500 employees')],
};

describe('a plan that is read again with other words', () => {
  it('has no column that was taken out of the plan before', () => {
    expect(withoutRemoved(NEXT, READ, withoutColumn(READ, 1))).toEqual({
      ...NEXT,
      columns: [column('getEmail')],
    });
  });

  it('has no filter that was taken out of the plan before, and the one whose words were changed', () => {
    expect(withoutRemoved(NEXT, READ, withoutFilter(READ, 0))).toEqual({
      ...NEXT,
      filters: [filter('headcount', 'more than 500 employees')],
    });
  });

  it('is whole where nothing was taken out', () => {
    expect(withoutRemoved(NEXT, READ, READ)).toEqual(NEXT);
  });
});
