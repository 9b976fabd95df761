import { describe, expect, it } from '@jest/globals';
import { FileProgress } from './file-progress.js';

function shown(isTTY: boolean, parts: number[]): string {
  let text = '';
  const out = { isTTY, write: (piece: string | Uint8Array) => Boolean((text += String(piece))) };
  const progress = new FileProgress(out);
  parts.forEach((part) => progress.reportProgress('writing', part));
  return text;
}

describe('the progress of a file', () => {
  it('is shown as a bar in one line on a terminal, ended by a line break', () => {
    expect(shown(true, [0.5, 0.5, 1])).toBe(
      `\rwriting [${'#'.repeat(15)}${'.'.repeat(15)}] 50 %\rwriting [${'#'.repeat(30)}] 100 %\n`,
    );
  });

  it('is shown as a few plain lines elsewhere', () => {
    const parts = Array.from({ length: 101 }, (_, i) => i / 100);
    expect(shown(false, parts).split('\n')).toEqual([
      'writing 0 %',
      'writing 25 %',
      'writing 50 %',
      'writing 75 %',
      'writing 100 %',
      '',
    ]);
  });
});
