// Builds what has changed, then runs each container as its manifest says (check-images.mjs), in a network of its own.
//   npm run test:images -- --build          images that buildah makes of the Dockerfile, in place of their files alone
//   npm run test:images -- --if-possible    with buildah where it is; where containers cannot be run, says why and ends well
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeGroupsOf } from './containers/memory-group.mjs';
import { nodeOfProject, prepare } from './prepare.mjs';
import { endTreeWithThis } from './process-tree.mjs';

const isOptional = process.argv.includes('--if-possible');
const missing = whatIsMissing();
if (missing.length > 0) {
  console.error(`Containers are not run here: ${missing.join(', ')}.`);
  process.exit(isOptional ? 0 : 1);
}
const root = await prepare();
const folder = mkdtempSync(join(tmpdir(), 'quarry-containers-'));
// Containers read it as the users that they run as.
chmodSync(folder, 0o711);
const check = join(dirname(fileURLToPath(import.meta.url)), 'check-images.mjs');
const hasBuilder = process.argv.includes('--build') || (isOptional && isThere('buildah'));
// Namespaces of its own: addresses, bridges and mounts end with the process.
const child = spawn(
  'unshare',
  ['--net', '--mount', nodeOfProject(root), check, folder, ...(hasBuilder ? ['--build'] : [])],
  { stdio: 'inherit', detached: true },
);
process.on('exit', () => {
  removeGroupsOf(child.pid);
  rmSync(folder, { recursive: true, force: true });
});
endTreeWithThis(child.pid);
child.on('exit', (code) => process.exit(code ?? 1));

/** @returns what this machine lacks, in words; as root on Debian a missing bubblewrap is installed */
function whatIsMissing() {
  if (process.platform !== 'linux') return ['it takes Linux'];
  if (process.getuid() !== 0) return ['only root may make networks and limits of memory'];
  const lacking = () =>
    ['bwrap', 'ip', 'nsenter', 'setpriv', 'unshare', 'redis-server'].filter((name) => !isThere(name));
  if (lacking().length > 0 && isThere('apt-get')) {
    const packages = ['bubblewrap', 'iproute2', 'util-linux', 'redis-server'];
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    spawnSync('apt-get', ['install', '-y', '-qq', ...packages], { stdio: 'ignore' });
  }
  if (lacking().length > 0) return lacking().map((name) => `${name} is not installed`);
  const network =
    'ip link add trial type bridge && ip link add one type veth peer name two && mount -t tmpfs trial /mnt';
  if (!works('unshare', ['--net', '--mount', 'sh', '-c', network])) return ['no networks can be made'];
  const user = ['--reuid', '65532', '--regid', '65532', '--clear-groups'];
  const sandbox = [
    'bwrap',
    '--ro-bind',
    '/',
    '/',
    '--unshare-user',
    '--unshare-pid',
    '--proc',
    '/proc',
    'true',
  ];
  return works('setpriv', [...user, ...sandbox]) ? [] : ['bubblewrap may not make namespaces'];
}

function isThere(program) {
  return !spawnSync(program, ['--version']).error;
}

function works(program, args) {
  return spawnSync(program, args).status === 0;
}
