// Configures Git to run .githooks in this clone; npm runs it after an installation. It never fails an installation.
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

try {
  // A copy within another repository leaves that repository's hooks alone.
  const isOurs = realpathSync(git('rev-parse', '--show-toplevel')) === realpathSync(root);
  if (isOurs && !process.env.CI && !isSet()) git('config', 'core.hooksPath', '.githooks');
} catch {
  // No Git, no work tree, or a read-only one: commits are not checked.
}

function isSet() {
  try {
    return git('config', 'core.hooksPath') !== '';
  } catch {
    return false;
  }
}

function git(...args) {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
