// Installs dependencies and builds the packages, each only when it is out of date.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectFolders } from './project-folders.mjs';
import { findProduct } from './running-product.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const STAMP = join(ROOT, 'node_modules', '.quarry-installed');
const BUILT_STAMP = join(ROOT, 'node_modules', '.quarry-built');
const TURN = join(ROOT, '.nx', 'quarry-prepare.pid');
const WORKSPACES = ['libs', 'apps'];
const BUILD_SETTINGS = [
  'package-lock.json',
  'nx.json',
  '.swcrc',
  'tsconfig.base.json',
  'tools/nx-targets.mjs',
  'tools/bundle-app.mjs',
  'docs/openapi.json',
  'tools/generate-sdk.mjs',
  'tools/generators/sdk-resources.mjs',
  'tools/generators/sdk-types.mjs',
];

/** Sources that the build generates. They are not part of the digest, since the build itself changes them. */
const GENERATED = ['resources', 'types'].map((name) => join(ROOT, `libs/contracts/sdk/src/${name}.gen.ts`));

/**
 * @param {string | null} projects packages to build, with their dependencies; null for all
 * @returns {Promise<string>} the folder of the checkout, installed and built
 */
export async function prepare(projects = null) {
  const release = await takeTurn();
  try {
    return await installAndBuild(projects);
  } finally {
    release();
  }
}

async function installAndBuild(projects) {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20)
    fail(`Quarry needs Node 20 or newer; this is ${process.version}. Install a newer Node and try again.`);
  const lock = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== lock) {
    const product = findProduct(ROOT);
    if (product !== null)
      fail(
        `The packages have changed, and installing them would delete those that Quarry runs from (process ${product}). Stop it, and run the command again.`,
      );
    console.error('Installing packages (only when they have changed; a minute or two) …');
    // Including development packages, whatever NODE_ENV says: the build needs them.
    await run(
      'npm',
      ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
      'The packages could not be installed. Check the network and run the command again.',
      { progress: '  … still installing', everyMs: 15_000 },
    );
    writeFileSync(STAMP, lock);
  }
  const sources = sourcesDigest();
  // Nx would restore the same outputs again, under a product that runs from them.
  if (isBuilt(sources)) return ROOT;
  rmSync(BUILT_STAMP, { force: true });
  const chosen = projects === null ? [] : ['-p', projects];
  await run(
    nodeOfProject(ROOT),
    ['node_modules/nx/dist/bin/nx.js', 'run-many', '-t', 'build', ...chosen, '--output-style=static'],
    'The build failed; what it printed stands above.',
    { isQuiet: true, progress: 'Building (only what has changed) …', everyMs: 1500, isOnce: true },
  );
  if (projects === null) writeFileSync(BUILT_STAMP, sources);
  return ROOT;
}

/** Takes a lock, because concurrent commands would overwrite each other's files. @returns a function that releases it */
async function takeTurn() {
  mkdirSync(dirname(TURN), { recursive: true });
  for (let isPrinted = false; ; isPrinted = true) {
    try {
      writeFileSync(TURN, String(process.pid), { flag: 'wx' });
      const release = () => rmSync(TURN, { force: true });
      process.once('exit', release);
      return () => {
        process.off('exit', release);
        release();
      };
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`The checkout ${ROOT} cannot be written (${error.code}).`);
    }
    if (isTurnOver()) rmSync(TURN, { force: true });
    else if (!isPrinted) console.error('Another command installs or builds here; waiting for it …');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @returns whether the owner of the lock has ended; a process that has just created the file may not have written it yet */
function isTurnOver() {
  try {
    const pid = Number(readFileSync(TURN, 'utf8'));
    if (pid === 0) return Date.now() - statSync(TURN).mtimeMs > 2000;
    if (pid === process.pid) return true;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** @returns a digest of the inputs of the build: names, sizes and times of files */
function sourcesDigest() {
  const digest = createHash('sha256');
  const add = (path) => {
    const { size, mtimeMs } = statSync(path);
    digest.update(`${path} ${size} ${mtimeMs}\n`);
  };
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (['dist', 'out-tsc', 'node_modules'].includes(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile() && !GENERATED.includes(path)) add(path);
    }
  };
  for (const folder of WORKSPACES) walk(join(ROOT, folder));
  for (const file of BUILD_SETTINGS) add(join(ROOT, file));
  return digest.digest('hex');
}

/** @returns whether a folder is a project with a build; the suites have none (tools/nx-targets.mjs) */
function ships(folder) {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return false;
  return !JSON.parse(readFileSync(file, 'utf8')).nx?.tags?.includes('type:suite');
}

/** @returns whether the outputs exist and were built from these sources */
function isBuilt(sources) {
  if (
    !GENERATED.every(existsSync) ||
    !existsSync(BUILT_STAMP) ||
    readFileSync(BUILT_STAMP, 'utf8') !== sources
  )
    return false;
  return projectFolders(ROOT)
    .map((folder) => join(ROOT, folder))
    .filter(ships)
    .every((project) => existsSync(join(project, 'dist')));
}

/**
 * Returns Node 24, which the project installs as a package: tests and product run on the same version everywhere.
 * @param {string} root folder of the checkout
 */
export function nodeOfProject(root) {
  const own = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(own) ? own : process.execPath;
}

/**
 * Runs a command; on failure prints its output and the sentence, and exits with code 1.
 * @param {{ progress: string, everyMs: number, isQuiet?: boolean, isOnce?: boolean }} show progress message
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
    // A signal to this process alone must not leave the command running.
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

/** Runs a command in the foreground; when it fails, exits with its code. */
export function runOrExit(root, args, env = {}) {
  try {
    execFileSync(nodeOfProject(root), args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  } catch (error) {
    process.exit(error.status ?? 1);
  }
}
