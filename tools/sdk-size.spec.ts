import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const PROGRAM = fileURLToPath(new URL('./sdk-size.mjs', import.meta.url));
const BYTES_MAX = 4_096;

it('the SDK has at most 4 KiB, minified and compressed with Brotli', () => {
  // In a separate process: the bundler is native, and does not accept objects of another realm.
  const bytes = Number(execFileSync(process.execPath, [PROGRAM], { encoding: 'utf8' }));
  expect(bytes).toBeGreaterThan(1_000);
  expect(bytes).toBeLessThanOrEqual(BYTES_MAX);
});
