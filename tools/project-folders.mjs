// Folders of the packages of a checkout: apps/<name>, and libs/<folder>/<name>.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} root folder of a checkout; in earlier versions the libraries were not grouped in folders
 * @param {string[]} kinds
 * @returns {string[]} folders of its packages, from the root
 */
export function projectFolders(root, kinds = ['libs', 'apps']) {
  const below = (folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`);
  const isPackage = (folder) => existsSync(join(root, folder, 'package.json'));
  return kinds
    .flatMap(below)
    .flatMap((folder) => (isPackage(folder) ? [folder] : below(folder).filter(isPackage)));
}
