// Lets Git run .githooks in this clone; npm runs it after it has installed. It never fails an installation.
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

try {
  // A copy inside of another repository leaves that one's hooks alone.
  const isOurs = realpathSync(git('rev-parse', '--show-toplevel')) === realpathSync(root);
  if (isOurs && !process.env.CI && !isSet()) git('config', 'core.hooksPath', '.githooks');
} catch {
  // No Git, no work tree, or one that may not be written: commits are not checked.
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
