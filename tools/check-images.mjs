// Runs the containers of the rendered manifests with exactly the files of their images: each starts with a read-only root,
// answers its probes, stays within its memory limit and ends on SIGTERM. The values of Secrets are invented here.
// test-images.mjs runs it in a separate network.
import { copyFileSync, linkSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { PostgresServer } from '@quarry/local-postgres';
import { ROLES } from '@quarry/postgres';
import { waitFor } from '@quarry/test-servers';
import { baseFiles, Container } from './containers/container.mjs';
import { imageOf, podsOf } from './containers/pod.mjs';
import { assemble, IMAGE_APPS } from './image-files.mjs';
import { nodeOfProject } from './prepare.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MIB = 2 ** 20;
/** Maximum number of bytes that Node adds to its share of the memory limit, for young objects. */
const YOUNG_MAX_BYTES = 128 * MIB;
/** Role with only the rights of a database owner. */
const OWNER = 'quarry_owner';
const DATABASE = 'quarry';

const faults = [];
const check = (isRight, fault) => void (isRight || faults.push(fault));
const [folder] = process.argv.slice(2);
const containers = [];
mkdirSync(join(folder, 'database'));
const postgres = await PostgresServer.start({
  dir: join(folder, 'database/postgres'),
  // Nothing here must survive a crash of the machine, so writes need not be flushed.
  settings: ['fsync=off'],
});
try {
  await checkImages();
} catch (error) {
  faults.push(error.stack);
} finally {
  for (const each of containers) await each.remove();
  await postgres.stop();
}
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? 'Every container runs as its manifest says.' : `${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);

async function checkImages() {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const secrets = secretsOf(new URL(postgres.url(DATABASE)));
  const [small, production] = ['small', 'production'].map((overlay) =>
    podsOf(readFileSync(join(folder, `${overlay}.yaml`), 'utf8'), secrets),
  );
  const differing = production.filter((pod) => !small.some((other) => isDeepStrictEqual(pod, other)));
  const pods = [...small, ...differing];
  const addressOf = (pod) => `127.0.1.${pods.indexOf(pod) + 1}`;
  // Each pod is also its Service.
  const hosts = Object.fromEntries(small.map((pod) => [pod.name, addressOf(pod)]));
  const base = baseFiles(nodeOfProject(ROOT), folder, { localhost: '127.0.0.1', ...hosts });
  for (const app of IMAGE_APPS) assemble(app, join(folder, app), linkOrCopy);
  for (const pod of pods) {
    const files = { ...base, '/app': join(folder, pod.target) };
    const groupName = `${basename(folder)}-${containers.length}`;
    containers.push(new Container(pod, imageOf(pod.target, text), files, addressOf(pod), groupName));
  }
  const job = containers.find(({ pod }) => pod.kind === 'Job');
  const deployments = containers.filter((each) => each !== job);
  for (const each of containers) await checkHeap(each);
  await startBeforeMigration(job, deployments[0]);
  // The gateway becomes ready after the services behind it.
  const isLast = ({ pod }) => pod.target === 'gateway';
  for (const each of deployments.toSorted((one, other) => isLast(one) - isLast(other)))
    await checkStart(each);
  await Promise.all(deployments.map(checkStop));
}

/**
 * Starts the migration as an owner without superuser rights, which cannot create the roles: it prints the statements, and the
 * next attempt of the Job continues. A process that is started earlier is neither ready nor ended until then.
 */
async function startBeforeMigration(migration, early) {
  const administrator = new pg.Client({ connectionString: postgres.url('postgres') });
  await administrator.connect();
  const { password } = new URL(postgres.url(DATABASE));
  await administrator.query(`CREATE ROLE ${OWNER} LOGIN PASSWORD '${password}'`);
  await administrator.query(`CREATE DATABASE ${DATABASE} OWNER ${OWNER}`);
  await migration.run();
  const [, statements] = migration.output.split('Run once, as somebody who may:\n');
  if (!statements) throw new Error(`The migration does not say which roles it needs: ${migration.output}`);
  await administrator.query(statements);
  for (const role of Object.values(ROLES))
    await administrator.query(`ALTER ROLE ${role} LOGIN PASSWORD '${password}'`);
  await administrator.end();
  await early.start();
  await waitFor('an early start to wait for the migration', () => {
    if (early.hasEnded) throw new Error(`${early.name} ended before the migration:\n${early.output}`);
    return early.output.includes('waiting for the database to be migrated');
  });
  const readiness = early.pod.probes.find(({ name }) => name === 'readinessProbe');
  check(!(await early.answers(readiness)), `${early.name} is ready before the migration`);
  const code = await migration.run();
  check(code === 0, `migrate ended with ${code}: ${migration.output}`);
  check(!migration.group || migration.group.kills === 0, 'migrate was killed for its memory');
}

async function checkStart(container) {
  const { name, pod } = container;
  if (!container.child) await container.start();
  container.readyMs = await container.becomeReady();
  const { uid, isReadOnly } = container.rights();
  check(uid === pod.uid, `${name} runs as ${uid} in place of ${pod.uid}`);
  check(isReadOnly === pod.isReadOnly, `${name}: its root is read-only: ${isReadOnly}`);
}

async function checkStop(container) {
  const { name, pod, group, readyMs } = container;
  const { ms, code } = await container.stop();
  check(code === 0, `${name} ended with ${code} at a stop:\n${container.output.slice(-2000)}`);
  check(!group || group.kills === 0, `${name} was killed for its memory`);
  const memory = `${Math.round((group?.peakBytes ?? NaN) / MIB)} of ${pod.memoryBytes / MIB} MiB`;
  console.log(`${name.padEnd(36)} ready after ${readyMs} ms, stopped in ${ms} ms, ${memory}`);
}

/** Checks that Node knows the memory limit, and that its heap share is the one of the manifest. */
async function checkHeap(container) {
  if (!container.group) return;
  const { env, memoryBytes } = container.pod;
  const percentage = Number(/--max-old-space-size-percentage=(\d+)/.exec(env.NODE_OPTIONS)[1]);
  const program =
    'console.log(JSON.stringify([process.constrainedMemory(), require("v8").getHeapStatistics().heap_size_limit]))';
  await container.run(['/nodejs/bin/node', '-e', program]);
  const [limit, heap] = JSON.parse(container.output);
  const least = (memoryBytes * percentage) / 100;
  check(
    limit === memoryBytes && heap >= least && heap < least + YOUNG_MAX_BYTES,
    `${container.name}: Node knows a limit of ${limit} bytes and a heap of ${heap}, of ${memoryBytes}`,
  );
}

/** Returns values of Secrets by name and key, as operators create them by docs/operations.md. */
function secretsOf(url) {
  const urlOf = (user) => `postgres://${user}:${url.password}@${url.host}${url.pathname}`;
  const secret = (letter) => letter.repeat(64);
  return {
    'quarry-database': {
      owner_url: urlOf(OWNER),
      serving_url: urlOf(ROLES.serving),
      working_url: urlOf(ROLES.working),
      metrics_url: urlOf(ROLES.metrics),
    },
    'quarry-keys': { rpc_secrets: secret('r'), cursor_secret: secret('c'), secrets_key: secret('s') },
    'quarry-providers': { HUNTER_KEY: secret('h') },
    // Optional, and absent: queues are in PostgreSQL, and there is no language model.
    'quarry-queues': null,
    'quarry-model': null,
  };
}

/** Links a file, which is ten times as fast as a copy and safe because nothing writes into the folder. */
function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch (error) {
    if (error.code !== 'EXDEV') throw error;
    copyFileSync(from, to);
  }
}
