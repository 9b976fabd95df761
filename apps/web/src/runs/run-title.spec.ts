import { describe, expect, it } from '@jest/globals';
import { runTitle } from './run-title';

const TABLES = [{ name: 'Fintechs' }, { name: 'People' }];

describe('the title of a run', () => {
  it('is its prompt', () => {
    expect(runTitle('20 fintechs', TABLES)).toBe('20 fintechs');
  });

  it('names its tables when the prompt is not kept any more, and is never empty', () => {
    expect(runTitle('', TABLES)).toBe('Fintechs, People');
    expect(runTitle(undefined, TABLES)).toBe('Fintechs, People');
    expect(runTitle('', [])).toBe('Run');
  });
});
