import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHECKOUT = join(import.meta.dirname, '..');
const COPIED = [
  '.githooks',
  '.prettierrc.json',
  '.prettierignore',
  'tools/pre-commit.mjs',
  'tools/install-hooks.mjs',
];
// Without the hooks and the Git configuration of the user who runs these tests.
const { PATH = '', HOME = tmpdir() } = process.env;
const ENV = { PATH, HOME, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

describe('the pre-commit hook', () => {
  let repository: string;

  beforeEach(() => {
    repository = mkdtempSync(join(tmpdir(), 'quarry-hook-'));
    for (const file of COPIED) cpSync(join(CHECKOUT, file), join(repository, file), { recursive: true });
    symlinkSync(join(CHECKOUT, 'node_modules'), join(repository, 'node_modules'));
    write('package.json', '{ "type": "module" }\n');
    write('eslint.config.mjs', `export default [{ rules: { 'no-var': 'error', 'no-eval': 'error' } }];\n`);
    git('init', '--quiet');
    git('config', 'user.name', 'Spec');
    git('config', 'user.email', 'spec@quarry.test');
    install();
  });

  afterEach(() => rmSync(repository, { recursive: true, force: true }));

  function git(...args: string[]): string {
    return execFileSync('git', args, { cwd: repository, env: ENV, encoding: 'utf8' });
  }

  function install(env: Record<string, string> = {}): void {
    execFileSync(process.execPath, ['tools/install-hooks.mjs'], { cwd: repository, env: { ...ENV, ...env } });
  }

  function write(file: string, content: string | Buffer): void {
    mkdirSync(join(repository, file, '..'), { recursive: true });
    writeFileSync(join(repository, file), content);
  }

  function stage(file: string, content: string | Buffer): void {
    write(file, content);
    git('add', file);
  }

  /** @returns the output of the commit, and whether it was created */
  function commit(): { isMade: boolean; output: string } {
    const { status, stderr } = spawnSync('git', ['commit', '--message', 'test: a commit'], {
      cwd: repository,
      env: ENV,
      encoding: 'utf8',
    });
    return { isMade: status === 0, output: stderr };
  }

  it('accepts a good commit, and does not touch unstaged changes', () => {
    stage('good.mjs', 'export const one = 1;\n');
    stage('docs/pictures/run.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]));
    write('good.mjs', 'export const   one = eval("1")\n');
    write('other.mjs', 'var   other\n');
    expect(commit()).toEqual({ isMade: true, output: '' });
    expect(git('show', 'HEAD:good.mjs')).toBe('export const one = 1;\n');
    expect(readFileSync(join(repository, 'good.mjs'), 'utf8')).toBe('export const   one = eval("1")\n');
    expect(git('status', '--porcelain', 'good.mjs', 'other.mjs')).toBe(' M good.mjs\n?? other.mjs\n');
  });

  it('refuses a badly formatted file with the command that fixes it', () => {
    stage('bad file.mjs', 'export const   one = 1\n');
    const { isMade, output } = commit();
    expect(isMade).toBe(false);
    const mend = /Mend it: (.*)/.exec(output)![1]!;
    expect(mend).toBe(`npx prettier --write 'bad file.mjs' && git add 'bad file.mjs'`);
    execFileSync('sh', ['-c', mend], { cwd: repository, env: ENV, stdio: 'ignore' });
    expect(commit()).toEqual({ isMade: true, output: '' });
  });

  it('refuses a rule violation in the staged content', () => {
    stage('bad.mjs', 'var one = 1;\nexport { one };\n');
    write('bad.mjs', 'export const one = 1;\n');
    const { isMade, output } = commit();
    expect(isMade).toBe(false);
    expect(output).toContain('no-var');
    expect(output).toContain('npx eslint --fix bad.mjs && git add bad.mjs');
  });

  it('refuses a file above 1 MB, and a binary other than a documentation picture', () => {
    stage('large.txt', 'a line\n'.repeat(160_000));
    stage('tool.bin', Buffer.from([0, 1, 2]));
    stage('docs/pictures/run.gif', Buffer.from([0, 1, 2]));
    stage('docs/run.png', Buffer.from([0, 1, 2]));
    const { isMade, output } = commit();
    expect(isMade).toBe(false);
    expect(output).toContain('large.txt has 1.1 MB');
    for (const file of ['tool.bin', 'docs/pictures/run.gif', 'docs/run.png'])
      expect(output).toContain(`${file} is binary`);
    execFileSync(
      'sh',
      ['-c', 'git rm --quiet --cached large.txt tool.bin docs/run.png docs/pictures/run.gif'],
      { cwd: repository, env: ENV },
    );
    stage('good.txt', 'good\n');
    expect(commit()).toEqual({ isMade: true, output: '' });
  });

  it('installs itself once: not in CI, not over other hooks, and not within another repository', () => {
    const hooksPath = (): string =>
      spawnSync('git', ['config', 'core.hooksPath'], { cwd: repository, env: ENV, encoding: 'utf8' }).stdout;
    expect(hooksPath()).toBe('.githooks\n');
    git('config', 'core.hooksPath', 'mine');
    install();
    expect(hooksPath()).toBe('mine\n');
    git('config', '--unset', 'core.hooksPath');
    install({ CI: 'true' });
    expect(hooksPath()).toBe('');
    cpSync(join(repository, 'tools'), join(repository, 'vendor', 'quarry', 'tools'), { recursive: true });
    execFileSync(process.execPath, ['vendor/quarry/tools/install-hooks.mjs'], { cwd: repository, env: ENV });
    expect(hooksPath()).toBe('');
    rmSync(join(repository, '.git'), { recursive: true });
    install();
  });
});
