// Images: their configuration, as the Dockerfile has it, and their files in a folder.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assemble } from '../image-files.mjs';
import { nodeOfProject } from '../prepare.mjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Mount points, which a read-only root must have. */
const EMPTY_FOLDERS = ['tmp', 'dev', 'proc', 'sys', 'etc'];

/**
 * @param {string} target of the Dockerfile
 * @returns {{ env: Record<string, string>, folder: string, user: string, entrypoint: string[], command: string[] }} what a
 *   container of it is started with
 */
export function configOf(target, text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) {
  const stages = new Map();
  let stage;
  for (const line of text.replace(/\\\n/g, ' ').split('\n')) {
    const [, word, rest] = /^([A-Z]+) +(.*)$/.exec(line.trim()) ?? [];
    if (word === 'FROM') {
      const [, from, name] = /^(\S+) AS (\S+)$/.exec(rest);
      stage = structuredClone(
        stages.get(from) ?? { env: {}, folder: '/', user: '', entrypoint: [], command: [] },
      );
      stages.set(name, stage);
    } else if (word === 'ENV')
      for (const [, name, value] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[name] = value;
    else if (word === 'WORKDIR') stage.folder = rest;
    else if (word === 'USER') stage.user = rest;
    else if (word === 'ENTRYPOINT') Object.assign(stage, { entrypoint: JSON.parse(rest), command: [] });
    else if (word === 'CMD') stage.command = JSON.parse(rest);
  }
  if (!stages.has(target)) throw new Error(`The Dockerfile has no target ${target}.`);
  return stages.get(target);
}

/** Returns a container's program: a manifest's command replaces entrypoint and arguments, its args replace those. */
export function programOf({ entrypoint, command }, manifest) {
  if (manifest.command) return [...manifest.command, ...(manifest.args ?? [])];
  return [...entrypoint, ...(manifest.args ?? command)];
}

/** @returns the same of an image that was built, from its OCI configuration */
export function configOfBuilt({ Env, WorkingDir, User, Entrypoint, Cmd }) {
  const env = Object.fromEntries(
    Env.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]),
  );
  // A builder sets it where the base has none.
  delete env.PATH;
  return { env, folder: WorkingDir, user: User, entrypoint: Entrypoint, command: Cmd };
}

/**
 * Puts the files of an image into a folder, without a builder: those that the Dockerfile copies, and in place of its base Node
 * with the libraries that it is linked to.
 * @returns {{ root: string, appBytes: number, baseBytes: number }} the folder, and sizes
 */
export function assembleImage(target, root) {
  const appBytes = assembleApp(target, join(root, 'app'));
  const baseBytes = assembleBase(root) - appBytes;
  addMountPoints(root);
  return { root, appBytes, baseBytes };
}

/** Puts the files of an app into a folder. @returns their bytes */
export function assembleApp(target, out) {
  assemble(target, out, linkOrCopy);
  return bytesBelow(out);
}

/** Node with its libraries, a name for the user, and where names are looked up, as distroless has them. @returns bytes below */
export function assembleBase(out) {
  const node = nodeOfProject(ROOT);
  const libraries = spawnSync('ldd', [node], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? [];
  for (const library of libraries) put(realpathSync(library), join(out, library));
  put(node, join(out, 'nodejs/bin/node'));
  for (const folder of EMPTY_FOLDERS) mkdirSync(join(out, folder), { recursive: true });
  writeFileSync(join(out, 'etc/passwd'), 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n');
  writeFileSync(join(out, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  return bytesBelow(out);
}

/** Files that whoever runs a container puts its own upon. */
export function addMountPoints(out) {
  mkdirSync(join(out, 'sys/fs/cgroup'), { recursive: true });
  for (const file of ['hosts', 'resolv.conf']) writeFileSync(join(out, 'etc', file), '');
}

/** Nothing writes into the folder, and thousands of links are made in a tenth of the time that copies take. */
function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch (error) {
    if (error.code !== 'EXDEV') throw error;
    copyFileSync(from, to);
  }
}

function put(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { dereference: true });
}

/** @returns bytes of the files below a folder */
function bytesBelow(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  return bytes;
}
