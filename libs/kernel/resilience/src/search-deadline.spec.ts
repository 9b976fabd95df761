import { describe, expect, it, jest } from '@jest/globals';
import { SearchDeadline } from './search-deadline.js';

describe('the deadline of a search', () => {
  it('fires after its time, not counting the wait for a turn', () => {
    jest.useFakeTimers();
    const deadline = new SearchDeadline(100);
    jest.advanceTimersByTime(60);
    const goOn = deadline.hold();
    jest.advanceTimersByTime(10_000);
    goOn();
    jest.advanceTimersByTime(39);
    expect(deadline.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(deadline.signal.aborted).toBe(true);
    expect((deadline.signal.reason as Error).name).toBe('TimeoutError');
    jest.useRealTimers();
  });
});
