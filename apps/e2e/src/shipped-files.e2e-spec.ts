import { describe, expect, it } from '@jest/globals';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
/** Files that only specs import, by the naming rules of CONTRIBUTING.md. */
const OF_TESTS = /\.(spec|e2e-spec|fault-spec|contract|fixture)\.|\/spec-kit\.|\/model-test\//;
const TEST_TYPES = ['type:testing', 'type:suite'];
/** `from 'name'`, `import 'name'` and `import('name')` of a package in the output of the build. */
const PACKAGE_IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)["']((?:@[\w-]+\/)?[a-z][\w.:-]*)(?:\/[\w./-]+)?["']/g;

interface Package {
  dir: string;
  name: string;
  dependencies: Record<string, string>;
  tags: string[];
}

const packages = globSync('{apps/*,libs/*/*}/package.json', { cwd: ROOT }).map((file): Package => {
  const dir = dirname(file);
  const { dependencies = {}, nx, ...rest } = JSON.parse(textOf(`${dir}/package.json`));
  return { dir, name: rest.name, dependencies, tags: nx.tags };
});
/** Apps that run as processes: files for browsers are bundled. `describe.each` refuses an empty list. */
const apps = packages.filter(({ tags }) => tags.includes('type:app') && !tags.includes('scope:web'));

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** @returns the packages of this repository in the image of an app: its direct and indirect dependencies */
function shippedWith(app: Package): Package[] {
  const found = [app];
  // The list grows during the iteration.
  for (const { dependencies } of found)
    for (const each of packages) if (each.name in dependencies && !found.includes(each)) found.push(each);
  return found;
}

function filesOf({ dir }: Package): string[] {
  const dist = join(dir, 'dist');
  return readdirSync(join(ROOT, dist), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

describe.each(apps.map((app) => [app.dir, shippedWith(app)] as const))(
  'files shipped with %s',
  (_, shipped) => {
    const files = shipped.flatMap(filesOf);

    it('are built', () => expect(files).toContain(`${shipped[0]!.dir}/dist/main.js`));

    it('include no test package', () => {
      expect(shipped.filter(({ tags }) => tags.some((tag) => TEST_TYPES.includes(tag)))).toEqual([]);
    });

    it('include no test file', () => expect(files.filter((file) => OF_TESTS.test(file))).toEqual([]));

    it('import only what the package declares as a dependency', () => {
      const undeclared = shipped.flatMap((each) => {
        // Bundles are skipped: they consist of modules that are checked here.
        const scripts = filesOf(each).filter(
          (file) => file.endsWith('.js') && !file.includes('/dist/bundle/'),
        );
        const named = scripts.flatMap((file) =>
          [...textOf(file).matchAll(PACKAGE_IMPORT)].map(([, name]) => name!),
        );
        const missing = new Set(named.filter((name) => !isBuiltin(name) && !(name in each.dependencies)));
        return [...missing].map((name) => `${each.dir}: ${name}`);
      });
      expect(undeclared).toEqual([]);
    });
  },
);

it('finds test files in the sources, which the build has left out', () => {
  const sources = packages
    .filter(({ tags }) => !tags.some((tag) => TEST_TYPES.includes(tag)))
    .flatMap(({ dir }) => readdirSync(join(ROOT, dir, 'src'), { recursive: true, encoding: 'utf8' }));
  expect(sources.filter((file) => OF_TESTS.test(`/${file}`)).length).toBeGreaterThan(100);
});
