// Installs dependencies and builds the packages, each only when it is out of date.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const STAMP = join(ROOT, 'node_modules', '.quarry-installed');

/**
 * @returns {Promise<string>} the folder of the checkout, installed and built
 */
export async function prepare() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20)
    fail(`Quarry needs Node 20 or newer; this is ${process.version}. Install a newer Node and try again.`);
  const lock = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== lock) {
    console.error('Installing packages (only when they have changed; a minute or two) …');
    // Development packages too, whatever NODE_ENV says: the build needs them.
    await run(
      'npm',
      ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
      'The packages could not be installed. Check the network and run the command again.',
      { progress: '  … still installing', everyMs: 15_000 },
    );
    writeFileSync(STAMP, lock);
  }
  await run(
    nodeOfProject(ROOT),
    ['node_modules/nx/dist/bin/nx.js', 'run-many', '-t', 'build', '--output-style=static'],
    'The build failed; what it printed stands above.',
    { isQuiet: true, progress: 'Building (only what has changed) …', everyMs: 1500, isOnce: true },
  );
  return ROOT;
}

/**
 * Node 24, which the project brings along as a package: the tests and the product run on the same version everywhere.
 * @param {string} root folder of the checkout
 */
export function nodeOfProject(root) {
  const own = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(own) ? own : process.execPath;
}

/**
 * Runs a command; on failure shows what it printed, then the sentence, and ends with code 1.
 * @param {{ progress: string, everyMs: number, isQuiet?: boolean, isOnce?: boolean }} show what is shown meanwhile
 */
function run(command, args, sentence, { progress, everyMs, isQuiet = false, isOnce = false }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: ['ignore', isQuiet ? 'pipe' : 'ignore', isQuiet ? 'pipe' : 'inherit'],
      env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
      shell: process.platform === 'win32',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    const ticker = setInterval(() => {
      console.error(progress);
      if (isOnce) clearInterval(ticker);
    }, everyMs);
    // A signal to this process alone must not leave the command behind.
    const stop = (signal) => {
      child.kill(signal);
      process.exit(130);
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    child.on('error', (error) => fail(`${error.message}\n${sentence}`));
    child.on('exit', (code) => {
      clearInterval(ticker);
      for (const signal of SIGNALS) process.off(signal, stop);
      if (code !== 0) fail(`${output}\n${sentence}`);
      resolve();
    });
  });
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** Runs a command in the foreground and ends the process with its code when it fails. */
export function runOrExit(root, args, env = {}) {
  try {
    execFileSync(nodeOfProject(root), args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  } catch (error) {
    process.exit(error.status ?? 1);
  }
}
