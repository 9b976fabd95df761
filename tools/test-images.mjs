// Builds what has changed, then runs each container as its manifest says (check-images.mjs), in a network of its own.
//   npm run test:images            further: --build (images by buildah), --if-possible (says what is missing, and ends)
import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeOfProject, prepare } from './prepare.mjs';
import { endTreeWithThis } from './process-tree.mjs';

const missing = whatIsMissing();
if (missing.length > 0) {
  console.error(`Containers are not run here: ${missing.join(', ')}.`);
  process.exit(process.argv.includes('--if-possible') ? 0 : 1);
}
const root = await prepare();
const check = join(dirname(fileURLToPath(import.meta.url)), 'check-images.mjs');
// Namespaces of its own: addresses, bridges and mounts end with the process.
const child = spawn('unshare', ['--net', '--mount', nodeOfProject(root), check, ...process.argv.slice(2)], {
  stdio: 'inherit',
  detached: true,
});
endTreeWithThis(child.pid);
child.on('exit', (code) => process.exit(code ?? 1));

/** @returns what this machine lacks, in words */
function whatIsMissing() {
  if (process.platform !== 'linux') return ['it takes Linux'];
  const programs = ['bwrap', 'ip', 'nsenter', 'setpriv', 'unshare', 'redis-server'];
  const isThere = (program) => !spawnSync(program, ['--version']).error;
  const lacks = programs
    .filter((program) => !isThere(program))
    .map((program) => `${program} is not installed`);
  if (process.getuid() !== 0) return [...lacks, 'only root may make networks and limits of memory'];
  const trial = [
    '--net',
    '--mount',
    'sh',
    '-c',
    'ip link add trial type bridge && ip link add one type veth peer name two',
  ];
  if (lacks.length === 0 && spawnSync('unshare', trial).status !== 0) return ['no networks can be made'];
  const user = [
    '--reuid',
    '65532',
    '--regid',
    '65532',
    '--clear-groups',
    'bwrap',
    '--ro-bind',
    '/',
    '/',
    '--unshare-user',
    'true',
  ];
  if (lacks.length === 0 && spawnSync('setpriv', user).status !== 0)
    return ['bubblewrap may not make namespaces'];
  return lacks;
}
