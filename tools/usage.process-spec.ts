import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

describe.each([
  ['npm start', 'start.mjs'],
  ['npm run fleet', 'fleet.mjs'],
  ['npm run gateway', 'gateway.mjs'],
])('%s', (command, program) => {
  /** Runs the command in an environment in which it could write nothing, if it started after all. */
  function call(...args: string[]) {
    const env = { DATA_DIR: '/dev/null/none', PORT: '0' };
    return spawnSync(process.execPath, [join(ROOT, 'tools', program), ...args], { env, encoding: 'utf8' });
  }

  it.each(['--help', '-h'])('prints its usage with %s, and starts nothing', (flag) => {
    const { status, stdout, stderr } = call(flag);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`Usage: ${command}\n`);
    expect(stdout).toContain('docs/environment.md');
  });

  it('refuses unknown arguments, and starts nothing', () => {
    const { status, stdout, stderr } = call('--port', '3001');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(`--port 3001 is not a known argument.\n\nUsage: ${command}\n`);
  });
});
