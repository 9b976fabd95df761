// The product during development: compiles saved files, and restarts the product on the database, which keeps running. With a
// service (`npm run dev -- runs-agent`) it is that service of a fleet. See CONTRIBUTING.md.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, watch } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { DevFleetService } from './dev/fleet-service.mjs';
import { DevProduct } from './dev/product.mjs';
import { fleetPrograms } from './node-flags.mjs';
import { prepare } from './prepare.mjs';
import { endWithNpm } from './process-tree.mjs';

/** Milliseconds. An editor saves a file in several steps, and a branch switch changes many files. */
const SETTLE_MS = 50;
const NOT_BUILT = /\.(\w+-)?spec\.ts$|\.(contract|fixture)\.ts$|~$|\.swp$/;

const flags = process.argv.slice(2).filter((arg) => /^--inspect(-brk)?(=|$)/.test(arg));
const [service, ...others] = process.argv.slice(2).filter((arg) => !flags.includes(arg));
const services = Object.keys(fleetPrograms());
if (others.length > 0 || (service !== undefined && !services.includes(service))) {
  console.error(`npm run dev takes --inspect and one service: ${services.join(', ')}.`);
  process.exit(1);
}

const root = await prepare();
// Imported here, because the compiler exists only after the packages are installed.
const { transformFile } = await import('@swc/core');
const app = service === undefined ? new DevProduct(root, flags) : new DevFleetService(root, service, flags);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
endWithNpm(() => stop('SIGTERM'));
/** Changed files by project. */
let changed = new Map();
let applying = Promise.resolve();
for (const folder of projectsBelow(`@quarry/app-${service ?? 'local'}`)) watchSources(folder);
await app.restart();

async function stop(signal) {
  await app.stop(signal);
  process.exit(0);
}

/** @returns the folders of a project and of all its dependencies */
function projectsBelow(name, found = new Set()) {
  const folder = realpathSync(join(root, 'node_modules', name));
  if (found.has(folder)) return found;
  found.add(folder);
  const { dependencies = {}, nx } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const other of [...Object.keys(dependencies), ...(nx.implicitDependencies ?? [])])
    if (other.startsWith('@quarry/')) projectsBelow(other, found);
  return found;
}

function watchSources(folder) {
  watch(join(folder, 'src'), { recursive: true }, (_event, name) => {
    if (name === null || NOT_BUILT.test(name) || !/\.\w+$/.test(name)) return;
    if (changed.size === 0) setTimeout(() => (applying = applying.then(applyChanges)), SETTLE_MS);
    changed.set(folder, (changed.get(folder) ?? new Set()).add(join('src', name)));
  });
}

/** Compiles the changed files and restarts the product; if they do not compile, the running product is left as it is. */
async function applyChanges() {
  const batch = changed;
  changed = new Map();
  const builds = [...batch].map(([folder, files]) => built(folder, [...files]));
  if ((await Promise.all(builds)).every(Boolean)) await app.restart();
}

/** @returns whether the files were compiled; the compiler prints its errors */
async function built(folder, files) {
  const left = files.filter((file) => existsSync(join(folder, file)));
  if (left.length === 0) return true;
  console.log(`${relative(root, folder)}: ${left.map((file) => basename(file)).join(', ')}`);
  try {
    if (existsSync(join(folder, 'vite.config.mjs'))) await bundle(folder);
    else
      await Promise.all(
        left.map((file) => compile(join(folder, file), join(folder, 'dist', relative('src', file)))),
      );
    return true;
  } catch (error) {
    console.error(error.message);
    return false;
  }
}

/** Compiles a file like the build of a project, without starting a process. */
async function compile(from, to) {
  await mkdir(dirname(to), { recursive: true });
  if (!from.endsWith('.ts')) return copyFile(from, to);
  const sourceFileName = relative(dirname(to), from);
  const { code, map } = await transformFile(from, { configFile: join(root, '.swcrc'), sourceFileName });
  const script = to.replace(/\.ts$/, '.js');
  await writeFile(`${script}.map`, map);
  await writeFile(script, `${code}\n//# sourceMappingURL=${basename(script)}.map`);
}

async function bundle(folder) {
  const vite = dirname(createRequire(join(folder, 'package.json')).resolve('vite/package.json'));
  await promisify(execFile)(process.execPath, [join(vite, 'bin', 'vite.js'), 'build', '--logLevel', 'warn'], {
    cwd: folder,
  });
}
