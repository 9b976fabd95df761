import { execFileSync } from 'node:child_process';
import { openTempDir } from './servers.mjs';

/**
 * Installs packages that the product does not use, for a benchmark that runs only by name.
 * @param {Record<string, string>} versions exact versions by package
 * @param {string[]} more options of npm
 * @returns the folder, for {@link createRequire}
 */
export async function installPackages(life, versions, more = []) {
  const dir = await openTempDir(life);
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', ...more];
  execFileSync('npm', ['install', '--prefix', dir, ...flags, ...packages], { stdio: 'inherit' });
  return dir;
}
