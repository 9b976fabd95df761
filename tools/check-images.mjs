// Runs each container of the rendered manifests as it is written there, on exactly the files of its image: command, arguments,
// variables, user, read-only root, limits. Asks its probes, asks through the gateway, stops it, and prints what it took. The
// values of Secrets are made up here; nothing else differs from what a cluster is told. npm run test:images
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { PostgresServer } from '@quarry/local-postgres';
import { ROLES, roleSql } from '@quarry/platform';
import { OwnRedis, waitFor } from '@quarry/test-servers';
import { Container } from './containers/container.mjs';
import { assembleImage } from './containers/image.mjs';
import { areAlike, parseManifests, podsOf, replicasOf, servicesOf } from './containers/manifests.mjs';
import { findMemoryGroups } from './containers/memory-group.mjs';
import { PodNetwork } from './containers/pod-network.mjs';
import { IMAGE_APPS } from './image-files.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OWNER = 'quarry_owner';
const MEGABYTE = 1e6;

const faults = [];
const check = (isRight, fault) => void (isRight || faults.push(fault));
const folder = mkdtempSync(join(tmpdir(), 'quarry-containers-'));
// Containers read it as the users that they run as.
chmodSync(folder, 0o711);
const containers = [];
const ending = [];
const machine = {
  folder,
  groups: findMemoryGroups(),
  network: await PodNetwork.make(),
  rootOf: (target) => join(folder, 'images', target),
};
try {
  await checkAll();
} finally {
  for (const each of containers) each.kill();
  await Promise.all(containers.map(({ exited }) => exited));
  for (const { group } of containers) group?.remove();
  for (const end of ending.reverse()) await end();
  machine.network.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? 'Every container runs as its manifest says.' : `${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);

async function checkAll() {
  console.log(
    machine.groups
      ? `Limits of memory are kept by control groups of version ${machine.groups.version}.`
      : 'No control group with a limit of memory can be made here: limits are not kept, and not checked.',
  );
  assembleImages();
  const storage = await startStorage();
  const small = parseManifests(readFileSync(join(root, 'k8s/rendered/small.yaml'), 'utf8'));
  const pods = podsOf(small, storage.secrets);
  const services = servicesOf(small);
  const migrate = new Container(pods.get('migrate'), machine);
  containers.push(migrate);
  const { code, stdout, stderr, ms } = await migrate.run();
  console.log('migrate', code, stdout.slice(0, 200), stderr, ms);
  for (const name of ['tables', 'services', 'runs-agent', 'gateway']) {
    const each = new Container(pods.get(name), machine);
    containers.push(each);
    await each.start();
    console.log(name, await each.becomeReady(), each.faultsOfRights());
    for (const [service, selects] of services)
      if (selects(each.pod)) machine.network.use(service, [each.address]);
  }
  for (const each of containers.slice(1).reverse()) console.log(each.name, await each.stop());
}

function assembleImages() {
  for (const target of IMAGE_APPS) {
    const { appBytes, baseBytes, packages } = assembleImage(target, machine.rootOf(target));
    console.log(
      `${target.padEnd(12)} ${Math.round(appBytes / MEGABYTE)} MB beside ${Math.round(baseBytes / MEGABYTE)} MB, ${packages} packages`,
    );
  }
}

/**
 * PostgreSQL and Redis, which are the operator's, where pods reach them.
 * @returns the values of Secrets by name and key, as docs/operations.md has the operator make them, and the administrator's
 *   address
 */
async function startStorage() {
  mkdirSync(join(folder, 'database'));
  const postgres = await PostgresServer.start({
    dir: join(folder, 'database/postgres'),
    settings: ['fsync=off'],
  });
  ending.push(() => postgres.stop());
  const redis = await OwnRedis.start();
  ending.push(() => redis.stop());
  const adminUrl = postgres.url('postgres');
  const { port, password } = new URL(adminUrl);
  const at = await machine.network.lead(5432, Number(port));
  const queues = `redis://${await machine.network.lead(6379, Number(new URL(redis.url).port))}/0`;
  const urlOf = (user) => `postgres://${user}:${password}@${at}/quarry`;
  const administrator = new pg.Client({ connectionString: adminUrl });
  await administrator.connect();
  ending.push(() => administrator.end());
  await administrator.query(`CREATE ROLE ${OWNER} LOGIN CREATEROLE PASSWORD '${password}'`);
  await administrator.query(`CREATE DATABASE quarry OWNER ${OWNER}`);
  for (const role of Object.values(ROLES))
    await administrator.query(`${roleSql(role)}; ALTER ROLE ${role} LOGIN PASSWORD '${password}'`);
  await administrator.query(`GRANT ${ROLES.working} TO ${OWNER} WITH INHERIT TRUE, SET TRUE`);
  const secret = (letter) => letter.repeat(64);
  return {
    secrets: {
      'quarry-database': {
        owner_url: urlOf(OWNER),
        serving_url: urlOf(ROLES.serving),
        working_url: urlOf(ROLES.working),
        metrics_url: urlOf(ROLES.metrics),
      },
      'quarry-keys': { rpc_secrets: secret('r'), cursor_secret: secret('c'), secrets_key: secret('s') },
      'quarry-queues': { url: queues, redis_url: queues },
      // Keys of vendors; a value shows that variables of a whole Secret arrive.
      'quarry-providers': { HUNTER_KEY: secret('h') },
      // No language model: its Secret is one that may be missing.
      'quarry-model': null,
    },
  };
}
