import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const BENCH = join(import.meta.dirname, '../bench');

describe('the benchmarks', () => {
  const benchmarks = readdirSync(BENCH).filter((file) => file.endsWith('.bench.mjs'));

  // Benchmarks run only by hand, so a renamed file would be noticed late.
  it.each(benchmarks)('%s names existing scripts, and is listed in README.md', (file) => {
    const text = readFileSync(join(BENCH, file), 'utf8');
    const scripts = [...text.matchAll(/'((?:product|baselines)\/[\w-]+\.mjs)'/g)].map(([, path]) => path!);
    expect(scripts.filter((path) => !existsSync(join(BENCH, path)))).toEqual([]);
    const name = `\`${file.replace('.bench.mjs', '')}\``;
    expect(readFileSync(join(BENCH, 'README.md'), 'utf8')).toContain(name);
  });
});
