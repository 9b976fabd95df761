import { describe, expect, it } from '@jest/globals';
import { placeAfterKey, placeWithin } from './grid-places';

const SIZE = { rowCount: 100, columnCount: 8, pageRows: 20 };
const FROM = { row: 10, column: 3 };

describe('a key pressed in the grid', () => {
  it.each([
    ['ArrowUp', { row: 9, column: 3 }, { row: 0, column: 3 }],
    ['ArrowDown', { row: 11, column: 3 }, { row: 99, column: 3 }],
    ['ArrowLeft', { row: 10, column: 2 }, { row: 10, column: 0 }],
    ['ArrowRight', { row: 10, column: 4 }, { row: 10, column: 7 }],
    ['Home', { row: 10, column: 0 }, { row: 0, column: 0 }],
    ['End', { row: 10, column: 7 }, { row: 99, column: 7 }],
    ['PageUp', { row: 0, column: 3 }, { row: 0, column: 3 }],
    ['PageDown', { row: 30, column: 3 }, { row: 30, column: 3 }],
  ])('%s moves to the next cell, and with Ctrl as far as possible', (key, next, far) => {
    const after = (isJump: boolean) => placeWithin(placeAfterKey(key, isJump, FROM, SIZE)!, SIZE);
    expect([after(false), after(true)]).toEqual([next, far]);
  });

  it('without a move has no effect', () => expect(placeAfterKey('x', false, FROM, SIZE)).toBeNull());
});
