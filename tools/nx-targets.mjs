// Derives the targets of each project from its files, so that the first spec of a kind creates its target and none is
// forgotten. `typecheck` comes from Nx's own plugin (nx.json), which reads the project's tsconfig.json.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Suites by the ending of their file names; the longest matching ending counts. */
const SUITES = {
  '.endurance.fault-spec.ts': { target: 'test:endurance', suite: 'endurance', needsServers: true },
  '.fault-spec.ts': { target: 'test:faults', suite: 'faults', needsServers: true },
  '.e2e-spec.ts': { target: 'test:e2e', suite: 'e2e', needsServers: true },
  '.browser-spec.ts': { target: 'test:browser', suite: 'browser', needsServers: true },
  '.process-spec.ts': { target: 'test:processes', suite: 'processes', needsServers: true },
  '.db.spec.ts': { target: 'test:db', suite: 'db', needsServers: true },
  '.spec.ts': { target: 'test', suite: 'unit' },
};
const SUITE_ENDS = Object.keys(SUITES).sort((a, b) => b.length - a.length);
/** Targets that create generated sources: those of the project, and of its dependencies. */
const GENERATED = ['generate', '^generate'];
/** Packages that start the temporary servers of a test run; Jest loads them from their builds. */
const TEST_SERVERS = ['@quarry/testing'];

export const createNodesV2 = [
  '{apps/*,libs/*/*,bench,tools}/package.json',
  (files, _options, { workspaceRoot }) =>
    files.map((file) => {
      const root = dirname(file);
      return [file, { projects: { [root]: { targets: targetsOf(root, workspaceRoot) } } }];
    }),
];

/** @returns the targets of the project in a folder */
function targetsOf(root, workspaceRoot) {
  const hasSources = existsSync(join(workspaceRoot, root, 'src'));
  const tags = tagsOf(root, workspaceRoot);
  const isSuite = tags.includes('type:suite');
  const sources = hasSources ? `${root}/src` : root;
  const files = readdirSync(join(workspaceRoot, sources), { recursive: true });
  const suites = new Set(files.map((file) => SUITE_ENDS.find((end) => file.endsWith(end))).filter(Boolean));
  // SQL files ship next to the code that reads them.
  const copies = files.some((file) => file.endsWith('.sql')) ? ' --copy-files' : '';
  const build = {
    command: `swc src -d dist --config-file ${relative(root, '.swcrc')} --strip-leading-paths --delete-dir-on-start${copies} --quiet`,
    options: { cwd: root },
    inputs: ['production', { externalDependencies: ['@swc/core', '@swc/cli'] }],
    outputs: ['{projectRoot}/dist'],
    cache: true,
    metadata: { description: 'Compiles what ships.' },
  };
  const isBrowserApp = existsSync(join(workspaceRoot, root, 'vite.config.mjs'));
  const isProgram = tags.includes('type:app') && !isBrowserApp;
  return {
    ...(hasSources && !isSuite
      ? { build: isBrowserApp ? browserBuild(root) : isProgram ? bundledBuild(build) : build }
      : {}),
    lint: {
      command: `eslint ${root} --max-warnings 0`,
      inputs: ['default', '^production', 'lint', { externalDependencies: ['eslint', 'typescript-eslint'] }],
      dependsOn: GENERATED,
      cache: true,
      metadata: { description: 'Rules about habits, libraries and declared packages.' },
    },
    ...Object.fromEntries(
      [...suites].map((end) => [SUITES[end].target, testTarget(sources, SUITES[end], isSuite)]),
    ),
  };
}

/** @returns the build of an app that runs on Node: compiled, and bundled with all its dependencies */
function bundledBuild(compile) {
  return {
    ...compile,
    command: `${compile.command} && node ../../tools/bundle-app.mjs .`,
    inputs: [
      'production',
      '^production',
      ...['tools/bundle-app.mjs', 'package-lock.json'].map((file) => `{workspaceRoot}/${file}`),
    ],
    metadata: { description: 'Compiles what ships, and makes one program of it.' },
  };
}

/** @returns the build of a browser application: bundled, hashed and compressed */
function browserBuild(root) {
  return {
    command: 'vite build --logLevel warn',
    options: { cwd: root },
    inputs: [
      'default',
      {
        externalDependencies: [
          'vite',
          '@vitejs/plugin-react',
          'react',
          'react-dom',
          '@base-ui/react',
          'uplot',
        ],
      },
    ],
    outputs: ['{projectRoot}/dist'],
    // The application imports only types from other packages.
    dependsOn: [],
    cache: true,
    metadata: { description: 'Bundles what browsers load.' },
  };
}

function tagsOf(root, workspaceRoot) {
  const { nx } = JSON.parse(readFileSync(join(workspaceRoot, root, 'package.json'), 'utf8'));
  return nx?.tags ?? [];
}

/** @param isSuite whether the project is a suite (`apps/e2e`, `apps/faults`), which starts apps from their builds */
function testTarget(sources, { suite, needsServers = false }, isSuite) {
  return {
    command: `node tools/run-jest.mjs --selectProjects ${suite} --testPathPatterns /${sources}/`,
    inputs: ['default', '^production', 'tests', { externalDependencies: ['jest', '@swc/jest'] }],
    dependsOn: [
      ...GENERATED,
      ...(needsServers ? [{ target: 'build', projects: TEST_SERVERS }] : []),
      // Builds the harness, and the apps as implicit dependencies of the suite.
      ...(isSuite ? ['^build'] : []),
    ],
    // The result of whole processes depends on more than files.
    cache: !isSuite,
    metadata: { description: `Runs the ${suite} suite of this project.` },
  };
}
