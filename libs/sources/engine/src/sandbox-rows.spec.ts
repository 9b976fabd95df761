import { describe, expect, it } from '@jest/globals';
import type { ColumnJson, ColumnKind } from '@quarry/dto';
import { isFromSandbox } from './sandbox-rows.js';

const isRowFromSandbox = (kind: ColumnKind, value: unknown): boolean => {
  const columns: ColumnJson[] = [{ key: 'a', name: 'A', kind, qualification: {} }];
  return isFromSandbox(columns, { values: { a: value }, cells: {} });
};

describe('a row of the sandbox', () => {
  it.each<[ColumnKind, string]>([
    ['email', 'ann@halbrook.example'],
    ['text', 'ann@halbrook.example'],
    ['domain', 'halbrook.test'],
    ['url', 'https://www.halbrook.example/about'],
    ['text', 'https://www.linkedin.com/in/sandbox-ann-lee'],
  ])('is known by its %s %s', (kind, value) => {
    expect(isRowFromSandbox(kind, value)).toBe(true);
  });

  it.each<[ColumnKind, unknown]>([
    ['email', 'ann@halbrook.com'],
    ['text', 'Write to ann@halbrook.example'],
    ['text', null],
    ['list', ['halbrook.example']],
  ])('is not meant by the %s %j', (kind, value) => {
    expect(isRowFromSandbox(kind, value)).toBe(false);
  });
});
