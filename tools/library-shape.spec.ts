import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LINES_MAX = 6_000;
const NAMES_MAX = 60;
/** Libraries that export more names, each with the reason. */
const WIDE: Readonly<Record<string, number>> = {
  // All requests and resources of the API, by area.
  'libs/contracts/dto': 300,
};
const NOT_SOURCE = /\.(?:[a-z]+-)?spec\.ts$|\.fixture\.ts$|spec-kit\.ts$|statements\.types\.ts$|\.gen\.ts$/;

interface Library {
  path: string;
  /** Its sources without specs, fixtures and generated files, by their path below src. */
  files: ReadonlyMap<string, string>;
}

const libraries = globSync('libs/*/*/package.json', { cwd: ROOT }).map((file): Library => {
  const path = dirname(file);
  const src = join(ROOT, path, 'src');
  const names = (readdirSync(src, { recursive: true }) as string[]).filter(
    (name) => name.endsWith('.ts') && !NOT_SOURCE.test(name),
  );
  return { path, files: new Map(names.map((name) => [name, readFileSync(join(src, name), 'utf8')])) };
});

function linesOf({ files }: Library): number {
  return [...files.values()].reduce((sum, text) => sum + text.split('\n').length - 1, 0);
}

/** Returns the names that a library exports. */
function faceOf({ files }: Library): string[] {
  const text = files.get('index.ts')!.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names]) =>
    names!.split(',').flatMap((name) => name.match(/\w+(?=\s*$)/) ?? []),
  );
}

/** Words of every source, by its path. */
const words = new Map(
  globSync('{libs/*/*/src,apps/*/src,tools,bench}/**/*.{ts,tsx,mjs}', { cwd: ROOT }).map((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [file, new Set(text.match(/@quarry\/[\w-]+|\w+/g))] as const;
  }),
);

/** Returns the exported names that no other project has in a file that imports the library. */
function unusedOf(library: Library): string[] {
  const { name } = JSON.parse(readFileSync(join(ROOT, library.path, 'package.json'), 'utf8')) as {
    name: string;
  };
  const users = [...words].filter(
    ([file, found]) => !file.startsWith(`${library.path}/`) && (found.has(name) || file.endsWith('.mjs')),
  );
  return faceOf(library).filter((word) => !users.some(([, found]) => found.has(word)));
}

/** Returns the folders that each folder imports. Files next to index.ts belong to no folder: they connect the folders. */
function importsOf({ files }: Library): Map<string, Set<string>> {
  const folderOf = (path: string): string | null => (path.includes('/') ? path.split('/')[0]! : null);
  const imports = new Map<string, Set<string>>();
  for (const [name, text] of files) {
    const from = folderOf(name);
    for (const [, path] of text.matchAll(/ from '(\.[^']+)'/g)) {
      const to = folderOf(relative('.', normalize(join(dirname(name), path!))));
      if (from === null || to === null || to === from) continue;
      imports.set(from, (imports.get(from) ?? new Set()).add(to));
    }
  }
  return imports;
}

/** Returns the folders that are part of an import cycle. */
function circlesOf(library: Library): string[] {
  const imports = importsOf(library);
  const reachable = (from: string): Set<string> => {
    const found = new Set(imports.get(from));
    // The set grows during the iteration.
    for (const folder of found) for (const next of imports.get(folder) ?? []) found.add(next);
    return found;
  };
  return [...imports.keys()].filter((folder) => reachable(folder).has(folder));
}

describe.each(libraries.map((library) => [library.path, library] as const))('%s', (path, library) => {
  it('has a size that one person can read, and an index that fits on a page', () => {
    expect(linesOf(library)).toBeLessThanOrEqual(LINES_MAX);
    expect(faceOf(library).length).toBeLessThanOrEqual(WIDE[path] ?? NAMES_MAX);
  });

  // Programs of customers use the client.
  if (path !== 'libs/contracts/sdk')
    it('exports only what other projects use', () => {
      expect(unusedOf(library)).toEqual([]);
    });

  it('has no circular imports between its folders', () => {
    expect(circlesOf(library)).toEqual([]);
  });
});

it('detects a circular import', () => {
  const files = new Map([
    ['a/one.ts', "import { two } from '../b/two.js';"],
    ['b/two.ts', "import { three } from '../c/three.js';"],
    ['c/three.ts', "import { one } from '../a/one.js';"],
    ['d/four.ts', "import { one } from '../a/one.js';"],
  ]);
  expect(circlesOf({ path: 'x', files })).toEqual(['a', 'b', 'c']);
});
