import { describe, expect, it } from '@jest/globals';
import type { Plan } from '../api/resources';
import { orderReading, withoutColumn, withoutFilter, withoutOrder, withoutRemoved } from './intent';

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

  it('has no order where that was taken out', () => {
    const ordered = (intent: Plan['intent']) => ({ ...intent, order: { by: 'headcount' } });
    expect(withoutRemoved(ordered(NEXT), ordered(READ), withoutOrder(READ))).toEqual(withoutOrder(NEXT));
  });

  it('is whole where nothing was taken out', () => {
    expect(withoutRemoved(NEXT, READ, READ)).toEqual(NEXT);
  });
});

describe('the order of a plan', () => {
  const plan = {
    intent: { order: { by: 'headcount', direction: 'descending', fragments: ['sorted by headcount'] } },
    understood: [{ fragment: 'sorted by headcount', reading: 'sorted by headcount, descending' }],
  } as unknown as Plan;

  it('is said as it was read', () => {
    expect(orderReading(plan)).toBe('Sorted by headcount, descending');
  });

  it('is none where it was taken out, or was never asked for', () => {
    expect(orderReading({ ...plan, intent: withoutOrder(plan.intent) })).toBeNull();
    expect(orderReading({ ...plan, intent: {} })).toBeNull();
  });
});
