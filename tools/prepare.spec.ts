import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TOOLS = ['prepare.mjs', 'project-folders.mjs', 'running-product.mjs'];
let root: string;
let product: ChildProcess | null;

/** Creates a checkout whose packages are out of date. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'quarry-prepare-'));
  for (const folder of ['tools', 'node_modules', 'libs', 'apps']) mkdirSync(join(root, folder));
  for (const tool of TOOLS) copyFileSync(join(import.meta.dirname, tool), join(root, 'tools', tool));
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'node_modules', 'in-use'), '');
  product = null;
});
afterEach(() => {
  product?.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

function writeTool(name: string, text: string): string {
  const file = join(root, 'tools', name);
  writeFileSync(file, text);
  return file;
}

describe('packages that have changed', () => {
  it('are not installed under a product that runs from the same checkout', async () => {
    const start = writeTool(
      'start.mjs',
      `import { recordProduct } from './running-product.mjs';
       recordProduct(${JSON.stringify(root)});
       console.log('runs');
       setInterval(() => undefined, 60_000);`,
    );
    product = spawn(process.execPath, [start], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(product.stdout!, 'data');
    const admin = writeTool('admin.mjs', `import { prepare } from './prepare.mjs';\nawait prepare();`);
    const { status, stderr } = spawnSync(process.execPath, [admin], { encoding: 'utf8' });
    expect(stderr).toContain(`(process ${product.pid}). Stop it, and run the command again.`);
    expect(status).toBe(1);
    expect(existsSync(join(root, 'node_modules', 'in-use'))).toBe(true);
  });

  it('are installed although a product that crashed had the id of this process, or of another program', () => {
    const program = spawn('sleep', ['60'], { stdio: 'ignore' });
    product = program;
    const admin = writeTool(
      'admin.mjs',
      `import { mkdirSync, writeFileSync } from 'node:fs';
       import { findProduct } from './running-product.mjs';
       const root = ${JSON.stringify(root)};
       mkdirSync(root + '/.nx/quarry-running', { recursive: true });
       for (const pid of [process.pid, 1, ${program.pid}]) writeFileSync(root + '/.nx/quarry-running/' + pid, '');
       console.log(findProduct(root));`,
    );
    expect(spawnSync(process.execPath, [admin], { encoding: 'utf8' }).stdout).toBe('null\n');
  });
});
