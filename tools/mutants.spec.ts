import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

interface Guard {
  name: string;
  edits: Array<{ file: string; text: string }>;
  behind: Array<{ file: string; text: string }>;
}

describe('what a guard takes away', () => {
  it('stands once in its file', async () => {
    const { MUTANTS } = (await import(pathToFileURL(join(ROOT, 'tools/mutants.mjs')).href)) as {
      MUTANTS: Guard[];
    };
    const counted = MUTANTS.flatMap(({ name, edits, behind }) =>
      [...edits, ...behind].map(({ file, text }) => ({
        name,
        file,
        times: readFileSync(join(ROOT, file), 'utf8').split(text).length - 1,
      })),
    );
    expect(counted.length).toBeGreaterThan(150);
    expect(counted.filter(({ times }) => times !== 1)).toEqual([]);
  });
});
