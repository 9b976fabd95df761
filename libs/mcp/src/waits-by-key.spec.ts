import { describe, expect, it } from '@jest/globals';
import { WaitsByKey } from './waits-by-key.js';

describe('calls that wait', () => {
  it('are twenty of one key at once, and others wait beside them', () => {
    const waits = new WaitsByKey();
    const leaves = Array.from({ length: 20 }, () => waits.enter('key_1')!);
    expect(waits.enter('key_1')).toBeNull();
    expect(waits.enter('key_2')).not.toBeNull();
    leaves[0]!();
    expect(waits.enter('key_1')).not.toBeNull();
    expect(waits.enter('key_1')).toBeNull();
  });
});
