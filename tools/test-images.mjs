// Builds what has changed, then runs each container as its manifest says (check-images.mjs), in a network of its own.
//   npm run test:images -- --build          images that buildah makes of the Dockerfile, in place of their files alone
//   npm run test:images -- --if-possible    where containers cannot be run, says why and ends with 77 in place of 1
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOfTheDead, prefixOf, removeGroupsOf, removeGroupsOfTheDead } from './containers/memory-group.mjs';
import { ENCLOSED, sandboxed } from './containers/sandbox.mjs';
import { nodeOfProject, prepare } from './prepare.mjs';
import { endTreeWithThis } from './process-tree.mjs';

/** Nothing was checked, and nothing is known to be wrong. Source: Automake's and others' code of a skipped test. */
const SKIPPED = 77;
const FOLDER = 'quarry-containers-';
/** A mirror that does not answer must not hold everything else up. */
const INSTALL_SECONDS = '60';

const hasBuilder = process.argv.includes('--build');
const missing = whatIsMissing();
if (missing.length > 0) {
  console.error(`Containers are not run here: ${missing.join(', ')}.`);
  process.exit(process.argv.includes('--if-possible') ? SKIPPED : 1);
}
removeLeftovers();
const root = await prepare();
const folder = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`));
// Containers read it as the users that they run as.
chmodSync(folder, 0o711);
// Temporary files of the check lie below, too, and go with it.
const scratch = join(folder, 'tmp');
mkdirSync(scratch);
chmodSync(scratch, 0o1777);
const check = join(dirname(fileURLToPath(import.meta.url)), 'check-images.mjs');
const [program, ...args] = [
  ...[...ENCLOSED, nodeOfProject(root), check, folder, prefixOf(process.pid)],
  ...(hasBuilder ? ['--build'] : []),
];
const child = spawn(program, args, {
  stdio: 'inherit',
  detached: true,
  env: { ...process.env, TMPDIR: scratch },
});
process.on('exit', () => {
  removeGroupsOf(process.pid);
  remove(folder);
});
endTreeWithThis(child.pid);
child.on('exit', (code) => process.exit(code ?? 1));

/** @returns what this machine lacks, in words; as root on Debian missing programs are installed */
function whatIsMissing() {
  if (process.platform !== 'linux') return ['it takes Linux'];
  if (process.getuid() !== 0) return ['only root may make networks and limits of memory'];
  // Without ps nobody finds what a process that is ended has started.
  const programs = ['bwrap', 'ip', 'nsenter', 'ps', 'setpriv', 'unshare', 'redis-server'];
  const lacking = () => programs.filter((name) => !isThere(name));
  if (lacking().length > 0 && isThere('apt-get')) {
    const packages = ['bubblewrap', 'iproute2', 'procps', 'util-linux', 'redis-server'];
    for (const command of [
      ['update', '-qq'],
      ['install', '-y', '-qq', ...packages],
    ])
      spawnSync('timeout', [INSTALL_SECONDS, 'apt-get', ...command], { stdio: 'ignore' });
  }
  if (lacking().length > 0) return lacking().map((name) => `${name} is not installed`);
  if (hasBuilder && !canBuild()) return ['--build takes a buildah that knows --build-context'];
  if (!works([...ENCLOSED, 'true'])) return ['no namespaces of networks, mounts and processes can be made'];
  const network =
    'ip link add trial type bridge && ip link add one type veth peer name two && mount -t tmpfs trial /mnt';
  if (!works([...ENCLOSED, 'sh', '-c', network])) return ['no networks can be made'];
  const pod = {
    user: { uid: 65532, gid: 65532 },
    mayGainRights: false,
    dropsAll: true,
    isReadOnly: true,
    mounts: [{ path: '/tmp', bytes: 2 ** 20 }],
  };
  const place = { root: '/', files: {}, name: 'trial', folder: '/', env: { PATH: process.env.PATH } };
  return works([...ENCLOSED, ...sandboxed(pod, place, ['true'])])
    ? []
    : ['bubblewrap may not make the namespaces and mounts of a container'];
}

function canBuild() {
  const { stdout } = spawnSync('buildah', ['bud', '--help'], { encoding: 'utf8' });
  return stdout?.includes('--build-context') ?? false;
}

/** Groups, and then folders, of runs that were killed and could not do it themselves. */
function removeLeftovers() {
  const isRunning = (pid) => existsSync(`/proc/${pid}`);
  removeGroupsOfTheDead(isRunning);
  for (const name of readdirSync(tmpdir()))
    if (isOfTheDead(name, new RegExp(`^${FOLDER}(\\d+)-`), isRunning)) remove(join(tmpdir(), name));
}

/** Removes a folder; a process that has just been killed may still be writing to it. */
function remove(path) {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  } catch (error) {
    console.error(`${path} could not be removed: ${error.message}`);
  }
}

function isThere(name) {
  return !spawnSync(name, ['--version']).error;
}

function works([command, ...rest]) {
  return spawnSync(command, rest).status === 0;
}
