import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startProduct, type Product } from '@quarry/testing';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const PAGES = ['README.md', 'CONTRIBUTING.md', ...pagesBelow('docs')];
/** A script block that is run, and the answer shown below it. */
const RUN_BLOCK = /<!-- run -->\n\n```sh\n(?<script>[^]*?)```\n(?:\n```json\n(?<answer>[^]*?)```)?/g;
const PYTHON_BLOCK = /<!-- run -->\n\n```python\n(?<script>[^]*?)```/;
const hasPython = spawnSync('python3', ['--version']).status === 0;
const BLOCK_END = '── end of block ──';
const scripts = (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
).scripts;

function pagesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file));
}

function text(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** Pages in reading order: later pages use the variables of earlier ones. */
const PAGES_THAT_RUN = [
  'README.md',
  'docs/first-calls.md',
  'docs/events.md',
  'docs/monitors.md',
  'docs/into-a-crm.md',
  'docs/administration.md',
];

describe('code blocks of the README and first pages', () => {
  const blocks = PAGES_THAT_RUN.flatMap((page) => [...text(page).matchAll(RUN_BLOCK)]).map(
    ({ groups }) => groups!,
  );
  let product: Product;
  let outputs: string[];

  beforeAll(async () => {
    product = await startProduct();
    // One shell for all blocks, as for a reader: later blocks use the variables of earlier ones.
    const script = ['set -euo pipefail', ...blocks.map(({ script }) => `${script}\necho '${BLOCK_END}'`)];
    const { stdout } = await promisify(execFile)('bash', ['-c', script.join('\n')], {
      cwd: ROOT,
      env: { ...process.env, DATA_DIR: product.dataDir, DATABASE_URL: product.database?.url ?? '' },
      // It takes half a minute on an idle machine; the limit only ends a script that hangs.
      timeout: 500_000,
    });
    outputs = stdout.split(`${BLOCK_END}\n`);
  }, 600_000);
  afterAll(() => product?.dispose());

  it('exist', () => expect(blocks.length).toBeGreaterThanOrEqual(6));

  it.each(blocks.map(({ script, answer }, i) => [script!.trim().split('\n').at(-1)!, answer, i] as const))(
    'produce the printed output: %s',
    (_, answer, i) => {
      if (answer === undefined) return;
      const last = outputs[i]!.trim().split('\n').at(-1)!;
      expect(pathsOf(JSON.parse(last))).toEqual(expect.arrayContaining(pathsOf(JSON.parse(answer))));
    },
  );
});

(hasPython ? describe : describe.skip)('the script in Python', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product?.dispose());

  it('turns a prompt into rows with e-mail addresses', async () => {
    const { script } = PYTHON_BLOCK.exec(text('docs/python.md'))!.groups!;
    const env = { ...process.env, QUARRY_URL: product.baseUrl, QUARRY_API_KEY: product.credentials.api_key };
    const { stdout } = await promisify(execFile)('python3', ['-c', script!], { env });
    expect(JSON.parse(stdout)).toMatchObject({ seniority: 'Head', found: true, status: 'verified' });
  });
});

/** Returns the paths of all values in an answer; the values differ from run to run. */
function pathsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [path] : pathsOf(value[0], `${path}[]`);
  if (value === null || typeof value !== 'object') return [path];
  return [path, ...Object.entries(value).flatMap(([key, each]) => pathsOf(each, `${path}.${key}`))];
}

describe.each(PAGES)('%s', (page) => {
  it('names only commands that exist', () => {
    const named = [...text(page).matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('links only to files that exist', () => {
    const links = [...text(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link!);
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });
});
