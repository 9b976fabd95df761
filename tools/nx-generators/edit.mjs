// Changes to existing files.

/** @throws Error when the file exists: a generator never overwrites files */
export function writeNew(tree, path, text) {
  if (tree.exists(path)) throw new Error(`${path} is there already. Nothing was changed.`);
  tree.write(path, text);
}

/**
 * Inserts a text before the first match of a pattern after an anchor.
 * @throws Error naming the file when the anchor or the pattern is missing, for example after a change of its structure
 */
export function insertBefore(tree, path, anchor, pattern, text) {
  const source = tree.read(path, 'utf8');
  const from = source.indexOf(anchor);
  const found = from < 0 ? null : pattern.exec(source.slice(from));
  if (!found) throw new Error(`${path} has another shape than this generator knows: no "${anchor}".`);
  const at = from + found.index;
  tree.write(path, source.slice(0, at) + text + source.slice(at));
}

/**
 * Inserts a text after the first match of a pattern at an anchor or after it.
 * @throws Error naming the file when the anchor or the pattern is missing
 */
export function insertAfter(tree, path, anchor, pattern, text) {
  const source = tree.read(path, 'utf8');
  const from = source.indexOf(anchor);
  const found = from < 0 ? null : pattern.exec(source.slice(from));
  if (!found) throw new Error(`${path} has another shape than this generator knows: no "${anchor}".`);
  const at = from + found.index + found[0].length;
  tree.write(path, source.slice(0, at) + text + source.slice(at));
}

/** @returns the paths below a folder with a given ending */
export function filesBelow(tree, folder, ending) {
  return tree.children(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (!tree.isFile(path))
      return name === 'dist' || name === 'node_modules' ? [] : filesBelow(tree, path, ending);
    return path.endsWith(ending) ? [path] : [];
  });
}
