// The product that runs from the packages of this checkout: an installation would delete them under it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folderOf = (root) => join(root, '.nx', 'quarry-running');

/** Records that this process runs the product, until it ends. */
export function recordProduct(root) {
  mkdirSync(folderOf(root), { recursive: true });
  const file = join(folderOf(root), String(process.pid));
  writeFileSync(file, '');
  process.once('exit', () => rmSync(file, { force: true }));
}

/** @returns the id of a process that runs the product from this checkout; null if there is none */
export function findProduct(root) {
  mkdirSync(folderOf(root), { recursive: true });
  for (const pid of readdirSync(folderOf(root))) {
    if (isProduct(pid)) return Number(pid);
    rmSync(join(folderOf(root), pid), { force: true });
  }
  return null;
}

/** @returns whether a process is another one of ours: after a crash or a reboot, any process may have its id, also this one */
function isProduct(pid) {
  if (Number(pid) === process.pid) return false;
  try {
    if (process.platform === 'win32') return process.kill(Number(pid), 0);
    return /\btools\/[\w-]+\.mjs\b/.test(
      execFileSync('ps', ['-o', 'args=', '-p', pid], { encoding: 'utf8' }),
    );
  } catch {
    return false;
  }
}
