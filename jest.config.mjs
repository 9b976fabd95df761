/**
 * Suites by their dependencies: pure functions, a real database or Redis. Run by separate commands: the whole product over HTTP
 * (npm run test:e2e), how its processes start, stop and are killed (npm run test:processes), faults, which take minutes
 * (npm run test:faults), two versions side by side (npm run test:versions), and endurance tests (npm run test:endurance).
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

// The build excludes specs; here they are compiled.
const {
  exclude: _exclude,
  $schema: _schema,
  ...swc
} = JSON.parse(readFileSync(new URL('./.swcrc', import.meta.url), 'utf8'));

const common = {
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^fast-check$': '<rootDir>/tools/seeded-fast-check.mjs',
    '^(\\.{1,2}/(?!node_modules/).*)\\.js$': '$1',
  },
  testEnvironment: '<rootDir>/tools/jest/one-context.environment.mjs',
  runtime: '<rootDir>/tools/jest/packages-once.runtime.mjs',
  // Loads packages of this repository from their sources. Jest adds "import" or "require" itself, as the importer needs.
  testEnvironmentOptions: { customExportConditions: ['@quarry/source', 'node', 'node-addons'] },
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tools'],
  modulePathIgnorePatterns: ['/dist/'],
};

export default {
  // At least three: suites with a database or whole processes wait for a third of their time.
  maxWorkers: Math.max(3, availableParallelism() - 1),
  // Far longer than any test: it only ends a test that hangs, also on a busy machine.
  testTimeout: 180_000,
  // Milliseconds for a worker, and Jest itself, to end before this is reported as a leak (tools/run-jest.mjs). Usually half a
  // second, several times that on a busy machine; open resources would keep them running for ever.
  workerGracefulExitTimeout: 20_000,
  openHandlesTimeout: 20_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['**/*.spec.ts'],
      testPathIgnorePatterns: ['/dist/', '\\.db\\.spec\\.ts$'],
    },
    {
      ...common,
      displayName: 'db',
      testMatch: ['**/*.db.spec.ts'],
      globalSetup: '<rootDir>/libs/testing/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/testing/src/jest-global-teardown.mjs',
    },
    {
      ...common,
      displayName: 'e2e',
      setupFiles: ['<rootDir>/libs/testing/testing/src/checked-fetch.ts'],
      testMatch: ['**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/libs/testing/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/testing/src/jest-global-teardown.mjs',
    },
    {
      ...common,
      displayName: 'processes',
      setupFiles: ['<rootDir>/libs/testing/testing/src/checked-fetch.ts'],
      testMatch: ['**/*.process-spec.ts'],
      globalSetup: '<rootDir>/libs/testing/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/testing/src/jest-global-teardown.mjs',
    },
    {
      ...common,
      displayName: 'browser',
      testMatch: ['**/*.browser-spec.ts'],
      globalSetup: '<rootDir>/libs/testing/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/testing/src/jest-global-teardown.mjs',
    },
    {
      ...common,
      displayName: 'faults',
      setupFilesAfterEnv: ['<rootDir>/libs/testing/testing/src/fault-limits.ts'],
      testMatch: ['**/*.fault-spec.ts'],
      testPathIgnorePatterns: ['/dist/', '\\.endurance\\.fault-spec\\.ts$'],
      globalSetup: '<rootDir>/libs/testing/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/testing/src/jest-global-teardown.mjs',
    },
    {
      ...common,
      displayName: 'conformance',
      testMatch: ['**/*.conformance-spec.ts'],
      globalSetup: '<rootDir>/libs/testing/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/testing/src/jest-global-teardown.mjs',
    },
    {
      ...common,
      displayName: 'manifests',
      testMatch: ['**/*.manifest-spec.ts'],
      // Downloaded once, before several specs need it.
      globalSetup: '<rootDir>/tools/kubectl.mjs',
    },
    {
      ...common,
      displayName: 'versions',
      setupFilesAfterEnv: ['<rootDir>/libs/testing/testing/src/fault-limits.ts'],
      testMatch: ['**/*.versions-spec.ts'],
      globalSetup: '<rootDir>/libs/testing/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/testing/src/jest-global-teardown.mjs',
    },
    {
      ...common,
      displayName: 'endurance',
      setupFilesAfterEnv: ['<rootDir>/libs/testing/testing/src/fault-limits.ts'],
      testMatch: ['**/*.endurance.fault-spec.ts'],
      globalSetup: '<rootDir>/libs/testing/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/testing/src/jest-global-teardown.mjs',
    },
  ],
};
