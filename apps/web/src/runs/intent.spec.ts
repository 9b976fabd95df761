import { describe, expect, it } from '@jest/globals';
import type { Plan } from '../api/resources';
import {
  filterChips,
  orderReading,
  withoutColumn,
  withoutFilter,
  withoutOrder,
  withoutRemoved,
} from './intent';

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

describe('a plan made again with other words', () => {
  it('omits a column that was removed from the previous plan', () => {
    expect(withoutRemoved(NEXT, READ, withoutColumn(READ, 1))).toEqual({
      ...NEXT,
      columns: [column('getEmail')],
    });
  });

  it('omits a removed filter, and keeps the one whose words were changed', () => {
    expect(withoutRemoved(NEXT, READ, withoutFilter(READ, { part: 'filters', index: 0 }))).toEqual({
      ...NEXT,
      filters: [filter('headcount', 'more than 500 employees')],
    });
  });

  it('omits a removed sort order', () => {
    const ordered = (intent: Plan['intent']) => ({ ...intent, order: { by: 'headcount' } });
    expect(withoutRemoved(ordered(NEXT), ordered(READ), withoutOrder(READ))).toEqual(withoutOrder(NEXT));
  });

  it('is complete if nothing was removed', () => {
    expect(withoutRemoved(NEXT, READ, READ)).toEqual(NEXT);
  });
});

describe('the conditions of a plan', () => {
  const plan = {
    intent: {
      filters: [filter('industries', 'fintech')],
      exclusions: [
        [filter('industries', 'fintech')],
        [filter('places', 'Berlin'), filter('headcount', 'small')],
      ],
      per_company: { value: 2, fragments: ['two each'] },
      criteria: [{ effect: 'prefer', fragments: ['Rome'] }],
    },
    understood: [
      { fragment: 'fintech', reading: 'industry: Fintech' },
      { fragment: 'fintech', reading: 'not industry: Fintech' },
      { fragment: 'two each', reading: 'at most 2 people of each company' },
      { fragment: 'Rome', reading: 'prefer place: Rome' },
    ],
  } as unknown as Plan;

  it('include exclusions and criteria', () => {
    expect(filterChips(plan).map(({ reading }) => reading)).toEqual([
      'Industry: Fintech',
      'Not industry: Fintech',
      'Not places: Berlin and headcount: small',
      'At most 2 people of each company',
      'Prefer place: Rome',
    ]);
  });

  it('can be removed one by one, and stay removed in a plan made again', () => {
    const none = filterChips(plan).toReversed().reduce(withoutFilter, plan.intent);
    expect(none).toEqual({ filters: [], exclusions: [], per_company: null, criteria: [] });
    expect(withoutRemoved(plan.intent, plan.intent, none)).toEqual(none);
  });
});

describe('the sort order of a plan', () => {
  const plan = {
    intent: { order: { by: 'headcount', direction: 'descending', fragments: ['sorted by headcount'] } },
    understood: [{ fragment: 'sorted by headcount', reading: 'sorted by headcount, descending' }],
  } as unknown as Plan;

  it('is shown as it was understood', () => {
    expect(orderReading(plan)).toBe('Sorted by headcount, descending');
  });

  it('is empty if it was removed, or never requested', () => {
    expect(orderReading({ ...plan, intent: withoutOrder(plan.intent) })).toBeNull();
    expect(orderReading({ ...plan, intent: {} })).toBeNull();
  });
});
