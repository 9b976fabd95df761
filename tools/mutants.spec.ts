import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..');

interface Guard {
  name: string;
  file: string;
  function: string;
  replace: { from: string | RegExp; to: string };
  spec: string;
}
const { MUTANTS } = (await import('./mutants.mjs' as string)) as { MUTANTS: Guard[] };
const { without } = (await import('./mutants/guards.mjs' as string)) as {
  without(guard: Partial<Guard>, text: string): string;
};

describe('a mutant', () => {
  it('matches its declaration exactly once, and names an existing spec', () => {
    for (const guard of MUTANTS) {
      const text = readFileSync(join(ROOT, guard.file), 'utf8');
      expect(without(guard, text)).not.toBe(text);
      expect(existsSync(join(ROOT, guard.spec)) ? '' : guard.spec).toBe('');
    }
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
    expect(MUTANTS.length).toBeGreaterThan(140);
  });

  it.each([
    ['Store.read', 'class Store { read() { return 2; } list() { return 1; } } const read = 1;'],
    ['Store.list', 'class Store { read() { return 1; } list() { return 2; } } const read = 1;'],
    ['read', 'class Store { read() { return 1; } list() { return 1; } } const read = 2;'],
  ])('removes the guard from %s only', (declaration, expected) => {
    const text = 'class Store { read() { return 1; } list() { return 1; } } const read = 1;';
    const guard = { file: 'a.ts', function: declaration, replace: { from: '1', to: '2' } };
    expect(without(guard, text)).toBe(expected);
  });

  it.each([
    ['the declaration is missing', 'Store.write', '1', 'There is not one Store.write'],
    ['its text is there twice', 'Store.read', '1', 'this 2 times'],
    ['its text is elsewhere', 'Store.read', '3', 'this 0 times'],
  ])('is refused if %s', (_what, declaration, from, message) => {
    const guard = { file: 'a.ts', function: declaration, replace: { from, to: '' } };
    expect(() => without(guard, 'class Store { read() { return 1 + 1; } } const three = 3;')).toThrow(
      message,
    );
  });
});
