import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startProduct, type Product } from '@quarry/testing';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
let product: Product;

beforeAll(async () => {
  product = await startProduct({ env: { LOG_LEVEL: 'error' } });
});
afterAll(() => product.dispose());

/** Returns the code block of a page that is marked to be run. */
function codeOf(path: string): string {
  const [, code] = /<!-- run -->\s+```ts\n([\s\S]*?)```/.exec(readFileSync(`${root}${path}`, 'utf8'))!;
  return code!;
}

describe('the SDK', () => {
  it('does what its README says', async () => {
    const env = {
      PATH: process.env.PATH,
      QUARRY_URL: product.baseUrl,
      QUARRY_API_KEY: product.credentials.api_key,
    };
    const options = { cwd: root, env, timeout: 120_000 };
    const code = codeOf('libs/contracts/sdk/README.md');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', code],
      options,
    );
    const lines = stdout.trim().split('\n');
    expect(lines).toContainEqual(expect.stringMatching(/^completed .*fictional/));
    expect(lines).toContain('Norton laura.norton@dunera.example');
    expect(lines.slice(-2)).toEqual(['dunera.example 0.5', '400 invalid_request prompt']);
    // Five companies are printed between the end of the run and the batch.
    const [first, last] = [
      lines.findIndex((line) => line.startsWith('completed')),
      lines.indexOf('Norton laura.norton@dunera.example'),
    ];
    expect(last - first - 1).toBe(5);
    expect(lines).not.toContain('undefined');
  });
});
