// Builds the targets of the Dockerfile with buildah, without a daemon and without a registry: the base is Node with its
// libraries, and in place of the first stage stand the files that it would have made.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { assembleBase, assembleApp, addMountPoints, configOf, configOfBuilt } from './image.mjs';

const BASE = 'localhost/quarry-base';

/**
 * @param {string[]} targets of the Dockerfile
 * @param {string} folder for all of it
 * @returns {Map<string, { root: string, appBytes: number, baseBytes: number, imageSize: string }>} by target: the folder of a
 *   container that was made from its image, and sizes
 * @throws Error when one cannot be built, or is configured otherwise than this check reads the Dockerfile
 */
export function buildImages(targets, folder, context) {
  const buildah = storeIn(folder, context);
  const base = join(folder, 'base');
  const baseBytes = assembleBase(base);
  const made = buildah('from', 'scratch');
  buildah('copy', '--quiet', made, base, '/');
  buildah('commit', '--quiet', made, BASE);
  const files = join(folder, 'build');
  return new Map(
    targets.map((target) => {
      const appBytes = assembleApp(target, join(files, 'files', target, 'app'));
      const image = `localhost/quarry-${target}`;
      const stage = ['--build-context', `build=${files}`, '--build-arg', `BASE=${BASE}`];
      buildah('bud', '--quiet', '--isolation', 'chroot', '--target', target, ...stage, '--tag', image, '.');
      const { OCIv1 } = JSON.parse(buildah('inspect', '--type', 'image', image));
      if (!isDeepStrictEqual(configOfBuilt(OCIv1.config), configOf(target)))
        throw new Error(`The image ${target} is configured as ${JSON.stringify(OCIv1.config)}.`);
      const root = join(folder, target);
      // The store itself is closed to the users that containers run as.
      mkdirSync(root);
      execFileSync('mount', ['--bind', buildah('mount', buildah('from', image)), root]);
      addMountPoints(root);
      const [{ size }] = JSON.parse(buildah('images', '--json', image));
      return [target, { root, appBytes, baseBytes, imageSize: size }];
    }),
  );
}

/** Images and containers below a folder, and nowhere else. @returns what runs a command of buildah and gives what it prints */
function storeIn(folder, cwd) {
  const at = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
  const run = (driver, args) =>
    execFileSync('buildah', ['--storage-driver', driver, ...at, ...args], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  try {
    // Layers upon layers; without it every step copies all files.
    run('overlay', ['mount', run('overlay', ['from', 'scratch'])]);
    return (...args) => run('overlay', args);
  } catch {
    rmSync(join(folder, 'storage'), { recursive: true, force: true });
    return (...args) => run('vfs', args);
  }
}
