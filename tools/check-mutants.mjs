// Tests the tests: removes one guard of tools/mutants/ at a time in a copy of the sources, and expects its tests to fail. Ends
// with code 1 when the tests of a guard pass without it.
// One mutant or some: npm run test:mutants -- gate.ts CLAIM   (all whose name contains a word)
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MUTANTS } from './mutants.mjs';
import { without } from './mutants/guards.mjs';
import { nodeOfProject, prepare } from './prepare.mjs';
import { projectFolders } from './project-folders.mjs';

// Two copies at once: the suites wait more than they compute.
const COPIES = 2;
// A suite takes at most half a minute. One that hangs without its guard is ended, and counts as not caught.
const LIMIT_MS = 180_000;

const root = await prepare();
const { transformFileSync } = await import('@swc/core');
const words = process.argv.slice(2);
const chosen = MUTANTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const rotten = chosen.flatMap(rotOf);
if (chosen.length === 0 || rotten.length > 0) {
  for (const sentence of rotten) console.error(sentence);
  if (chosen.length === 0) console.error('No guard has such a name.');
  process.exit(1);
}

// One server for all guards except those in the schema, which need their own template database.
const shared = chosen.some((guard) => isOfDatabase(guard) && !isInSchema(guard)) ? await startServer() : null;
const running = new Set();
const folder = mkdtempSync(join(tmpdir(), 'quarry-mutants-'));
process.on('exit', () => {
  for (const child of running) child.kill();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => void (shared?.stop() ?? Promise.resolve()).finally(() => process.exit(130)));

const queue = [...chosen];
const outcomes = new Map();
await Promise.all(
  Array.from({ length: Math.min(COPIES, queue.length) }, async (_, i) => {
    const copy = copyOfSources(join(folder, String(i)));
    for (let guard = queue.shift(); guard; guard = queue.shift()) {
      const outcome = await tryGuard(copy, guard);
      outcomes.set(guard, outcome);
      console.log(`guard "${guard.name}" removed: ${outcome.text} (${outcome.seconds} s)`);
    }
  }),
);
await shared?.stop();
const caught = chosen.filter((guard) => outcomes.get(guard).isCaught);
console.log(`\n| Guard | Tests that fail without it |\n| --- | --- |`);
for (const guard of chosen) console.log(`| ${guard.name} | ${outcomes.get(guard).text} |`);
for (const guard of chosen)
  if (!outcomes.get(guard).isCaught) console.log(`\nguard "${guard.name}": ${outcomes.get(guard).text}`);
console.log(`\n${caught.length} of ${chosen.length} guards are guarded by tests`);
process.exitCode = caught.length === chosen.length ? 0 : 1;

/** Returns whether the tests of a guard need PostgreSQL. */
function isOfDatabase({ spec }) {
  return spec.endsWith('.db.spec.ts');
}

function isInSchema({ file }) {
  return /\.migration\.ts$|\.sql$|\/access-rules\.ts$/.test(file);
}

async function startServer() {
  const { startMigratedPostgres } = await import(
    pathToFileURL(join(root, 'libs/testing/testing/dist/migrated-postgres.js')).href
  );
  return startMigratedPostgres(mkdtempSync(join(tmpdir(), 'quarry-mutants-postgres-')));
}

/** @returns messages about a guard that no longer matches the sources */
function rotOf(guard) {
  try {
    without(guard, readFileSync(join(root, guard.file), 'utf8'));
  } catch (error) {
    return [`${guard.name}: ${error.message}`];
  }
  return existsSync(join(root, guard.spec)) ? [] : [`${guard.name}: there is no ${guard.spec}`];
}

/** Copies all files and builds of the checkout, and links its packages. */
function copyOfSources(copy) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root });
  for (const file of String(listed).split('\0').filter(Boolean))
    if (existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
  const projects = projectFolders(root);
  for (const dist of projects.map((project) => join(project, 'dist')))
    if (existsSync(join(root, dist))) cpSync(join(root, dist), join(copy, dist), { recursive: true });
  linkPackages(copy, projects);
  return copy;
}

function linkPackages(copy, projects) {
  const modules = join(copy, 'node_modules');
  mkdirSync(join(modules, '@quarry'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@quarry') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  // The libraries are those of the copy.
  for (const project of projects) {
    const file = join(copy, project, 'package.json');
    if (!existsSync(file)) continue;
    const { name } = JSON.parse(readFileSync(file, 'utf8'));
    symlinkSync(join(copy, project), join(modules, '@quarry', basename(name)));
  }
}

/** Tries a guard twice, because a race may be missed once. Passing twice means that no test guards it, and is reported. */
async function tryGuard(copy, guard) {
  const first = await trial(copy, guard);
  if (first.isCaught) return first;
  console.log(`guard "${guard.name}" removed: ${first.text} (${first.seconds} s), once more …`);
  const second = await trial(copy, guard);
  return second.isCaught ? { ...second, text: `${second.text}, at the second try` } : second;
}

/** Removes the guard, runs its tests, and restores it. */
async function trial(copy, guard) {
  const began = performance.now();
  const text = readFileSync(join(copy, guard.file), 'utf8');
  write(copy, guard.file, without(guard, text));
  try {
    const outcome = verdict(await runTests(copy, guard));
    return { ...outcome, seconds: Math.round((performance.now() - began) / 1000) };
  } finally {
    write(copy, guard.file, text);
  }
}

/** Writes a source file and its build: the setup of the suite migrates with the built packages. */
function write(copy, file, text) {
  writeFileSync(join(copy, file), text);
  const [, project, path, kind] = /^((?:libs\/[^/]+|apps)\/[^/]+)\/src\/(.+)\.(ts|sql)$/.exec(file);
  const built = join(copy, project, 'dist', `${path}.${kind === 'ts' ? 'js' : kind}`);
  mkdirSync(dirname(built), { recursive: true });
  if (kind === 'sql') return writeFileSync(built, text);
  const { code } = transformFileSync(join(copy, file), {
    configFile: join(copy, '.swcrc'),
    sourceMaps: false,
  });
  writeFileSync(built, code);
}

function runTests(copy, guard) {
  const { spec, tests } = guard;
  const output = join(copy, 'guard-report.json');
  rmSync(output, { force: true });
  const { QUARRY_TEST_POSTGRES_URL: _, ...given } = process.env;
  // Long enough for random walks to reach the guarded states.
  const env = { QUARRY_MODEL_STEPS: '5000', QUARRY_LEDGER_STEPS: '20000', ...given };
  if (shared && !isInSchema(guard)) env.QUARRY_TEST_POSTGRES_URL = shared.adminUrl;
  if (guard.isBehindWall) env.QUARRY_TEST_WALL = 'off';
  const child = spawn(
    nodeOfProject(root),
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      '--selectProjects',
      isOfDatabase(guard) ? 'db' : 'unit',
      '--runInBand',
      '--silent',
      '--forceExit',
      '--json',
      `--outputFile=${output}`,
      '-t',
      tests,
      '--runTestsByPath',
      spec,
    ],
    { cwd: copy, env, stdio: 'ignore', timeout: LIMIT_MS },
  );
  running.add(child);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      running.delete(child);
      const report = existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')) : null;
      resolve({ code, report });
    });
  });
}

/** Returns the verdict. Only failed tests count: a suite that could not be loaded has caught nothing. */
function verdict({ code, report }) {
  const results = report?.testResults.flatMap((file) => file.assertionResults) ?? [];
  const named = (status) => results.filter((each) => each.status === status).map((each) => each.fullName);
  const [first, ...others] = named('failed');
  if (code !== 0 && first) {
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return { isCaught: true, text: `caught by "${first}"${more}` };
  }
  const passed = named('passed').length;
  const why = code === 0 ? `${passed} tests passed` : 'the suite could not be run';
  return { isCaught: false, text: `NOT CAUGHT: ${why}` };
}
