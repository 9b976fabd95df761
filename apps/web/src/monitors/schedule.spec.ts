import { describe, expect, it } from '@jest/globals';
import { cronOf, describeSchedule } from './schedule';

describe('the schedule of a monitor', () => {
  it('is a cron expression shown in words', () => {
    expect(cronOf('every Monday', 9)).toBe('0 9 * * 1');
    expect(describeSchedule('0 9 * * 1')).toBe('every Monday at 9:00');
    expect(describeSchedule('5 17 * * 1-5')).toBe('on weekdays at 17:05');
  });

  it('stays a cron expression if there are no words for it', () =>
    expect(['*/15 2 * * *', '0 9 3 * 2'].map(describeSchedule)).toEqual(['*/15 2 * * *', '0 9 3 * 2']));
});
