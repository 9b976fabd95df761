// Runs each container of the rendered manifests as it is written there, on exactly the files of its image: command, arguments,
// variables, user, read-only root, limits. Asks its probes, asks through the gateways, stops it with work in hand, and prints
// what it took. The values of Secrets are made up here; nothing else differs from what a cluster is told. test-images.mjs runs it.
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@quarry/test-servers';
import { Cluster } from './containers/cluster.mjs';
import { buildImages } from './containers/built-images.mjs';
import { assembleImage } from './containers/image.mjs';
import { areAlike, parseManifests, podsOf, replicasOf, servicesOf } from './containers/manifests.mjs';
import { IMAGE_APPS } from './image-files.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MIB = 2 ** 20;
/** Of the heap of a limit: what Node adds to the percentage for young objects. */
const YOUNG_MAX_BYTES = 128 * MIB;
/** Longer than it takes to begin with a line, and shorter than any grace. */
const SLOW_DOMAIN = 'slow-3s.sandbox.test';

const faults = [];
const check = (isRight, fault) => void (isRight || faults.push(fault));
const say = (...cells) =>
  console.log(cells.map((cell, i) => (i === 0 ? `${cell}`.padEnd(40) : `${cell}`.padStart(14))).join(''));
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const mebibytes = (bytes) => `${Math.round(bytes / MIB)} MiB`;
const manifestsOf = (overlay) =>
  parseManifests(readFileSync(join(ROOT, `k8s/rendered/${overlay}.yaml`), 'utf8'));
const small = manifestsOf('small');
const production = manifestsOf('production');

/** Of this run alone, removed by who has started it, when what is mounted in it is gone; and what names of its groups begin with. */
const [folder, prefix] = process.argv.slice(2);
const cluster = new Cluster(folder, prefix);
console.log(
  cluster.groups
    ? `Limits of memory are kept by control groups of version ${cluster.groups.version}.`
    : 'No control group with a limit of memory can be made here: limits are not kept, and not checked.',
);
try {
  await cluster.begin();
  cluster.images = makeImages();
  await beforeTheRoles();
  const secrets = await cluster.storage.makeDatabase('quarry');
  const pods = podsOf(small, secrets);
  const inProduction = podsOf(production, secrets);
  checkProduction(pods, inProduction);
  cluster.services = servicesOf(small);
  const running = await startBeforeMigration(pods);
  const starts = await startReplicas(inProduction);
  for (const [target, { appBytes, baseBytes, imageSize = '' }] of cluster.images)
    say(
      `image ${target}`,
      mebibytes(appBytes),
      mebibytes(baseBytes),
      imageSize,
      starts.has(target) ? seconds(starts.get(target)) : '',
    );
  const keys = await makeOrganisation(pods.get('migrate'));
  await askThroughGateways(keys);
  await stopWithWorkInHand(running.get('service-get-email'), keys);
  await checkLimits(pods.get('service-get-email'));
  await stopAll();
} catch (error) {
  faults.push(error.stack);
} finally {
  faults.push(...(await cluster.end()));
}
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? 'Every container runs as its manifest says.' : `${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);

function makeImages() {
  const images = join(folder, 'images');
  mkdirSync(images);
  if (process.argv.includes('--build')) return buildImages(IMAGE_APPS, images, ROOT);
  return new Map(IMAGE_APPS.map((target) => [target, assembleImage(target, join(images, target))]));
}

/**
 * Until the roles are there a process ends, and its Deployment starts it again. An owner that is no superuser may not make
 * them: its migration prints the statements, somebody else runs them as they are, and the next attempt of the Job goes on.
 */
async function beforeTheRoles() {
  const pods = podsOf(small, await cluster.storage.makeDatabase('first'));
  const early = await cluster.add(pods.get('tables')).start();
  const code = await early.exited;
  check(Number.isInteger(code) && code !== 0, `tables ended with ${code} while its role was missing`);
  const refused = await cluster.add(pods.get('migrate')).run();
  const [, statements] = refused.stderr.split('Run once, as somebody who may:\n');
  if (!statements) throw new Error(`The migration does not say which roles it needs: ${refused.stderr}`);
  await cluster.storage.asAdministrator(statements);
  for (const hasChanges of [true, false]) await migrate(pods, hasChanges);
  await cluster.storage.letRolesIn();
  await early.start();
  await early.becomeReady();
  early.kill();
  await early.exited;
}

async function migrate(pods, hasChanges) {
  const job = cluster.add(pods.get('migrate'));
  const { code, stdout, stderr, ms } = await job.run();
  if (code !== 0) throw new Error(`migrate ended with ${code}: ${stdout}${stderr}`);
  const { applied } = JSON.parse(stdout);
  check(applied.length > 0 === hasChanges, `migrate applied ${applied.length} changes`);
  check(!job.group || job.group.kills === 0, 'migrate was killed for its memory');
  say(
    'job migrate',
    `${applied.length} changes`,
    seconds(ms),
    job.group ? mebibytes(job.group.peakBytes) : '',
  );
}

/** Checks that pods which differ in production from small are started as production has them ({@link startReplicas}). */
function checkProduction(pods, others) {
  const isStarted = (name) => replicasOf(production).get(name) > 1;
  for (const [name, pod] of others)
    check(areAlike(pod, pods.get(name)) || isStarted(name), `${name} of production is never run as it is`);
  check(others.size === pods.size, `production has ${others.size} pods in place of ${pods.size}`);
}

/**
 * One of each image on an empty database: nobody is ready and nobody ends before the migration, and then all are, and the others
 * after them.
 */
async function startBeforeMigration(pods) {
  const running = new Map();
  for (const [name, pod] of pods) if (pod.kind === 'Deployment') running.set(name, cluster.add(pod));
  const all = [...running.values()];
  for (const each of all) await checkHeap(each);
  const early = all.filter(({ pod }, i) => all.findIndex((other) => other.pod.target === pod.target) === i);
  await Promise.all(early.map((each) => each.start()));
  await waitFor('an early start to wait for the migration', async () => {
    for (const { name, hasEnded, output } of early)
      if (hasEnded) throw new Error(`${name} ended before the migration:\n${output}`);
    return early.every(({ output }) => output.includes('waiting for the database to be migrated'));
  });
  for (const each of early)
    check(!(await each.answers('readinessProbe')), `${each.name} is ready before the migration`);
  await migrate(pods, true);
  const late = all.filter((each) => !early.includes(each));
  await Promise.all(late.map((each) => each.start()));
  await Promise.all(all.map((each) => cluster.untilReady(each)));
  for (const each of all) faults.push(...each.faultsOfRights());
  return running;
}

/** Node's own view, with all that the manifest gives: the limit, and its part for the heap. */
async function checkHeap(container) {
  if (!container.group) return;
  const { env, memoryBytes } = container.pod;
  const percentage = Number(/--max-old-space-size-percentage=(\d+)/.exec(env.NODE_OPTIONS)[1]);
  const program =
    'console.log(JSON.stringify([process.constrainedMemory(), require("v8").getHeapStatistics().heap_size_limit]))';
  const { stdout, stderr } = await container.run(['/nodejs/bin/node', '-e', program]);
  const [limit, heap] = JSON.parse(stdout || '[]');
  const least = (memoryBytes * percentage) / 100;
  check(
    limit === memoryBytes,
    `${container.name}: Node knows a limit of ${limit} bytes, and not of ${memoryBytes} ${stderr}`,
  );
  check(
    heap >= least && heap < least + YOUNG_MAX_BYTES,
    `${container.name}: a heap of ${heap} bytes in a limit of ${limit}`,
  );
}

/** As many as production has, one after the other on a machine that does little else. @returns milliseconds of a start by target */
async function startReplicas(pods) {
  const starts = new Map();
  for (const [name, count] of replicasOf(production))
    for (let nth = 2; nth <= count; nth++) {
      const container = await cluster.add(pods.get(name)).start();
      const { readyMs } = await cluster.untilReady(container);
      faults.push(...container.faultsOfRights());
      starts.set(container.pod.target, readyMs);
    }
  return starts;
}

async function makeOrganisation(pod) {
  const program = { ...pod, args: ['org:create', '--name', 'Containers', '--credits', '100'] };
  const { stdout, stderr } = await cluster.add(program).run();
  if (!stdout) throw new Error(`An organisation could not be made: ${stderr}`);
  const { api_key: live, test_key: test } = JSON.parse(stdout);
  return { live, test };
}

function gateways() {
  return [...cluster.ready].filter(({ pod }) => pod.target === 'gateway');
}

async function ask(key, path, body, gateway = gateways()[0]) {
  const { ports } = gateway.pod;
  const answer = await fetch(`http://${gateway.address}:${ports.get('http')}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Every gateway reaches every process that answers, by the names of their Services. */
async function askThroughGateways({ live }) {
  const PATHS = ['/v1/workspaces', '/v1/runs', '/credits', '/v1/providers'];
  const answering = [...cluster.ready].filter(({ pod }) => pod.ports.has('rpc'));
  const unasked = new Set(answering);
  await waitFor('every process to be asked', async () => {
    for (const gateway of gateways())
      for (const path of PATHS) {
        const { status } = await ask(live, path, undefined, gateway);
        check(status === 200, `${gateway.name}: ${path} is answered ${status}`);
      }
    for (const each of unasked) {
      const figures = await (
        await fetch(`http://${each.address}:${each.pod.ports.get('metrics')}/metrics`)
      ).text();
      if (/^quarry_calls_total\{.*outcome="ok"/m.test(figures)) unasked.delete(each);
    }
    return unasked.size === 0;
  });
  const { body } = await ask(live, '/v1/providers');
  const { configured } = body.items.find(({ id }) => id === 'hunter');
  check(configured === 'operator', `the key of a vendor has not arrived: ${configured}`);
  console.log(
    `${gateways().length} gateways have asked ${answering.length} processes by the names of their Services.`,
  );
}

/** A worker with open lines is told to stop: it ends them and then itself, and nobody else could have. */
async function stopWithWorkInHand(worker, { test }) {
  const inputs = ['Ada', 'Grace', 'Mary'].map((first_name) => ({
    first_name,
    last_name: 'Tester',
    domain: SLOW_DOMAIN,
  }));
  const { body: made } = await ask(test, '/v1/services/jobs/batch', { service: 'getEmail', inputs });
  const read = async () => (await ask(test, made.poll_url)).body;
  await waitFor('lines to be worked on', async () => (await read()).counts.running === inputs.length);
  await stop(worker);
  const { counts, jobs } = await read();
  check(
    counts.completed === inputs.length,
    `of the lines in hand at a stop remain ${JSON.stringify(counts)}`,
  );
  check(
    jobs.every(({ attempt }) => attempt === 1),
    'a line in hand at a stop was begun again',
  );
}

/** More than the limit is killed by the kernel; more than the heap ends with Node's own words before that. */
async function checkLimits(pod) {
  if (!cluster.groups) return;
  const container = cluster.add(pod);
  const run = (program) => container.run(['/nodejs/bin/node', '-e', program]);
  const heap = await run('const all = []; for (;;) all.push({ a: all.length, b: [] });');
  check(
    heap.stderr.includes('heap out of memory') && container.group.kills === 0,
    `a full heap ends with ${heap.code}`,
  );
  const buffers = await run('const all = []; for (;;) all.push(Buffer.alloc(2 ** 24, 1));');
  check(
    container.group.kills === 1,
    `more than ${mebibytes(pod.memoryBytes)} ends with ${buffers.code}, not killed`,
  );
  console.log(
    `A heap beyond its part ends with ${heap.code}, memory beyond ${mebibytes(pod.memoryBytes)} with ${buffers.code}.`,
  );
}

async function stopAll() {
  await Promise.all([...cluster.ready].map(stop));
}

async function stop(container) {
  const { ms, code, peakBytes, groupPeakBytes, kills } = await cluster.stop(container);
  const { graceMs, memoryBytes } = container.pod;
  check(code === 0, `${container.name} ended with ${code} at a stop:\n${container.output.slice(-2000)}`);
  check(ms < graceMs, `${container.name} took ${ms} ms of ${graceMs} to stop`);
  check(kills === 0, `${container.name} was killed for its memory`);
  say(
    `${container.name}`,
    `${seconds(ms)} of ${seconds(graceMs)}`,
    mebibytes(peakBytes),
    groupPeakBytes === null ? '' : mebibytes(groupPeakBytes),
    mebibytes(memoryBytes),
  );
}
