// Changes of files that are there already.

/** @throws Error when something stands there already: a generator never writes over what somebody wrote */
export function writeNew(tree, path, text) {
  if (tree.exists(path)) throw new Error(`${path} is there already. Nothing was changed.`);
  tree.write(path, text);
}

/**
 * Puts a text in front of the first match of a pattern behind an anchor.
 * @throws Error that names the file when the anchor or the pattern is not there, as after a change of its shape
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
 * Puts a text behind the first match of a pattern at an anchor or after it.
 * @throws Error that names the file when the anchor or the pattern is not there
 */
export function insertAfter(tree, path, anchor, pattern, text) {
  const source = tree.read(path, 'utf8');
  const from = source.indexOf(anchor);
  const found = from < 0 ? null : pattern.exec(source.slice(from));
  if (!found) throw new Error(`${path} has another shape than this generator knows: no "${anchor}".`);
  const at = from + found.index + found[0].length;
  tree.write(path, source.slice(0, at) + text + source.slice(at));
}

/** @returns the paths below a folder that end so */
export function filesBelow(tree, folder, ending) {
  return tree.children(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (!tree.isFile(path))
      return name === 'dist' || name === 'node_modules' ? [] : filesBelow(tree, path, ending);
    return path.endsWith(ending) ? [path] : [];
  });
}
