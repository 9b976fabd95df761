import { describe, expect, it } from '@jest/globals';
import { withDeadline } from './with-deadline.js';

const never = new Promise<never>(() => undefined);

describe('work with a deadline', () => {
  it('returns what finished in time, and throws what the work throws', async () => {
    await expect(withDeadline(Promise.resolve(1), { ms: 60_000 })).resolves.toBe(1);
    await expect(withDeadline(Promise.resolve(2), {})).resolves.toBe(2);
    await expect(withDeadline(Promise.reject(new Error('no')), { ms: 60_000 })).rejects.toThrow('no');
  });

  it('ends with its own error after its time', async () => {
    await expect(withDeadline(never, { ms: 1, late: () => new Error('too late') })).rejects.toThrow(
      'too late',
    );
  });

  it('ends with the reason of the signal, even if it has already fired', async () => {
    const abort = new AbortController();
    const waiting = withDeadline(never, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(withDeadline(never, { ms: 60_000, signal: abort.signal })).rejects.toThrow('enough');
  });

  it('leaves no unhandled rejection', async () => {
    const abort = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    await expect(withDeadline(promise, { ms: 1, late: () => new Error('late') })).rejects.toThrow('late');
    reject(new Error('nobody hears this'));
    await expect(withDeadline(Promise.resolve(1), { signal: abort.signal })).resolves.toBe(1);
    abort.abort(new Error('nor this'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
