/**
 * Suites by what they touch: pure functions, a real database or Redis, the whole product over HTTP; faults, which
 * take minutes and run by their own command (npm run test:faults); and the long proof (npm run test:endurance).
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

// The build leaves specs out; here they are what is compiled.
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
  testEnvironment: 'node',
  // Packages of this repository from their source. Jest adds "import" or "require" itself, as the importer needs.
  testEnvironmentOptions: { customExportConditions: ['@quarry/source', 'node', 'node-addons'] },
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tools'],
  modulePathIgnorePatterns: ['/dist/'],
};

export default {
  // How long a worker may take to leave before it counts as one that a test holds open. It goes over its whole heap first:
  // half a second, Jest's own limit, is too short on a busy machine, and what is held open stays open for ever.
  workerGracefulExitTimeout: 20_000,
  // Never fewer than two: the database suites wait more than they compute.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  // Far above what any test takes: it ends what hangs, and decides nothing on a busy machine.
  testTimeout: 180_000,
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
      globalSetup: '<rootDir>/libs/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/src/jest-global-teardown.mjs',
    },
    {
      ...common,
      displayName: 'e2e',
      setupFiles: ['<rootDir>/libs/testing/src/checked-fetch.ts'],
      testMatch: ['**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/libs/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/src/jest-global-teardown.mjs',
    },
    {
      ...common,
      displayName: 'faults',
      testMatch: ['**/*.fault-spec.ts'],
      testPathIgnorePatterns: ['/dist/', '\\.endurance\\.fault-spec\\.ts$'],
      globalSetup: '<rootDir>/libs/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/src/jest-global-teardown.mjs',
    },
    {
      ...common,
      displayName: 'endurance',
      testMatch: ['**/*.endurance.fault-spec.ts'],
      globalSetup: '<rootDir>/libs/testing/src/jest-global-setup.mjs',
      globalTeardown: '<rootDir>/libs/testing/src/jest-global-teardown.mjs',
    },
  ],
};
