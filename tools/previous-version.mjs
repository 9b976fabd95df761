// Checks out and builds the previous release (previous-version.json) in a separate folder, so that processes of both versions
// can run side by side. It shares the packages of this checkout, and installs those of which it needs another version.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { projectFolders } from './project-folders.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BUILDS_AT_ONCE = 2;
const OWN_SCOPE = '@quarry';

/**
 * @returns {Promise<{ root: string, commit: string }>} the folder of the previous version, built
 * @throws {Error} when git does not have its commit, or npm cannot install a package that only it needs
 */
export async function previousVersion() {
  const { commit } = JSON.parse(readFileSync(join(ROOT, 'tools', 'previous-version.json'), 'utf8'));
  const root = join(ROOT, '.nx', 'previous', commit);
  const stamp = join(root, '.built');
  const installed = packagesDigest();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === installed) return { root, commit };
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  unpack(commit, root);
  sharePackages(root);
  await build(root);
  writeFileSync(stamp, installed);
  return { root, commit };
}

/** @returns a digest of the shared packages, including the folder that the links lead to */
function packagesDigest() {
  const lock = readFileSync(join(ROOT, 'package-lock.json'));
  return createHash('sha256').update(ROOT).update(lock).digest('hex');
}

function unpack(commit, root) {
  const archive = join(root, '.archive.tar');
  try {
    execFileSync('git', ['archive', '--format=tar', '-o', archive, commit], { cwd: ROOT, stdio: 'pipe' });
  } catch (cause) {
    throw new Error(
      `git does not have the commit ${commit} of the previous version (tools/previous-version.json). A shallow clone has not all of them: git fetch --unshallow.`,
      { cause },
    );
  }
  execFileSync('tar', ['-xf', archive, '-C', root]);
  rmSync(archive);
}

/** Links every package of this checkout into the other one, except the product's own libraries. */
function sharePackages(root) {
  const shared = join(ROOT, 'node_modules');
  const own = join(root, 'node_modules');
  mkdirSync(join(own, OWN_SCOPE), { recursive: true });
  for (const name of readdirSync(shared))
    if (name !== OWN_SCOPE && !name.startsWith('.quarry')) symlinkSync(join(shared, name), join(own, name));
  const missing = [];
  for (const project of projectsOf(root)) {
    shareOwnPackages(project, root);
    const {
      name,
      dependencies = {},
      nx,
    } = JSON.parse(readFileSync(join(root, project, 'package.json'), 'utf8'));
    symlinkSync(join(root, project), join(own, name));
    if (nx?.tags?.includes('type:suite')) continue;
    for (const [dependency, wanted] of Object.entries(dependencies)) {
      if (dependency.startsWith(`${OWN_SCOPE}/`)) continue;
      if (versionOf(dependency, [join(root, project), root]) !== wanted)
        missing.push({ project, dependency, wanted });
    }
  }
  if (missing.length > 0) installPackages(root, missing);
}

/** Links the packages that only one project of this checkout has. */
function shareOwnPackages(project, root) {
  const nested = join(ROOT, project, 'node_modules');
  if (!existsSync(nested)) return;
  const own = join(root, project, 'node_modules');
  for (const name of packagesIn(nested)) {
    mkdirSync(dirname(join(own, name)), { recursive: true });
    symlinkSync(join(nested, name), join(own, name));
  }
}

/** @returns the names of the packages in a folder, including their scope */
function packagesIn(folder) {
  return readdirSync(folder).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(folder, name)).map((each) => `${name}/${each}`) : [name],
  );
}

/** Installs packages that this checkout lacks in the version needed by the previous one, without running their scripts. */
function installPackages(root, missing) {
  const folder = join(root, '.packages');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const wanted = [...new Set(missing.map(({ dependency, wanted }) => `${dependency}@${wanted}`))];
  const aliases = wanted.map((each, i) => `package-${i}@npm:${each}`);
  console.error(`The previous version needs other packages than this checkout: ${wanted.join(', ')}.`);
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...aliases], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const { project, dependency, wanted: version } of missing) {
    const link = join(root, project, 'node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(join(folder, 'node_modules', `package-${wanted.indexOf(`${dependency}@${version}`)}`), link);
  }
}

/** @returns the project folders of a checkout */
function projectsOf(root) {
  return projectFolders(root);
}

function versionOf(name, folders) {
  const file = folders.map((folder) => join(folder, 'node_modules', name, 'package.json')).find(existsSync);
  return file === undefined ? null : JSON.parse(readFileSync(file, 'utf8')).version;
}

/** Builds each project with the command that the previous version itself declares (its tools/nx-targets.mjs). */
async function build(root) {
  const { createNodesV2 } = await import(pathToFileURL(join(root, 'tools', 'nx-targets.mjs')).href);
  const files = projectsOf(root).map((project) => join(project, 'package.json'));
  const builds = createNodesV2[1](files, {}, { workspaceRoot: root }).flatMap(([, { projects }]) =>
    Object.values(projects).flatMap(({ targets }) => targets.build ?? []),
  );
  const work = async () => {
    for (let next = builds.pop(); next; next = builds.pop())
      await run(next.command, join(root, next.options.cwd));
  };
  await Promise.all(Array.from({ length: BUILDS_AT_ONCE }, work));
}

function run(command, cwd) {
  return new Promise((resolve, reject) => {
    const path = `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`;
    const child = spawn(command, { cwd, shell: true, stdio: 'inherit', env: { ...process.env, PATH: path } });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} in ${cwd} ended with code ${code}.`)),
    );
  });
}
