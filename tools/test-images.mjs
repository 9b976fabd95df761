// Builds the changed packages, then runs each container as its manifest says (check-images.mjs), in a separate network.
//   npm run test:images -- --if-possible    where containers cannot run, prints the reason and exits with 77 instead of 1
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sandboxOf } from './containers/container.mjs';
import { GROUP_FOLDERS } from './containers/memory-group.mjs';
import { nodeOfProject, prepare } from './prepare.mjs';
import { endTreeWithThis } from './process-tree.mjs';

/** Exit code of a skipped test: nothing was checked. Source: Automake and others. */
const SKIPPED = 77;
const FOLDER = 'quarry-containers-';
/** Timeout for a mirror that does not respond. */
const INSTALL_SECONDS = '60';
/**
 * Prefix of a command that runs it with separate network, mounts and processes, which end with it in any case. A shell comes
 * first, because some process must reap orphans; the kernel ends it when this process is killed.
 */
const ENCLOSED = [
  'setpriv',
  '--pdeathsig',
  'KILL',
  'unshare',
  '--net',
  '--mount',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  'sh',
  '-c',
  'ip link set lo up && "$@"; exit $?',
  'sh',
];

const missing = whatIsMissing();
if (missing) {
  console.error(`Containers are not run here: ${missing}.`);
  process.exit(process.argv.includes('--if-possible') ? SKIPPED : 1);
}
cleanUpKilledRuns();
const root = await prepare();
const folder = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`));
// Containers read it as different users.
chmodSync(folder, 0o711);
// Temporary files of the check are below the folder, too, and are removed with it.
const TMPDIR = join(folder, 'tmp');
mkdirSync(TMPDIR);
chmodSync(TMPDIR, 0o1777);
const { renderManifests } = await import('./kubectl.mjs');
for (const overlay of ['small', 'production'])
  writeFileSync(join(folder, `${overlay}.yaml`), renderManifests(join(root, 'k8s/overlays', overlay)));
const check = join(dirname(fileURLToPath(import.meta.url)), 'check-images.mjs');
const [program, ...args] = [...ENCLOSED, nodeOfProject(root), check, folder];
const child = spawn(program, args, { stdio: 'inherit', detached: true, env: { ...process.env, TMPDIR } });
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
endTreeWithThis(child.pid);
child.on('exit', (code) => process.exit(code ?? 1));

/** @returns what this machine lacks, as text; as root on Debian missing programs are installed */
function whatIsMissing() {
  if (process.platform !== 'linux') return 'it takes Linux';
  if (process.getuid() !== 0) return 'only root may make limits of memory';
  // Without ps, the descendants of a process cannot be found.
  const isThere = (name) => !spawnSync(name, ['--version']).error;
  const lacking = () => ['bwrap', 'ip', 'ps', 'setpriv', 'unshare'].filter((name) => !isThere(name));
  if (lacking().length > 0 && isThere('apt-get'))
    for (const command of [
      ['update', '-qq'],
      ['install', '-y', '-qq', 'bubblewrap', 'iproute2', 'procps', 'util-linux'],
    ])
      spawnSync('timeout', [INSTALL_SECONDS, 'apt-get', ...command], { stdio: 'ignore' });
  if (lacking().length > 0) return `${lacking().join(', ')} is not installed`;
  const pod = { uid: 65532, gid: 65532, isReadOnly: true, mounts: [{ path: '/tmp', bytes: 2 ** 20 }] };
  const system = Object.fromEntries(
    ['/usr', '/bin', '/lib', '/lib64'].filter(existsSync).map((path) => [path, path]),
  );
  const [command, ...rest] = [...ENCLOSED, ...sandboxOf(pod, system), '/usr/bin/true'];
  const { status, stderr } = spawnSync(command, rest, { encoding: 'utf8' });
  return status === 0 ? undefined : `no container can be made (${stderr.trim()})`;
}

/** Removes the groups and folders of runs that were killed before they could do so. */
function cleanUpKilledRuns() {
  for (const parent of [...GROUP_FOLDERS, tmpdir()])
    for (const name of readdirSync(parent)) {
      const [, pid] = new RegExp(`^${FOLDER}(\\d+)-`).exec(name) ?? [];
      if (!pid || existsSync(`/proc/${pid}`)) continue;
      if (parent === tmpdir()) rmSync(join(parent, name), { recursive: true, force: true });
      else rmdirSync(join(parent, name));
    }
}
