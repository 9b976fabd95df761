// Starts each app from exactly the files of its image, as its container does: a read-only root, a user without rights,
// no capability, an empty environment but its own. Prints size and start time, and fails when one does not start, answer
// or stop. Needs Linux and bubblewrap (apt-get install bubblewrap). npm run test:images
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@quarry/local-postgres';
import { ROLES, roleSql } from '@quarry/platform';
import { startTestPostgres, TEMPLATE_DATABASE } from '@quarry/test-servers';
import { assemble, IMAGE_APPS } from './image-files.mjs';
import { nodeFlagsOf } from './node-flags.mjs';
import { nodeOfProject } from './prepare.mjs';

const READY_MS = 60_000;
const STOP_MS = 30_000;
const SECRET = 'i'.repeat(64);

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const faults = [];
const dir = mkdtempSync(join(tmpdir(), 'quarry-images-'));
const children = [];
try {
  for (const app of IMAGE_APPS) {
    const out = join(dir, app);
    const { packages } = assemble(app, join(out, 'app'));
    console.log(`${app.padEnd(12)} ${megabytes(join(out, 'app'))} MB, ${packages} packages`);
    addNode(out);
  }
  const postgres = await startTestPostgres(join(dir, 'database'), {
    roles: Object.fromEntries(Object.values(ROLES).map((role) => [role, roleSql(role)])),
    working: ROLES.working,
    // The migration Job, twice: the second one has nothing to do.
    migrate: async (url) => {
      for (const nth of ['first', 'second']) {
        const { json, ms } = command('admin', ['migrate'], { DATABASE_URL: url });
        console.log(`migrate      ${nth}: ${json.applied?.length ?? '?'} changes in ${ms} ms`);
      }
    },
  });
  try {
    await startAll(postgres.adminUrl);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await postgres.stop();
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? 'Every image starts, answers and stops.' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function startAll(adminUrl) {
  const [owner, working, serving] = ['quarry_owner', ROLES.working, ROLES.serving].map(
    (role) => Object.assign(new URL(adminUrl), { pathname: TEMPLATE_DATABASE, username: role }).href,
  );
  const [tables, runs, services, port] = await Promise.all(Array.from({ length: 4 }, freePort));
  const common = { RPC_SECRETS: SECRET, CURSOR_SECRET: SECRET, APP_URL: 'http://app.test', SANDBOX: 'on' };
  const apps = [
    await start('tables', { ...common, DATABASE_URL: serving, RPC_PORT: tables }),
    await start('runs-agent', {
      ...{ ...common, DATABASE_URL: working, RPC_PORT: runs },
      SERVICES_RPC_URL: `tcp://127.0.0.1:${services}`,
    }),
    await start('jobs-worker', { ...common, DATABASE_URL: working, RPC_PORT: services, SERVICES_RPC: 'on' }),
    await start('gateway', {
      DATABASE_URL: serving,
      RPC_SECRETS: SECRET,
      PORT: port,
      LEAVE_MS: '0',
      TABLES_RPC_URL: `tcp://127.0.0.1:${tables}`,
      RUNS_RPC_URL: `tcp://127.0.0.1:${runs}`,
      SERVICES_RPC_URL: `tcp://127.0.0.1:${services}`,
    }),
  ];
  const made = command('admin', ['org:create', '--name', 'Images', '--credits', '10'], {
    DATABASE_URL: owner,
  });
  const headers = { authorization: `Bearer ${made.json.api_key}` };
  for (const path of ['/v1/workspaces', '/v1/runs', '/credits', '/readyz']) {
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    if (status !== 200) faults.push(`gateway: ${path} is answered ${status}`);
  }
  for (const each of apps.reverse()) await stop(each);
}

async function start(app, env) {
  const metrics = await freePort();
  const began = performance.now();
  const inside = sandboxed(app, { ...env, METRICS_PORT: metrics }, [`apps/${app}/dist/main.js`]);
  // bwrap itself only waits; it says on its fourth descriptor which process is the app.
  const child = spawn('bwrap', ['--json-status-fd', '3', ...inside], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const pid = new Promise((resolve) =>
    child.stdio[3]
      .setEncoding('utf8')
      .once('data', (text) => resolve(JSON.parse(text.split('\n')[0])['child-pid'])),
  );
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  while (!(await isReady(metrics))) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() - began > READY_MS)
      throw new Error(
        `${app} did not become ready (${child.signalCode ?? child.exitCode}). It printed:\n${output}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  console.log(`${app.padEnd(12)} ready after ${Math.round(performance.now() - began)} ms`);
  checkRights(app, await pid);
  return { app, child, pid: await pid };
}

/** What the kernel says of the process: no capability, no way to new rights, and not root. */
function checkRights(app, pid) {
  const status = spawnSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8' }).stdout;
  const field = (name) => new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(status)?.[1];
  if (Number.parseInt(field('CapEff'), 16) !== 0) faults.push(`${app} has capabilities (${field('CapEff')})`);
  if (field('NoNewPrivs') !== '1') faults.push(`${app} may gain rights`);
}

async function stop({ app, child, pid }) {
  const began = performance.now();
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
  process.kill(pid, 'SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  const code = await ended;
  clearTimeout(timer);
  console.log(`${app.padEnd(12)} stopped after ${Math.round(performance.now() - began)} ms`);
  if (code !== 0) faults.push(`${app} ended with ${code} at a SIGTERM`);
}

async function isReady(port) {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Runs a command of an image to its end. @returns what it printed, and how long it took in milliseconds */
function command(app, args, env) {
  const began = performance.now();
  const run = spawnSync('bwrap', sandboxed(app, env, [`apps/${app}/dist/main.js`, ...args]), {
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`${app} ${args[0]} ended with ${run.status}: ${run.stderr}`);
  return { json: JSON.parse(run.stdout), ms: Math.round(performance.now() - began) };
}

/** @returns arguments of bwrap: the container's security context of k8s/, but for the network, where the servers are */
function sandboxed(app, env, args) {
  return [
    ...['--ro-bind', join(dir, app), '/', '--tmpfs', '/tmp', '--dev', '/dev', '--proc', '/proc'],
    ...[
      '--unshare-user',
      '--unshare-ipc',
      '--unshare-uts',
      '--uid',
      '65532',
      '--gid',
      '65532',
      '--cap-drop',
      'ALL',
    ],
    ...['--chdir', '/app', '--clearenv', '--setenv', 'NODE_OPTIONS', '--max-old-space-size-percentage=60'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, String(value)]),
    ...['/nodejs/bin/node', ...nodeFlagsOf(app), ...args],
  ];
}

/** Node and the libraries that it is linked to, where distroless has them; mount points of the sandbox. */
function addNode(out) {
  const node = nodeOfProject(root);
  const libraries = spawnSync('ldd', [node], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? [];
  for (const library of libraries) put(realpathSync(library), join(out, library));
  put(node, join(out, 'nodejs/bin/node'));
  for (const folder of ['tmp', 'dev', 'proc']) mkdirSync(join(out, folder), { recursive: true });
}

function put(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { dereference: true });
}

function megabytes(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  return Math.round(bytes / 1e6);
}
